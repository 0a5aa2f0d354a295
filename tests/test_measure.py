from __future__ import annotations

import tracemalloc
from time import sleep

import numpy as np
import pytest

from attention_lab.measure import MOST_RUNS, peak_bytes, seconds


def test_short_work_is_repeated_and_the_fastest_run_counts():
    naps = iter([0.2] + [0.002] * (MOST_RUNS - 1))
    assert 0.002 <= seconds(lambda: sleep(next(naps))) < 0.2
    assert list(naps) == []


def test_long_work_is_run_once():
    naps = iter([0.31])
    assert seconds(lambda: sleep(next(naps))) >= 0.31


def test_the_peak_counts_what_was_let_go_again():
    def work() -> None:
        first = np.zeros(1_000_000, dtype=np.uint8)
        second = np.zeros(2_000_000, dtype=np.uint8)
        del first, second
        np.zeros(500_000, dtype=np.uint8)

    assert peak_bytes(work) == pytest.approx(3_000_000, rel=0.01)


def test_what_was_there_before_does_not_count_and_tracing_goes_on():
    tracemalloc.start()
    try:
        before = np.zeros(5_000_000, dtype=np.uint8)
        assert peak_bytes(lambda: np.zeros(1_000_000, dtype=np.uint8)) == pytest.approx(1_000_000, rel=0.01)
        assert tracemalloc.is_tracing()
        assert before.size == 5_000_000
    finally:
        tracemalloc.stop()


def test_tracing_stops_also_when_the_work_fails():
    def work() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        peak_bytes(work)
    assert not tracemalloc.is_tracing()
