"""Scaling: dot products grow with √d_k, and softmax turns large scores into a single winner."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.text import count, listed
from attention_lab.variants import Model, softmax_input

Array = NDArray[np.floating]
NUMBERS = 80_000  # about so many, in queries and in keys, stand behind an average: enough for two digits
ROWS = 2000  # of scores, at most, behind an average of largest weights


def draw_rows(rng: np.random.Generator, width: int, keys: int) -> tuple[Array, Array]:  # -> (n, Tq, d_k), (n, Tk, d_k)
    """Queries and keys for n blocks of scores: the fewer the rows, the more partners each has. Tk is sets of `keys`."""
    Tq = min(max(width, keys, 16), 256)
    Tk = max(1, Tq // keys) * keys
    n = max(1, NUMBERS // (max(Tq, Tk) * width))
    return rng.standard_normal((n, Tq, width)), rng.standard_normal((n, Tk, width))


def dot_products(query: Array, key: Array) -> Array:  # (Tq, d_k), (Tk, d_k) -> (Tq, Tk)
    """Dot products of every query with every key."""
    scores: Array = query @ np.swapaxes(key, -1, -2)
    return scores


def mean_largest_weight(model: Model, scores: Array, keys: int) -> float:  # (Tq, Tk)
    """Mean of the largest weight over rows of `keys` keys."""
    return float(model.softmax(scores.reshape(-1, keys)[:ROWS]).max(axis=-1).mean())


def one_source(rows: Array) -> Array:  # (T, d_k) -> (T, d_k)
    """The rows, with half of the variance of each component common to the whole row."""
    shared: Array = (rows + rows[..., :1]) / 2**0.5
    return shared


def run(
    model: Model,
    *,
    d_k: Annotated[
        tuple[int, ...], Param("width of query and keys; repeatable", at_least=1, at_most=10**6, once=True)
    ] = (4, 64, 512),
    keys: Annotated[int, Param("how many keys the query scores", at_least=2, at_most=10**6)] = 10,
    seed: Seed = 1,
) -> Result:
    """Random queries against random keys at growing d_k: raw scores, scaled scores, and the largest weight of each.

    D0 draws once for each d_k and says that dividing by √d_k brings every case to a standard deviation near 1. That is
    true on average and not of every draw, so its draw is shown and the other statements are judged over many.
    """
    require_memory(64.0 * max(d_k) * (keys + 512), f"--d-k {max(d_k)} with --keys {keys}", "Give smaller ones.")
    rng = np.random.default_rng(seed)
    once = [(rng.standard_normal((1, width)), rng.standard_normal((keys, width))) for width in d_k]
    raw = [dot_products(query, key) for query, key in once]
    scaled = [softmax_input(model, query, key) for query, key in once]
    scaled_std = np.array([scores.std() for scores in scaled])

    drawn = [draw_rows(rng, width, keys) for width in d_k]
    many_raw = [dot_products(query, key) for query, key in drawn]
    many_scaled = [softmax_input(model, query, key) for query, key in drawn]
    raw_spread, spread = (np.array([scores.std() for scores in some]) for some in (many_raw, many_scaled))
    raw_largest, scaled_largest = (
        np.array([mean_largest_weight(model, scores, keys) for scores in some]) for some in (many_raw, many_scaled)
    )
    root = np.sqrt(d_k)
    wide = int(np.argmax(d_k))
    rising = raw_largest[np.argsort(d_k)]

    query, key = (blocks[:64, :64] for blocks in drawn[wide])  # enough for a spread that is far from 1
    doubled = softmax_input(model, 2 * query, 2 * key).std()
    dependent = softmax_input(model, one_source(query), one_source(key)).std()

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
                zip(
                    d_k,
                    [scores.std() for scores in raw],
                    [mean_largest_weight(model, scores, keys) for scores in raw],
                    scaled_std,
                    [mean_largest_weight(model, scores, keys) for scores in scaled],
                    spread,
                    strict=True,
                ),
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
                "On average the division brings dot products, which spread by √d_k, to a standard deviation of 1.",
                f"Over {listed(f'{scores.size:,}' for scores in many_raw)} scores at d_k {listed(d_k)} the spread goes "
                f"from {listed(raw_spread, 2)} to {listed(spread, 2)}; √d_k is {listed(root, 2)}.",
                holds=bool(np.all(np.abs(raw_spread / root - 1) < 0.05) and np.all(np.abs(spread - 1) < 0.05)),
                source="D0, D3, D4",
            ),
            Statement(
                "one-winner",
                "Without the division one weight goes towards 1 as d_k grows; with it, none does.",
                f"On average the largest of {keys} weights is {listed(raw_largest, 2)} at d_k {listed(d_k)}; "
                f"divided, {listed(scaled_largest, 2)}.",
                holds=bool(np.all(np.diff(rising) > -0.03) and raw_largest[wide] > scaled_largest[wide] + 0.03),
                value=float(raw_largest[wide]),
                source="D0",
            ),
            Statement(
                "assumptions",
                "The division assumes components that are independent and have mean 0 and variance 1; else the spread "
                "is not 1.",
                f"At d_k {d_k[wide]} it is {doubled:.2f} with components twice as large, and {dependent:.2f} where "
                "those of a vector share half of their variance.",
                holds=bool(min(doubled, dependent) > 1.1),
                source="D3",
            ),
            Note("caveat", "A spread of 1 is where training can start; by itself it does not make a model train."),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
