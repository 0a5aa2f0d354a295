from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput, TooLarge

ZERO = ("np.where(checked(mask), scores, -np.inf)", "np.where(checked(mask), scores, 0)")
SOFTMAX = ("return exponentials / exponentials.sum(axis=-1, keepdims=True)",)
UNCHECKED = ("np.where(checked(mask), scores, -np.inf)", "np.where(mask, scores, -np.inf)")


def ways(result, table: str = "ways") -> dict[str, tuple]:
    return {name: numbers for name, *numbers in result[table].rows}


def test_who_leaks(run_demo):
    rows = ways(run_demo("masking"))
    assert {name for name, numbers in rows.items() if numbers[0] > 0} == {"no mask", "score = 0", "score × mask"}
    assert rows["score = 0"] == rows["score × mask"]


def test_which_rows_still_sum_to_one(run_demo):
    rows = ways(run_demo("masking"))
    for name, (_, least, _) in rows.items():
        assert least == pytest.approx(0.374 if name == "weight × mask" else 1, abs=5e-4), name


def test_the_model_is_the_case_of_minus_infinity(run_demo):
    rows = ways(run_demo("masking"))
    assert rows["the model"] == rows["score = −∞"]


def test_hard_rows(run_demo):
    rows = ways(run_demo("masking"), "hard-rows")
    raised = {name: number for name, (number, _) in rows.items()}
    no_key = {name: number for name, (_, number) in rows.items()}
    assert raised["score = −∞"] == raised["score = −1e9"] == 0
    assert raised["weight × mask, ÷ sum"] == "not a number"
    assert no_key["score = −∞"] == no_key["weight × mask, ÷ sum"] == "not a number"
    assert no_key["score = −1e9"] == no_key["score = 0"] == pytest.approx(1)
    assert no_key["weight × mask"] == 0


def test_the_picture_shows_what_leaks(run_demo):
    leak = np.array(run_demo("masking", tokens=5)["leak"].values)
    assert leak.shape == (5, 5)
    assert np.all(leak[np.triu_indices(5, k=1)] > 0)
    assert np.array(run_demo("masking", tokens=9)["leak"].values).shape == (8, 8)


def test_float16_cannot_hold_the_fill(run_demo):
    assert "In float16 it is stored as −∞" in run_demo("masking")["minus-1e9"].measured


@pytest.mark.parametrize("options", [{}, {"tokens": 3}, {"tokens": 100}, {"seed": 1}, {"seed": 2}])
def test_everything_holds(run_demo, verdicts, options):
    held = verdicts(run_demo("masking", **options))
    assert len(held) == 5
    assert all(held.values())


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (*ZERO, "model"),
        ("checked(mask), scores, -np.inf)", "checked(mask), scores, -1e4)", "model"),
        ("weights = softmax(scores)  # normalise", "weights = softmax(scores) + 1e-9", "model"),
        (*SOFTMAX, "return np.where(logits == 0, 0, exponentials)", "zero-leaks"),
        (*SOFTMAX, "return exponentials", "zeroed-afterwards"),
        (*SOFTMAX, "return 1 / (1 + np.abs(logits))", "minus-1e9"),
        (*UNCHECKED, "no-key"),
    ],
)
def test_a_broken_model_turns_a_verdict(run_demo, verdicts, patched, old, new, turned):
    assert not verdicts(run_demo("masking", patched(old, new)))[turned]


def test_a_model_that_never_refuses_is_quoted_as_going_on(run_demo, patched):
    assert "It went on" in run_demo("masking", patched(*UNCHECKED))["no-key"].measured


def test_nonsense_is_refused(run_demo, monkeypatch):
    with pytest.raises(BadInput, match=r"--tokens is 2\. It must be at least 3"):
        run_demo("masking", tokens=2)
    with pytest.raises(BadInput, match=r"--tokens is 10000000\. It must be at least 3 and at most 4096"):
        run_demo("masking", tokens=10**7)
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000_000)
    with pytest.raises(TooLarge, match="--tokens 4096 needs"):
        run_demo("masking", tokens=4096)
