from __future__ import annotations

import numpy as np
import pytest

from attention_lab.demos.order import set_distance
from attention_lab.errors import BadInput

EXPECTED = {"bag-of-words": True, "positions-tell": True, "equivariance": True, "mask-tells": False}


def test_what_d0_found(run_demo, verdicts):
    result = run_demo("order")
    assert verdicts(result) == EXPECTED
    assert [row[:3] for row in result["moved"].rows] == [("cat", 0, 2), ("ate", 1, 1), ("food", 2, 0)]
    for *_, without, with_positions in result["moved"].rows:
        assert without < 1e-12 < with_positions


@pytest.mark.parametrize(
    "text",
    ["cat food", "the dog saw the cat", "No no YES", " ".join(str(number) for number in range(64))],
    ids=["two", "repeated", "capitals", "longest"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_sentences_of_ones_own(run_demo, verdicts, text, seed):
    result = run_demo("order", text=text, seed=seed)
    assert verdicts(result) == EXPECTED
    assert len(result["moved"].rows) == len(text.split())


def test_sets_of_rows_know_neither_order_nor_repetition():
    rows = np.array([[0.0, 1.0], [2.0, 3.0]])
    assert set_distance(rows, rows[[1, 0, 1]]) == 0
    assert set_distance(rows, rows[:1]) == 2
    assert set_distance(rows[:1], rows) == 2


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (
            "return tokens + sinusoidal_positions(ids.shape[-1], d_model)",
            "return tokens + np.zeros(1)",
            "positions-tell",
        ),
        (
            "weights = softmax(scores)  # normalise",
            "weights = softmax(scores + np.arange(key.shape[-2]))",
            "bag-of-words",
        ),
        (
            "weights = softmax(scores)  # normalise",
            "weights = softmax(scores + np.arange(key.shape[-2]))",
            "equivariance",
        ),
    ],
)
def test_a_broken_model_turns_a_verdict(run_demo, verdicts, patched, old, new, turned):
    assert not verdicts(run_demo("order", patched(old, new)))[turned]


def test_without_a_mask_that_hides_positions_are_the_only_notion_of_order(run_demo, verdicts, patched):
    blind_to_masks = patched("scores = np.where(checked(mask), scores, -np.inf)  # mask", "pass")
    assert verdicts(run_demo("order", blind_to_masks))["mask-tells"]


def test_a_mask_that_the_model_refuses_leaves_the_claim_open(run_demo, patched):
    told = run_demo("order", patched("dtype=bool), k=Tk - Tq)", "dtype=bool), k=Tk - Tq - 1)"))["mask-tells"]
    assert told.holds is None
    assert "may attend to nothing" in told.measured


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has 0 words. Give at least 2 words"),
        ("cat", "has 1 word. Give at least 2 words"),
        ("ha ha", "the same forwards and backwards"),
        ("dog bites Dog", "the same forwards and backwards. Give a sentence whose order matters"),
        ("word " * 65, "has 65 words. Give at most 64"),
    ],
)
def test_sentences_without_an_order_to_lose_are_refused(run_demo, text, message):
    with pytest.raises(BadInput, match=message):
        run_demo("order", text=text)
