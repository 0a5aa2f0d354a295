"""What a piece of work costs on this machine, in this run: seconds, and memory at its peak."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter, thread_time

# Stands still while other programs have the processor; on Windows it ticks only every 16 ms.
clock = perf_counter if sys.platform == "win32" else thread_time
FEWEST, MOST = 3, 200  # runs of one work
ENOUGH = 0.2  # seconds of runs after which FEWEST of them will do, unless a caller has less to spend
TIMES_DIFFER = (
    f"Times are what this machine's processor took in this run: the fastest of {FEWEST} tries or more, in turns where "
    "two are compared. They differ from run to run."
)
SKIPPED: ContextVar[bool] = ContextVar("SKIPPED", default=False)


@contextmanager
def skip_timing() -> Iterator[None]:
    """Let `fastest_seconds` run each work once and return 1 second: for callers that compare everything but times."""
    before = SKIPPED.set(True)
    try:
        yield
    finally:
        SKIPPED.reset(before)


def seconds_of_run(work: Callable[[], object]) -> float:
    """Seconds of the processor for one run."""
    start = clock()
    work()
    return clock() - start


def needs_another_run(times: list[float], enough: float) -> bool:
    """Whether work that took these times is to run once more: long work too, since any one run can be disturbed."""
    return len(times) < FEWEST or (len(times) < MOST and sum(times) < enough)


def fastest_seconds(*works: Callable[[], object], enough: float = ENOUGH) -> list[float]:
    """Seconds of the fastest run of each, taken in turns: what else a machine does only adds, and hits all alike.

    Work must be done in the thread that calls this; what else it waits for does not count.
    """
    if SKIPPED.get():
        for work in works:
            work()
        return [1.0] * len(works)
    times: list[list[float]] = [[] for _ in works]
    while any(needs_another_run(seen, enough) for seen in times):
        for work, seen in zip(works, times, strict=True):
            if needs_another_run(seen, enough):
                seen.append(seconds_of_run(work))
    return [min(seen) for seen in times]


def two_digits(ratio: float) -> str:
    """A measured ratio as one reads it out: 0.28, 3.1 or 1,200, whose further digits would be another run's."""
    rounded = float(f"{ratio:.2g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 else f"{rounded:g}"


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
