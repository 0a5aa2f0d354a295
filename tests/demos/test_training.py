from __future__ import annotations

import numpy as np
import pytest

from attention_lab.breaks import BREAKS
from attention_lab.errors import BadInput
from attention_lab.result import Series, Table
from attention_lab.variants import Model, healthy, module_copy

BREAK = {one.name: one for one in BREAKS}


def turned(held: dict[str, bool | None]) -> set[str]:
    return {name for name, holds in held.items() if not holds}


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(4))
def test_everything_holds(run_demo, verdicts, seed: int):
    held = verdicts(run_demo("training", seed=seed))
    assert list(held) == ["shifted", "shape", "unseen", "padding", "one-step", "by-heart"]
    assert all(held.values())


def test_the_documents_batch(run_demo):
    result = run_demo("training", steps=60)
    assert isinstance(result["labels"], Table)
    assert result["labels"].rows == (
        ("3 4 EOS PAD", "BOS 8 9 EOS", "8 9 EOS PAD"),
        ("5 6 7 EOS", "BOS 10 11 12", "10 11 12 EOS"),
    )
    assert "[2, 4, 16]" in result["shape"].measured
    assert "7 of 8 places" in result["padding"].measured
    assert "rate of 0.001" in result["one-step"].measured
    written = [row[3] for row in result["written"].rows]
    assert written == [row[1] for row in result["written"].rows] == ["8 9 EOS", "10 11 12 EOS"]


def test_the_curve_starts_before_the_first_step(run_demo):
    curve = run_demo("training", steps=5)["loss"]
    assert isinstance(curve, Series)
    assert curve.x == tuple(range(6))
    assert np.all(np.diff(curve.lines[0].values) < 0)


def test_too_few_steps_are_not_enough(run_demo, verdicts):
    assert turned(verdicts(run_demo("training", steps=2))) == {"by-heart"}


def test_a_rate_that_is_far_too_large_raises_the_loss(run_demo, verdicts):
    assert "one-step" in turned(verdicts(run_demo("training", steps=2, rate=1.0)))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mask-flip", {"unseen", "by-heart"}),
        ("mask-zero", {"unseen"}),
        ("padding-counted", {"padding"}),
        ("labels-not-shifted", {"shifted", "by-heart"}),
    ],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, name: str, expected: set[str]):
    assert turned(verdicts(run_demo("training", BREAK[name].load()))) == expected


def test_logits_of_another_shape_are_seen(run_demo, verdicts, patched):
    model = patched("x = embed(target, weights[", "return np.zeros((*target.shape, 15))\nx = embed(target, weights[")
    assert "shape" in turned(verdicts(run_demo("training", model, steps=1)))


def test_a_loss_that_is_no_number_ends_the_run(run_demo, verdicts, patched):
    result = run_demo("training", patched("real.sum()\n", "(0 * real.sum())\n"))
    assert result["loss"].x == (0,)
    assert {"one-step", "by-heart"} <= turned(verdicts(result))


def test_a_model_without_a_text_is_refused(run_demo):
    twin: Model = module_copy(healthy())
    with pytest.raises(BadInput, match="no text to train"):
        run_demo("training", twin)


@pytest.mark.parametrize(("option", "value"), [("steps", 0), ("rate", 0.0), ("rate", 2.0), ("seed", -1)])
def test_bad_options_are_named(run_demo, option: str, value: float):
    with pytest.raises(BadInput, match=f"--{option}"):
        run_demo("training", **{option: value})
