from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput

FORCED = "return target[:, :-1], target[:, 1:]"
SHIFTED = "shifted = logits - logits.max(axis=-1, keepdims=True)"
LOGARITHM = "log_probabilities = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))"
MEAN = ".sum(axis=-1) * real).sum() / real.sum()"


@pytest.mark.parametrize("seed", range(4))
def test_everything_holds(run_demo, verdicts, seed):
    held = verdicts(run_demo("loss", seed=seed))
    assert list(held) == ["next-token", "scale", "copying", "padding", "huge"]
    assert all(held.values())


def test_the_batch_of_d3(run_demo):
    rows = {row[0]: row[1:] for row in run_demo("loss")["batch"].rows}
    assert rows == {
        "target": ("1 8 9 2 0", "1 10 11 12 2"),
        "decoder reads": ("1 8 9 2", "1 10 11 12"),
        "labels": ("8 9 2 0", "10 11 12 2"),
    }


def test_what_five_models_are_charged(run_demo):
    costs = dict(run_demo("loss")["costs"].rows)
    assert costs["knows nothing"] == pytest.approx(np.log(16))
    assert costs["sure and right"] == pytest.approx(0, abs=1e-9)
    assert costs["sure and wrong"] == costs["repeats what it reads"] == pytest.approx(50)
    assert 0 < costs["untrained"] < 10


@pytest.mark.parametrize(
    ("patch", "turned"),
    [
        ((FORCED, "return target[:, :-1], target[:, :-1]"), {"next-token", "copying"}),
        ((FORCED, "return target[:, :-2], target[:, 2:]"), {"next-token"}),
        ((SHIFTED, f"logits = softmax(logits)\n{SHIFTED}"), {"scale", "huge"}),
        (("real = (labels != pad)", "real = (labels != -1)"), {"padding"}),
        ((MEAN, ".sum(axis=-1) * real).sum() / real.size"), {"scale", "huge"}),
        ((MEAN, ".sum(axis=-1) * real).sum()"), {"scale", "huge"}),
        ((LOGARITHM, "log_probabilities = np.log(softmax(logits))"), {"huge"}),
        ((LOGARITHM, "log_probabilities = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))"), {"huge"}),
        ((LOGARITHM, "log_probabilities = np.log(softmax(logits) + 1e-9)"), {"scale", "huge"}),
    ],
    ids=[
        "not-shifted",
        "shifted-twice",
        "of-probabilities",
        "padding-counted",
        "mean-over-all",
        "summed",
        "log-of-softmax",
        "without-maximum",
        "epsilon",
    ],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, patch, turned):
    held = verdicts(run_demo("loss", patched(*patch)))
    assert {name for name, holds in held.items() if not holds} == turned


def test_a_label_too_few_is_said_in_a_sentence(run_demo, patched):
    with pytest.raises(BadInput, match="cannot run"):
        run_demo("loss", patched(FORCED, "return target, target[:, 1:]"))
