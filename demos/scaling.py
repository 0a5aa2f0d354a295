"""Scaling: dot products grow with √d_k, and softmax turns large scores into a single winner."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.machine import require_memory
from attention_lab.result import Column, Result, Statement, table
from attention_lab.text import count, listed
from attention_lab.variants import Model, softmax_input

Array = NDArray[np.floating]
NUMBERS = 160_000  # at least so many, in queries and in keys, stand behind an average: enough for two digits


def many_rows(rng: np.random.Generator, width: int) -> Array:  # -> (squares, T, d_k)
    """Queries, or keys, for squares of T × T scores: the fewer the rows, the more partners each has."""
    T = min(max(width, 16), 128)
    return rng.standard_normal((max(2, NUMBERS // (T * width)), T, width))


def run(
    model: Model,
    *,
    d_k: Annotated[tuple[int, ...], Param("width of query and keys; repeatable", at_least=1)] = (4, 64, 512),
    keys: Annotated[int, Param("how many keys the query scores", at_least=2)] = 10,
    seed: Seed = 1,
) -> Result:
    """One random query against random keys at growing d_k: raw scores, scaled scores, and the largest weight of each.

    D0 draws once for each d_k and says that dividing by √d_k brings every case to a standard deviation near 1. That is
    true on average and not of every draw, so both are measured.
    """
    require_memory(8.0 * max(d_k) * (keys + 512), f"--d-k {max(d_k)} with --keys {keys}", "Give smaller ones.")
    rng = np.random.default_rng(seed)
    once = [(rng.standard_normal((1, width)), rng.standard_normal((keys, width))) for width in d_k]
    raw = [query @ key.T for query, key in once]
    scaled = [softmax_input(model, query, key) for query, key in once]
    many = [softmax_input(model, many_rows(rng, width), many_rows(rng, width)) for width in d_k]

    root = np.sqrt(d_k)
    raw_std = np.array([scores.std() for scores in raw])
    raw_largest = np.array([model.softmax(scores).max() for scores in raw])
    scaled_std = np.array([scores.std() for scores in scaled])
    scaled_largest = np.array([model.softmax(scores).max() for scores in scaled])
    average_std = np.array([scores.std() for scores in many])

    return Result(
        (
            table(
                "spread",
                f"One query against {keys} random keys, drawn once for each d_k",
                (
                    "d_k",
                    "raw std",
                    Column("largest weight", 4),
                    "scaled std",
                    Column("largest weight, scaled", 4),
                    "scaled std, on average",
                ),
                zip(d_k, raw_std, raw_largest, scaled_std, scaled_largest, average_std, strict=True),
            ),
            Statement(
                "raw-spread",
                "A raw dot product spreads by about √d_k.",
                f"At d_k {listed(d_k)} the scores spread by {listed(raw_std, 2)}; √d_k is {listed(root, 2)}.",
                holds=bool(np.all(np.abs(raw_std / root - 1) < 0.5)),
                source="D0, D4",
            ),
            Statement(
                "one-winner",
                "Without the division one weight goes to 1.0000 as d_k grows.",
                f"The largest of {keys} weights is {listed(raw_largest, 4)} at d_k {listed(d_k)}.",
                holds=bool(np.all(np.diff(raw_largest) >= 0) and raw_largest[-1] > 0.99995),
                value=float(raw_largest[-1]),
                source="D0",
            ),
            Statement(
                "one-draw",
                "After the division every case sits at a standard deviation of about 1.",
                f"In one draw of {count(keys, 'score')} each they sit at {listed(scaled_std, 2)}.",
                holds=bool(np.all(np.abs(scaled_std - 1) < 0.1)),
                source="D0",
            ),
            Statement(
                "on-average",
                "On average the division does bring every case to 1.",
                f"Over {listed(f'{scores.size:,}' for scores in many)} scores it is {listed(average_std, 2)}.",
                holds=bool(np.all(np.abs(average_std - 1) < 0.05)),
                source="D0, D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
