"""Several models at the same time, or in turn: the same runs, and Ctrl-C loses none of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from attention_lab.errors import RunFailed
from attention_lab.train import side_by_side
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.run import Config, TrainingRun
from attention_lab.train.side_by_side import EVERY, Job, count_presses, prepare_children, train_lanes
from attention_lab.variants import Patch, source

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
TINY = Config(NetworkSizes(d_model=8, heads=2, T=3), 2 * EVERY, batch=4)
SCALED = "scores = scores / query.shape[-1] ** 0.5  # scale"


def lanes(*lines: str) -> list[list[Job]]:
    """A lane for each line that stands in place of the scale."""
    return [
        [Job(f"lane {place}", source(Patch(SCALED, line)), "it", "reverse", TINY)] for place, line in enumerate(lines)
    ]


def interrupting(at: str) -> Callable[[str], None]:
    """Press Ctrl-C when this is told for the first time."""
    waiting = [at]

    def told(what: str) -> None:
        if waiting and waiting[0] in what:
            waiting.clear()
            signal.raise_signal(signal.SIGINT)

    return told


def stops(runs: list[list[TrainingRun]]) -> list[int | None]:
    return [run.stopped for lane in runs for run in lane]


@pytest.fixture(autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt here, as in a process that a person starts, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(params=[1, 2], ids=["in turn", "side by side"])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "available_cores", lambda: request.param)


several = pytest.mark.usefixtures("cores")


def test_a_run_is_the_same_beside_another(monkeypatch: pytest.MonkeyPatch):
    found = []
    for count in (1, 2):
        monkeypatch.setattr(side_by_side, "available_cores", lambda count=count: count)
        found.append(train_lanes(lanes("scores = scores / 2", "pass"), lambda _: None))
    for one, two in zip(*found, strict=True):
        assert one[0].losses == two[0].losses
        assert one[0].scores == two[0].scores
    assert found[0][0][0].losses != found[0][1][0].losses


@several
def test_the_first_ctrl_c_asks_for_what_there_is():
    long = [[replace(job, config=replace(TINY, steps=10_000)) for job in lane] for lane in lanes("pass", "pass")]
    runs = train_lanes(long, interrupting(f"step {EVERY} of"))
    assert all(stop is not None and 0 < stop < 10_000 for stop in stops(runs))
    assert all(run.scores.generated is not None for lane in runs for run in lane)
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@several
def test_ctrl_c_when_all_is_done_is_an_interruption_all_the_same():
    runs = train_lanes(lanes("pass", "pass"), interrupting(f"lane 1: step {TINY.steps} of"))
    assert any(stop is not None for stop in stops(runs))


def test_ctrl_c_while_processes_start_is_not_lost():
    with count_presses() as presses:
        with prepare_children():
            signal.raise_signal(signal.SIGINT)
            assert not presses.asked
        assert presses.asked


@several
def test_ctrl_c_before_the_processes_are_there_stops_them(monkeypatch: pytest.MonkeyPatch):
    real = side_by_side.Presses

    def asked() -> side_by_side.Presses:
        presses = real()
        presses()
        return presses

    monkeypatch.setattr(side_by_side, "Presses", asked)
    assert stops(train_lanes(lanes("pass", "pass"), lambda _: None)) == [1, 1]


def test_the_second_ctrl_c_ends_what_does_not_listen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(side_by_side, "available_cores", lambda: 2)

    def twice(_: str) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train_lanes(lanes("pass", "while True: pass"), twice)
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_ctrl_c_is_ignored_it_is_ignored_in_training_too():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with count_presses() as presses:
        signal.raise_signal(signal.SIGINT)
    assert not presses.asked
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
def test_a_blocked_ctrl_c_stays_blocked_after_processes_have_started():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with prepare_children():
            pass
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_what_a_model_prints_in_a_process_is_kept_from_standard_output(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(side_by_side, "available_cores", lambda: 2)
    train_lanes(lanes("print('noise')", "pass"), lambda _: None)
    out, err = capfd.readouterr()
    assert out == ""
    assert "noise" in err


def test_a_process_that_ends_before_its_time_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(side_by_side, "available_cores", lambda: 2)
    with pytest.raises(RunFailed, match="ended before its time"):
        train_lanes(lanes("pass", "import os; os._exit(3)"), lambda _: None)
    assert multiprocessing.active_children() == []
