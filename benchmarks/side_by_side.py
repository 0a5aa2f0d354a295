"""Time two contenders in turns, so that other load on the machine affects both alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

PAUSE = 0.1  # seconds: threads of the library that ran last keep spinning for a while, and would slow the next one


@dataclass(frozen=True)
class Finding:
    """One line of a report: a measured figure and the most that it may be."""

    what: str
    figure: float
    target: float

    @property
    def reached(self) -> bool:
        return self.figure <= self.target


def seconds(work: Callable[[], object]) -> float:
    """One timed run, after one that wakes the threads."""
    time.sleep(PAUSE)
    work()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> float:
    """Seconds of ours relative to theirs: the median over pairs timed one after the other."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    return median(our_time / their_time for our_time, their_time in pairs)


def report(findings: Iterable[Finding]) -> int:
    """Print each finding as it arrives. Returns the exit code: 0 if every target is reached."""
    print(f"{'what':66} {'figure':>7} {'at most':>8}")
    missed = False
    for finding in findings:
        verdict = "reached" if finding.reached else "missed"
        print(f"{finding.what:66} {finding.figure:7.3f} {finding.target:8.3f}  {verdict}", flush=True)
        missed |= not finding.reached
    return int(missed)
