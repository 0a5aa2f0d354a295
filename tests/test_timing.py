from __future__ import annotations

import os
import tracemalloc

import numpy as np
import pytest

from attention_lab.cli import use_one_thread
from attention_lab.machine.timing import FEWEST, MOST, fastest_seconds, peak_bytes, skip_timing, two_digits


def ticking(monkeypatch, *seconds: float):
    """Runs that take these times, one after the other."""
    left = iter(seconds)
    monkeypatch.setattr("attention_lab.machine.timing.seconds_of_run", lambda _: next(left))
    return left


def test_short_work_is_repeated_and_the_fastest_run_counts(monkeypatch):
    left = ticking(monkeypatch, 0.05, 0.001, *[0.0005] * (MOST - 2))
    assert fastest_seconds(lambda: None) == [0.0005]
    assert list(left) == []


def test_work_too_short_to_measure_comes_to_an_end():
    runs: list[None] = []
    assert fastest_seconds(lambda: runs.append(None))[0] >= 0
    assert len(runs) == MOST


def test_long_work_is_run_more_than_once(monkeypatch):
    left = ticking(monkeypatch, 9.0, *[2.0] * (FEWEST - 1))
    assert fastest_seconds(lambda: None) == [2.0]
    assert list(left) == []


def test_time_is_that_of_the_work_alone():
    assert fastest_seconds(lambda: sum(range(100_000)))[0] > fastest_seconds(lambda: sum(range(1000)))[0] > 0


def test_works_take_turns_and_the_longer_one_is_done_first(monkeypatch):
    turns: list[str] = []

    def seconds(work) -> float:
        work()
        return {"a": 1.0, "b": 0.05}[turns[-1]]

    monkeypatch.setattr("attention_lab.machine.timing.seconds_of_run", seconds)
    assert fastest_seconds(lambda: turns.append("a"), lambda: turns.append("b")) == [1.0, 0.05]
    assert "".join(turns) == "ab" * FEWEST + "b"


@pytest.mark.parametrize(
    ("ratio", "shown"), [(0.284, "0.28"), (3.06, "3.1"), (2.0, "2"), (12.4, "12"), (1234.5, "1,200"), (0.0, "0")]
)
def test_a_ratio_has_two_digits(ratio, shown):
    assert two_digits(ratio) == shown


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


def test_the_command_multiplies_in_one_thread_unless_told_otherwise(monkeypatch):
    monkeypatch.setattr(os, "environ", {"OMP_NUM_THREADS": "2"})
    use_one_thread()
    assert os.environ["OPENBLAS_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "2"


def test_where_times_do_not_matter_work_is_done_once():
    runs: list[str] = []
    with skip_timing():
        assert fastest_seconds(lambda: runs.append("a"), lambda: runs.append("b")) == [1.0, 1.0]
    assert runs == ["a", "b"]
    fastest_seconds(lambda: runs.append("a"))
    assert len(runs) >= 2 + FEWEST
