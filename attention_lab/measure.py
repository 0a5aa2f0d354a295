"""What a piece of work costs on this machine, in this run: seconds, and memory at its peak."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from time import perf_counter

MOST_RUNS = 7
LONG = 0.3  # seconds of measuring after which nothing is run once more


def seconds(work: Callable[[], object]) -> float:
    """The fastest of several runs, fewer of them when the work takes long: whatever else a machine does only adds."""
    times: list[float] = []
    while len(times) < MOST_RUNS and sum(times) < LONG:
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def peak_bytes(work: Callable[[], object]) -> int:
    """The most memory that was held at once for the work, its result included, beyond what was held before.

    Counts what is allocated through Python, as NumPy's arrays are.
    """
    started_here = not tracemalloc.is_tracing()
    if started_here:
        tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if started_here:
            tracemalloc.stop()
