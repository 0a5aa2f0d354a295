"""Flash: keys come in tiles, each row keeps a running maximum, sum and blend, and the n × n matrix never exists."""

from __future__ import annotations

from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.machine.memory import format_bytes, require_memory
from attention_lab.machine.timing import TIMES_DIFFER, fastest_seconds, peak_bytes, two_digits
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.variants import Model

Array = NDArray[np.floating]
LENGTHS = (1024, 2048, 4096)
AT_ONCE = 4  # n × n arrays: attention holds three at its peak, and a broken model may hold one more
FLOAT32 = 4  # bytes


class Comparison(NamedTuple):
    """Attention over n tokens, untiled and tiled: peak bytes and seconds of each, and how far apart the outputs are."""

    n: int
    untiled_peak: int
    tiled_peak: int
    untiled_seconds: float
    tiled_seconds: float
    apart: float


def compare(model: Model, rng: np.random.Generator, n: int, d_k: int, height: int, width: int) -> Comparison:
    """The same float32 query, key and value, (n, d_k) each, through both."""
    inputs = [rng.standard_normal((n, d_k)).astype(np.float32) for _ in range(3)]
    untiled = partial(model.attention, *inputs)
    tiled = partial(model.tiled_attention, *inputs, height=height, width=width)
    apart = float(np.abs(untiled()[0] - tiled()).max())
    untiled_seconds, tiled_seconds = fastest_seconds(untiled, tiled)
    return Comparison(n, peak_bytes(untiled), peak_bytes(tiled), untiled_seconds, tiled_seconds, apart)


def run(
    model: Model,
    *,
    n: Annotated[
        tuple[int, ...], Param("how many tokens attend to each other; repeatable", at_least=2, at_most=10**6, once=True)
    ] = LENGTHS,
    d_k: Annotated[int, Param("width of query, key and value", at_least=1, at_most=10**6)] = 64,
    height: Annotated[int, Param("queries in a tile", at_least=16, at_most=10**6)] = 256,
    width: Annotated[int, Param("keys in a tile", at_least=16, at_most=10**6)] = 512,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Result:
    """Attention that stores its n × n matrix against attention that works through it tile by tile, in float32.

    Peak memory is what was held at once beyond the inputs. One n alone says nothing about growth, so half of it is
    measured as well.
    """
    lengths = sorted({*n, max(n) // 2})
    largest = lengths[-1]
    needed = FLOAT32 * largest * (AT_ONCE * largest + 8.0 * d_k)
    require_memory(needed, f"--n {largest} --d-k {d_k}", "Give smaller ones: it is measured untiled as well.")
    rng = np.random.default_rng(seed)
    found = []
    for length in lengths:
        progress(f"n = {length}")
        found.append(compare(model, rng, length, d_k, height, width))

    half, last = found[-2:]
    matrix = FLOAT32 * last.n**2
    apart = max(one.apart for one in found)
    ratio = last.tiled_seconds / last.untiled_seconds
    tiled_growth, untiled_growth = last.tiled_peak / half.tiled_peak, last.untiled_peak / half.untiled_peak

    return Result(
        (
            table(
                "bill",
                f"Untiled, and in tiles of {height} queries × {width} keys",
                (
                    "n",
                    Column("n × n", 1, "MB"),
                    Column("peak, untiled", 1, "MB"),
                    Column("peak, tiled", 1, "MB"),
                    Column("time, untiled", 1, "ms"),
                    Column("time, tiled", 1, "ms"),
                ),
                (
                    (
                        one.n,
                        FLOAT32 * one.n**2 / 1e6,
                        one.untiled_peak / 1e6,
                        one.tiled_peak / 1e6,
                        1000 * one.untiled_seconds,
                        1000 * one.tiled_seconds,
                    )
                    for one in found
                ),
            ),
            Note("times", TIMES_DIFFER),
            Note(
                "how",
                "Softmax needs the maximum and the sum of a whole row. A row that has seen some of its keys keeps the "
                "maximum so far; when a tile brings a higher one, what was summed before is shrunk to match. Untiled, "
                "three n × n arrays meet at the peak: scores, their exponentials, and weights.",
            ),
            Statement(
                "same-output",
                "Tiled attention gives the same output.",
                f"No number differs by more than {apart:.0e}; float32 keeps about seven digits.",
                holds=apart < 1e-5,
                value=apart,
                source="D4",
            ),
            Statement(
                "never-stored",
                "The n × n matrix is never stored.",
                f"At n = {last.n} the matrix takes {format_bytes(matrix)}. Tiled attention never holds more than "
                f"{format_bytes(last.tiled_peak)} at once; untiled it is {format_bytes(last.untiled_peak)}, "
                f"{last.untiled_peak / matrix:.1f} times the matrix.",
                holds=last.tiled_peak < matrix / 2,
                value=last.tiled_peak / matrix,
                source="D4",
            ),
            Statement(
                "grows-slower",
                "Twice the tokens, less than four times the memory.",
                f"From n = {half.n} to {last.n} the tiled peak grows {tiled_growth:.1f} times, the untiled one "
                f"{untiled_growth:.1f} times.",
                holds=tiled_growth < untiled_growth and tiled_growth < 0.75 * (last.n / half.n) ** 2,
                value=tiled_growth,
            ),
            Statement(
                "no-slower",
                "Working tile by tile does not take twice as long.",
                f"At n = {last.n} it took {two_digits(ratio)} times as long: {1000 * last.tiled_seconds:.0f} ms, "
                f"untiled {1000 * last.untiled_seconds:.0f} ms.",
                holds=ratio < 2,
                value=ratio,
            ),
            Note(
                "gpu",
                "FlashAttention was written for speed: on a GPU most of the time goes into moving the matrix to main "
                "memory and back, and tiles stay in the small, fast memory beside the processor. That is not measured "
                "here.",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
