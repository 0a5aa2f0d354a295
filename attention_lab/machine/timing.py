"""Cost of a piece of work on this machine, in this run: processor seconds, and peak memory in bytes."""

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
ENOUGH = 0.2  # seconds of runs after which FEWEST runs are enough; callers may ask for less
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
    """Whether work with these run times needs another run. Long work too gets FEWEST runs: any one can be disturbed."""
    return len(times) < FEWEST or (len(times) < MOST and sum(times) < enough)


def fastest_seconds(*works: Callable[[], object], enough: float = ENOUGH) -> list[float]:
    """Seconds of the fastest run of each work. Works take turns, so that other load on the machine hits all alike.

    Work must run in the calling thread; time spent waiting does not count.
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
    """A measured ratio to two digits: 0.28, 3.1 or 1,200. Further digits would change with the run."""
    rounded = float(f"{ratio:.2g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 else f"{rounded:g}"


def peak_bytes(work: Callable[[], object]) -> int:
    """Peak bytes held at once by the work, result included, beyond the bytes held before.

    Only allocations through Python count, such as NumPy's arrays.
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
