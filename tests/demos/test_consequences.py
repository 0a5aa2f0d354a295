from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attention_lab.demos import consequences
from attention_lab.demos.consequences import HEALTHY, NARROW, TRIALS, WIDE, Trial
from attention_lab.result import Note, Result
from attention_lab.train.run import Scores, TrainingRun
from attention_lab.train.side_by_side import Job
from attention_lab.variants import healthy, load, own_source, source

Came = dict[Trial, tuple[float, float | None]]  # teacher-forced accuracy, generated accuracy
AS_MEASURED: Came = {
    Trial(HEALTHY, WIDE): (0.98, 0.96),
    Trial("no-scale", WIDE): (0.21, 0.22),
    Trial(HEALTHY, NARROW): (0.97, 0.95),
    Trial("mask-zero", NARROW): (0.98, 0.45),
    Trial("mask-flip", NARROW): (0.92, 0.34),
    Trial("no-position", NARROW): (0.44, 0.25),
    Trial("no-scale", NARROW): (0.9, 0.87),
}
VERDICTS = {
    "future-read": True,
    "zero-for-mask": True,
    "no-order": True,
    "scale-wide": True,
    "scale-narrow": False,
}


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train in this process."""
    monkeypatch.setattr("attention_lab.train.side_by_side.available_cores", lambda: 1)


@pytest.fixture(scope="module")
def default(shared_training) -> Result:
    with shared_training():
        return consequences.run(healthy())


@pytest.fixture
def coming_to(monkeypatch: pytest.MonkeyPatch) -> Callable[[Came], None]:
    """Runs that are not trained, and come to these shares."""

    def fake(came: Came) -> None:
        def run_of(trial: Trial, job: Job) -> TrainingRun:
            accuracy, generated = came[trial]
            scores = Scores(1.0, accuracy, generated, None)
            return TrainingRun(job.task, job.config, (2.0, 1.0), (1.0, 1.0), (0.1, accuracy), scores, {})

        def trained(jobs: dict[Trial, Job], _: object) -> dict[Trial, TrainingRun]:
            return {trial: run_of(trial, job) for trial, job in jobs.items()}

        monkeypatch.setattr(consequences, "train_trials", trained)

    return fake


def test_what_holds_and_what_does_not(default: Result, verdicts):
    assert verdicts(default) == VERDICTS
    rows = {(row[0], row[1]): row[3:] for row in default["runs"].rows}
    assert list(rows) == [(trial.fault or "healthy", consequences.head_width(trial.sizes)) for trial in TRIALS]
    accuracy, generated = rows["mask-flip", 8]
    assert accuracy > 0.85
    assert generated < 0.5


@pytest.mark.parametrize(
    ("trial", "came", "turned"),
    [
        (Trial("mask-flip", NARROW), (0.92, 0.9), {"future-read"}),
        (Trial("mask-flip", NARROW), (0.5, 0.3), {"future-read"}),
        (Trial("mask-zero", NARROW), (0.98, 0.97), {"zero-for-mask"}),
        (Trial("mask-zero", NARROW), (0.98, None), {"zero-for-mask"}),
        (Trial("no-position", NARROW), (0.9, 0.9), {"no-order"}),
        (Trial("no-scale", WIDE), (0.9, 0.9), {"scale-wide"}),
        (Trial("no-scale", NARROW), (0.2, 0.2), {"scale-narrow"}),
        (Trial(HEALTHY, WIDE), (0.5, 0.5), {"scale-wide"}),
        (Trial(HEALTHY, NARROW), (0.5, 0.5), {"future-read", "zero-for-mask", "no-order"}),
    ],
)
def test_each_verdict_turns_with_what_the_runs_came_to(run_demo, verdicts, coming_to, trial, came, turned):
    coming_to(AS_MEASURED)
    before = verdicts(run_demo("consequences"))
    assert before == VERDICTS
    coming_to(AS_MEASURED | {trial: came})
    after = verdicts(run_demo("consequences"))
    assert {name for name in before if before[name] != after[name]} == turned


def left_out(result: Result) -> str:
    return next((part.text for part in result.parts if isinstance(part, Note) and part.name == "left-out"), "")


def test_a_fault_that_is_there_already_is_left_out_and_nothing_is_said_to_hold(run_demo, verdicts, coming_to):
    coming_to(AS_MEASURED)
    flip = consequences.BREAK["mask-flip"]
    result = run_demo("consequences", load(*flip))
    assert left_out(result) == "This model has not the lines to be changed for: mask-flip, d_k 8."
    assert verdicts(result) == VERDICTS | {"future-read": False}
    assert "reads its own: no run and no run;" in result["future-read"].measured
    assert not left_out(run_demo("consequences"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def attention(query, key, value, mask=None):\n    return value, None\n", {"no-scale", "mask-zero"}),
        ("def embed(ids, table):\n    return table[ids]\n", {"no-position"}),
        ("def embed(ids, table):\n    ...\n\ndef softmax(x):\n    return x\n", set()),
    ],
    ids=["attention", "embed", "not-yet-written"],
)
def test_ones_own_function_in_the_place_of_the_line_is_left_alone(tmp_path: Path, text: str, expected: set[str]):
    own = tmp_path / "own.py"
    own.write_text(text, encoding="utf-8")
    model = own_source(own).load("own")
    jobs = consequences.trial_jobs(model, 1, 0)
    assert {trial.fault for trial in TRIALS if trial not in jobs} == expected


def test_every_trial_but_the_healthy_one_changes_a_function():
    jobs = consequences.trial_jobs(healthy(), 1, 0)
    assert list(jobs) == list(TRIALS)
    for trial, job in jobs.items():
        assert (job.text == source()) == (trial.fault == HEALTHY)
        assert job.config.sizes == trial.sizes


def test_what_stops_a_model_is_said(run_demo, verdicts, patched, monkeypatch):
    monkeypatch.setattr(consequences, "TRIALS", (Trial(HEALTHY, NARROW), Trial("mask-flip", NARROW)))
    model = patched("return target[:, :-1], target[:, 1:]", "raise ValueError('no target')")
    result = run_demo("consequences", model, steps=1)
    assert "no target" in result["ended"].text
    assert not any(verdicts(result).values())


def test_an_interruption_ends_the_demo(monkeypatch):
    def interrupted(lanes: list[list[Job]], _: Any) -> list[list[TrainingRun]]:
        scores = Scores(1.0, 0.1, 0.1, None)
        return [
            [TrainingRun(job.task, job.config, (), (), (), scores, {}, stopped=3) for job in lane] for lane in lanes
        ]

    monkeypatch.setattr(consequences, "train_lanes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        consequences.run(healthy())


def test_it_says_how_it_goes(monkeypatch):
    monkeypatch.setattr(consequences, "TRIALS", (Trial(HEALTHY, NARROW), Trial("mask-flip", NARROW)))
    heard: list[str] = []
    consequences.run(healthy(), steps=2, progress=heard.append)
    assert any(one.startswith("healthy, d_k 8: step 1 of 2, loss ") for one in heard)
    assert any(one.startswith("mask-flip, d_k 8: step 2 of 2, loss ") for one in heard)
