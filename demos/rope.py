"""RoPE: turn query and key by angles that grow with their position, and only the distance between them counts."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Column, Result, Statement, series, table
from attention_lab.text import listed
from attention_lab.variants import Model

Array = NDArray[np.floating]

PLACES = ((7, 3), (107, 103), (1_000_007, 1_000_003), (7, 5), (7, 0))  # of a query and of a key
MILLION = 1_000_000
QUERIES = 500
KEYS = 16  # each of them at every distance
FURTHEST = 256  # tokens apart
DRAWN = 4  # one distance in so many is drawn
STRETCHES = (1, 4, 16, 64, FURTHEST)  # distances between which the oscillation is averaged out


def rotated_at(model: Model, x: Array, position: int, base: float) -> Array:  # (..., d_k) -> (..., d_k)
    """Every vector rotated as at this position."""
    rows = x.reshape(-1, x.shape[-1])
    at: Array = model.rope(rows, np.full(len(rows), position), base).reshape(x.shape)
    return at


def rotary_scores(model: Model, query: Array, key: Array, places: tuple[int, int], base: float) -> Array:
    """(queries, d_k), (keys, d_k) -> (queries, keys): all dot products, queries at one place and keys at another."""
    here, there = places
    return rotated_at(model, query, here, base) @ rotated_at(model, key, there, base).T


def scores_by_distance(model: Model, query: Array, key: Array, base: float) -> Array:
    """(queries, d_k), (keys, d_k) -> (keys, queries, FURTHEST): the scores at distance 0, 1, 2 and so on."""
    everywhere = np.broadcast_to(key[:, np.newaxis], (len(key), FURTHEST, key.shape[-1]))
    keys: Array = model.rope(everywhere, np.arange(FURTHEST), base)
    return rotated_at(model, query, 0, base) @ np.swapaxes(keys, -1, -2)


def additive_scores(model: Model, query: Array, key: Array, places: tuple[int, int]) -> Array:  # -> (queries, keys)
    """The scores when sinusoidal positions are added to query and key instead."""
    positions: Array = model.sinusoidal_positions(max(places) + 1, query.shape[-1])
    here, there = positions[list(places)]
    scored: Array = (query + here) @ (key + there).T
    return scored


def rebound(curve: Array) -> tuple[int, int]:  # (distances,) -> two distances
    """Distances at which the largest rise starts and ends."""
    rise = [(float(curve[i:].max() - curve[i]), i) for i in range(len(curve))]
    low = max(rise)[1]
    return low, low + int(curve[low:].argmax())


def run(
    model: Model,
    *,
    d_k: Annotated[int, Param("width of query and key, an even number", at_least=2, at_most=10**6)] = 64,
    base: Annotated[float, Param("the larger, the slower the later columns turn", at_least=1)] = 10_000.0,
    seed: Seed = 0,
) -> Result:
    """Random queries and keys, turned by their positions: what their scores depend on, and what distance does to them.

    Decay is measured on a query and a key that are alike (all ones) and on queries and keys that have nothing to do
    with each other.
    """
    require_memory(8.0 * d_k * (6 * KEYS * FURTHEST + 8 * QUERIES), f"--d-k {d_k}", "Give a smaller one.")
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((QUERIES, d_k)), rng.standard_normal((KEYS, d_k))

    at = {places: rotary_scores(model, query, key, places, base) for places in PLACES}
    first, *others = at.values()
    spread = float(first.std())
    shifted, far, *elsewhere = (float(np.abs(found - first).max()) for found in others)
    before, after = (additive_scores(model, query, key, places) for places in PLACES[:2])
    plus = float(np.abs(after - before).max())
    stretched = np.linalg.norm(rotated_at(model, query, MILLION, base), axis=-1) / np.linalg.norm(query, axis=-1)
    off_length = float(np.abs(stretched - 1).max())

    ones = np.ones((1, d_k))
    alike = scores_by_distance(model, ones, ones, base)[0, 0]
    alike = alike / alike[0]
    strangers = np.abs(scores_by_distance(model, query, key, base)).mean(axis=(0, 1))
    strangers = strangers / strangers[0]
    means = [float(alike[low:high].mean()) for low, high in pairwise(STRETCHES)]
    stranger_means = [float(strangers[low:high].mean()) for low, high in pairwise(STRETCHES)]
    spans = listed(f"{low}–{high - 1}" for low, high in pairwise(STRETCHES))
    rises, (low, high) = int((np.diff(alike) > 0).sum()), rebound(alike)

    return Result(
        (
            table(
                "places",
                f"One query and one key of width {d_k}, turned by where they stand",
                ("query at", "key at", "distance", Column("score", 6)),
                ((*places, places[0] - places[1], found[0, 0]) for places, found in at.items()),
            ),
            Statement(
                "distance-only",
                "The score depends on how far apart query and key are, and on nothing else about where they stand.",
                f"Moving both by 100 changes scores by at most {shifted:.2g}, moving the key alone by up to "
                f"{min(elsewhere):.1f} ({QUERIES} × {KEYS} scores, which spread by {spread:.1f}).",
                holds=shifted < 1e-10 * spread and min(elsewhere) > 1e-3 * spread,
                value=shifted,
                source="D4",
            ),
            Statement(
                "added-positions",
                "Adding sinusoidal positions to query and key has the same effect.",
                f"With positions added, moving both by 100 changes one of these scores by {plus:.1f}.",
                holds=plus < 1e-10 * spread,
                value=plus,
            ),
            Statement(
                "any-length",
                "It works at any length: there is no last position.",
                f"A million tokens further on, scores differ by at most {far:.2g}; up to {1e-7 * spread:.0e} is put "
                "down to the rounding of large angles. Whether a trained model copes with distances that it never met "
                "is not measured here.",
                holds=far < 1e-7 * spread,
                value=far,
                source="D4",
            ),
            Statement(
                "norm-kept",
                "Turning changes no length.",
                f"The lengths of {QUERIES} queries change by at most {off_length:.2g} of what they were.",
                holds=off_length < 1e-10,
                value=off_length,
            ),
            series(
                "decay",
                "What is left of the score as the distance grows; 1 at distance 0",
                "distance",
                "score",
                range(0, FURTHEST, DRAWN),
                {"alike": alike[::DRAWN], "unrelated, mean size": strangers[::DRAWN]},
            ),
            Statement(
                "decays-on-average",
                "Influence decays with distance, on average.",
                f"For a query and a key that are alike, averages over the distances {spans} are {listed(means, 2)}.",
                holds=all(near > far_off for near, far_off in pairwise([1.0, *means])),
                value=means[-1],
                source="D4",
            ),
            Statement(
                "decays-steadily",
                "Influence decays from each distance to the next.",
                f"The score of the two that are alike oscillates: it rises at {rises} of {FURTHEST - 1} steps, most "
                f"from {alike[low]:.2f} at distance {low} to {alike[high]:.2f} at {high}."
                if rises
                else f"The score of the two that are alike rises at none of {FURTHEST - 1} steps.",
                holds=rises == 0,
                value=float(rises),
            ),
            Statement(
                "decays-for-all",
                "Influence decays also between a query and a key that have nothing to do with each other.",
                f"Over the distances {spans} the mean size of their scores is {listed(stranger_means, 2)}.",
                holds=stranger_means[-1] < 0.9,
                value=stranger_means[-1],
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
