"""Cost: every token scores every token, so twice the tokens make a matrix four times as large."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.machine import require_memory, size
from attention_lab.measure import seconds
from attention_lab.result import Column, Result, Statement, table
from attention_lab.text import listed
from attention_lab.variants import Model

Array = NDArray[np.floating]
AT_ONCE = 4  # n × n arrays: attention holds three at its peak, and a broken model may hold one more
ONE_MORE = 1024  # tokens, at most, where one more is generated


class Bill(NamedTuple):
    """One call of attention over n tokens: how many bytes its weights take, and how long it takes."""

    n: int
    matrix: int
    seconds: float


def drawn(rng: np.random.Generator, n: int, d_k: int, dtype: DTypeLike) -> list[Array]:  # -> three of (n, d_k)
    """Query, key and value."""
    return [rng.standard_normal((n, d_k)).astype(dtype) for _ in range(3)]


def bill(model: Model, rng: np.random.Generator, n: int, d_k: int, dtype: DTypeLike) -> Bill:
    """What self-attention over n tokens costs in this type of number."""
    inputs = drawn(rng, n, d_k, dtype)
    matrix = model.attention(*inputs)[1].nbytes
    return Bill(n, matrix, seconds(partial(model.attention, *inputs)))


def growth(bills: list[Bill]) -> list[float]:
    """From each bill to the next: how many times the seconds for twice the tokens."""
    return [
        float((after.seconds / before.seconds) ** (1 / np.log2(after.n / before.n)))
        for before, after in pairwise(bills)
    ]


def one_more_token(model: Model, rng: np.random.Generator, n: int, d_k: int) -> Statement:
    """Whether the rows before the last one have to be computed again when a token is generated."""
    query, key, value = drawn(rng, n, d_k, float)
    every_row = partial(model.attention, query, key, value, model.causal_mask(n))
    last_row = partial(model.attention, query[-1:], key, value)
    apart = float(np.abs(every_row()[0][-1:] - last_row()[0]).max())
    slow, quick = seconds(every_row), seconds(last_row)
    return Statement(
        "one-more-token",
        "Generating a token, only the last row is new: with keys and values kept, the others can be left out.",
        f"At n = {n} all rows take {1000 * slow:.2f} ms under a causal mask, the last one alone {1000 * quick:.2f} ms; "
        f"its output differs by {apart:.0e}.",
        holds=apart < 1e-9 and quick < slow,
        value=slow / quick,
        source="D4",
    )


def run(
    model: Model,
    *,
    n: Annotated[
        tuple[int, ...], Param("how many tokens attend to each other; repeatable", at_least=2, at_most=10**6)
    ] = (
        *(128, 256, 512),
        *(1024, 2048, 4096),
    ),
    d_k: Annotated[int, Param("width of query, key and value", at_least=1, at_most=10**6)] = 64,
    seed: Seed = 7,
    progress: Progress = silent,
) -> Result:
    """Self-attention over more and more tokens: size of the weight matrix and time, in float32 and in float64.

    Each time is the fastest of several runs on this machine. One n alone says nothing about growth, so half of it is
    measured as well.
    """
    lengths = sorted({*n, max(n) // 2})
    largest = lengths[-1]
    require_memory(8.0 * largest * (AT_ONCE * largest + 4 * d_k), f"--n {largest} --d-k {d_k}", "Give smaller ones.")
    rng = np.random.default_rng(seed)
    single, double = [], []
    for length in lengths:
        progress(f"n = {length}")
        single.append(bill(model, rng, length, d_k, np.float32))
        double.append(bill(model, rng, length, d_k, float))

    factors, double_factors = growth(single), growth(double)
    (before, after), exact = single[-2:], [one.n**2 * 4 for one in single]
    steepest = int(np.argmax(factors))
    [overall] = growth([single[0], single[-1]])

    return Result(
        (
            table(
                "bill",
                f"One call of attention at d_k {d_k}: what its weight matrix takes, and how long it runs",
                (
                    "n",
                    Column("float32", 1, "MB"),
                    Column("time", 2, "ms"),
                    Column("per doubling", 1, "×"),
                    Column("float64", 1, "MB"),
                    Column("time, float64", 2, "ms"),
                ),
                (
                    (one.n, one.matrix / 1e6, 1000 * one.seconds, factor, two.matrix / 1e6, 1000 * two.seconds)
                    for one, two, factor in zip(single, double, [None, *factors], strict=True)
                ),
            ),
            Statement(
                "matrix-grows",
                "Twice the tokens, four times the matrix.",
                f"From n = {before.n} to {after.n} it grows from {size(before.matrix)} to {size(after.matrix)}: "
                f"{after.matrix / before.matrix:.2f} times the bytes for {after.n / before.n:.2f} times the tokens.",
                holds=[one.matrix for one in single] == exact,
                value=after.matrix / before.matrix,
                source="D4",
            ),
            Statement(
                "printed-sizes",
                "The sizes that D4 prints are those of the arrays that its script makes.",
                f"At n = {largest} its {size(exact[-1])} are float32. NumPy makes float64 unless told otherwise: "
                f"{size(double[-1].matrix)}, {double[-1].matrix / exact[-1]:.1f} times that.",
                holds=double[-1].matrix == exact[-1],
                value=double[-1].matrix / exact[-1],
                source="D4",
            ),
            Statement(
                "times-four",
                "Twice the tokens, four times the seconds, until the matrix leaves the cache.",
                f"From one n to the next, a doubling took {listed(factors, 1)} times as long in float32 and "
                f"{listed(double_factors, 1)} in float64; most from n = {single[steepest].n} to "
                f"{single[steepest + 1].n}, where the matrix reaches {size(single[steepest + 1].matrix)}.",
                holds=all(3 <= factor <= 5 for factor in factors),
                source="D4",
            ),
            Statement(
                "like-n-squared",
                "Over the whole range the time grows about as the matrix does.",
                f"From n = {single[0].n} to {largest} a doubling took {overall:.1f} times as long on average. A short "
                "call pays for its start; a large matrix waits for memory.",
                holds=3 <= overall <= 5,
                value=overall,
            ),
            one_more_token(model, rng, min(largest, ONE_MORE), d_k),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
