"""Cost: every token scores every token, so twice the tokens make a matrix four times as large."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.machine.memory import format_bytes, require_memory
from attention_lab.machine.timing import TIMES_DIFFER, fastest_seconds, two_digits
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.text import listed
from attention_lab.variants import Model

Array = NDArray[np.floating]
LENGTHS = (128, 256, 512, 1024, 2048, 4096)
AT_ONCE = 4  # n × n arrays: attention holds three at its peak, and a broken model may hold one more
ONE_MORE = 1024  # most tokens to which another is generated
RANGE = 8  # times the tokens: over so many, time twice too long or too short still tells n² from n and from n³


class Bill(NamedTuple):
    """One call of attention over n tokens: the bytes of its weights in float32 and in float64, and float32 seconds."""

    n: int
    single: int
    double: int
    seconds: float


def draw_qkv(rng: np.random.Generator, n: int, d_k: int, dtype: DTypeLike) -> list[Array]:  # -> three of (n, d_k)
    """Random query, key and value."""
    return [rng.standard_normal((n, d_k)).astype(dtype) for _ in range(3)]


def measure_bill(model: Model, rng: np.random.Generator, n: int, d_k: int) -> Bill:
    """Memory and time of self-attention over n tokens."""
    inputs = draw_qkv(rng, n, d_k, np.float32)
    single, double = (model.attention(*one)[1].nbytes for one in (inputs, [x.astype(float) for x in inputs]))
    [time] = fastest_seconds(partial(model.attention, *inputs))
    return Bill(n, single, double, time)


def seconds_ratio(before: Bill, after: Bill) -> float:
    """Seconds of one bill relative to those of another."""
    return after.seconds / before.seconds


def growth_statement(bills: list[Bill]) -> Statement | Note:
    """A statement on whether time grows about as n², not n or n³; a Note if n is too small to tell."""
    first, last = bills[0], bills[-1]
    steps = [f"{after.n / before.n:.3g}" for before, after in pairwise(bills)]
    more = "Twice" if set(steps) == {"2"} else f"{listed(steps)} times"
    seen = (
        f"{more} the tokens took {listed(two_digits(seconds_ratio(*both)) for both in pairwise(bills))} times as long"
    )
    if last.n < RANGE * first.n:
        return Note("times-four", f"{seen}. Whether that is n², takes n of a wider range to tell.")
    overall = float(seconds_ratio(first, last) ** (1 / np.log2(last.n / first.n)))
    return Statement(
        "times-four",
        "Twice the tokens, about four times the seconds.",
        f"{seen}; from n = {first.n} to {last.n} it is {two_digits(overall)} for each doubling, more where the matrix "
        "outgrows a cache, less where a call is so short that it mostly pays for its start.",
        holds=2**1.5 < overall < 2**2.5,
        value=overall,
        source="D4",
    )


def next_token_statement(model: Model, rng: np.random.Generator, n: int, d_k: int) -> Statement:
    """A statement on whether earlier rows must be computed again when a token is generated."""
    query, key, value = draw_qkv(rng, n, d_k, float)
    every_row = partial(model.attention, query, key, value, model.causal_mask(n))
    last_row = partial(model.attention, query[-1:], key, value)
    apart = float(np.abs(every_row()[0][-1:] - last_row()[0]).max())
    slow, quick = fastest_seconds(every_row, last_row)
    return Statement(
        "one-more-token",
        "Generating a token, only the last row is new: with keys and values kept, the others can be left out.",
        f"At n = {n} all rows take {1000 * slow:.2f} ms under a causal mask, the last one alone {1000 * quick:.2f} ms; "
        f"its output differs by {apart:.0e}.",
        holds=apart < 1e-9,
        value=slow / quick,
        source="D4",
    )


def run(
    model: Model,
    *,
    n: Annotated[
        tuple[int, ...], Param("how many tokens attend to each other; repeatable", at_least=2, at_most=10**6, once=True)
    ] = LENGTHS,
    d_k: Annotated[int, Param("width of query, key and value", at_least=1, at_most=10**6)] = 64,
    seed: Seed = 7,
    progress: Progress = silent,
) -> Result:
    """Self-attention over more and more tokens: size of the weight matrix, and time.

    One n alone says nothing about growth, so half of it is measured as well.
    """
    lengths = sorted({*n, max(n) // 2})
    largest = lengths[-1]
    require_memory(8.0 * largest * (AT_ONCE * largest + 4 * d_k), f"--n {largest} --d-k {d_k}", "Give smaller ones.")
    rng = np.random.default_rng(seed)
    bills = []
    for length in lengths:
        progress(f"n = {length}")
        bills.append(measure_bill(model, rng, length, d_k))

    (before, after), exact = bills[-2:], [one.n**2 * 4 for one in bills]

    return Result(
        (
            table(
                "bill",
                f"One call of attention at d_k {d_k}: what its weight matrix takes, and how long it runs",
                (
                    "n",
                    Column("float32", 1, "MB"),
                    Column("float64", 1, "MB"),
                    Column("time, float32", 2, "ms"),
                    Column("× the n before", 2),
                    Column("× the time before", 1),
                ),
                (
                    (
                        *(one.n, one.single / 1e6, one.double / 1e6, 1000 * one.seconds),
                        *((one.n / last.n, seconds_ratio(last, one)) if last else (None, None)),
                    )
                    for last, one in zip([None, *bills[:-1]], bills, strict=True)
                ),
            ),
            Note("times", TIMES_DIFFER),
            Statement(
                "matrix-grows",
                "Twice the tokens, four times the matrix.",
                f"From n = {before.n} to {after.n} it grows from {format_bytes(before.single)} "
                f"to {format_bytes(after.single)}: "
                f"{after.single / before.single:.2f} times the bytes for {after.n / before.n:.2f} times the tokens.",
                holds=[one.single for one in bills] == exact,
                value=after.single / before.single,
                source="D4",
            ),
            Statement(
                "printed-sizes",
                "The sizes that D4 prints are those of the arrays that its script makes.",
                f"At n = {largest} its {format_bytes(exact[-1])} are float32. NumPy makes float64 unless "
                f"told otherwise: {format_bytes(after.double)}, {after.double / exact[-1]:.1f} times that.",
                holds=after.double == exact[-1],
                value=after.double / exact[-1],
                source="D4",
            ),
            growth_statement(bills),
            next_token_statement(model, rng, min(largest, ONE_MORE), d_k),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
