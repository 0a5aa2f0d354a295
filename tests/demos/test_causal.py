from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput

FLIP = ("return np.tril(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq)", "return np.triu(np.ones((Tq, Tk), dtype=bool))")
ZERO = ("np.where(checked(mask), scores, -np.inf)", "np.where(checked(mask), scores, 0)")
UNMASKED = ("scores = np.where(checked(mask), scores, -np.inf)  # mask", "pass")


def test_the_shape_of_d0(run_demo):
    masked = run_demo("causal")["masked"]
    assert (masked.rows[0], masked.rows[-1], len(masked.rows)) == ("the", "it", 5)
    weights = np.array(masked.values)
    assert weights[0].tolist() == [1, 0, 0, 0, 0]
    assert np.array_equal(weights, np.tril(weights))
    assert np.all(weights[np.tril_indices(5)] > 0)
    assert np.array_equal(masked.hidden, np.triu(np.ones((5, 5), dtype=bool), k=1))


def test_past_weights_are_the_unmasked_ones_shared_out(run_demo):
    result = run_demo("causal")
    past = np.tril(result["unmasked"].values)
    np.testing.assert_allclose(result["masked"].values, past / past.sum(axis=-1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("text", ["the fox has seen it", "Hi there", "so it is what it is", "a " * 64])
@pytest.mark.parametrize("seed", [0, 1])
def test_everything_holds(run_demo, verdicts, text, seed):
    held = verdicts(run_demo("causal", text=text, seed=seed))
    assert len(held) == 6
    assert all(held.values())


@pytest.mark.parametrize(
    ("patch", "turned"),
    [
        (FLIP, {"first-row", "future-zero", "future-silent", "shared-out", "alone"}),
        (ZERO, {"first-row", "future-zero", "future-silent", "shared-out"}),
        (("dtype=bool), k=Tk - Tq)", "dtype=bool))"), {"alone"}),
        (UNMASKED, {"first-row", "future-zero", "future-silent", "shared-out"}),
        (
            ("weights = softmax(scores)  # normalise", "weights = softmax(scores) * 1.5"),
            {"first-row", "rows-sum", "shared-out"},
        ),
    ],
    ids=["flip", "zero", "top-left", "unmasked", "sums"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, patch, turned):
    held = verdicts(run_demo("causal", patched(*patch)))
    assert {name for name, holds in held.items() if not holds} == turned


def test_a_weight_that_leaks_is_not_shown_as_hidden(run_demo, patched):
    assert not np.any(run_demo("causal", patched(*ZERO))["masked"].hidden)


def test_a_flipped_mask_shows_the_future(run_demo, patched):
    masked = run_demo("causal", patched(*FLIP))["masked"]
    assert np.array_equal(masked.hidden, np.tril(np.ones((5, 5), dtype=bool), k=-1))


def test_a_mask_that_is_refused_is_shown_with_the_reason(run_demo, verdicts, patched):
    result = run_demo("causal", patched("dtype=bool), k=Tk - Tq)", "dtype=bool), k=Tk - Tq - 1)"))
    assert verdicts(result) == {"accepted": False}
    assert "mask row [0] may attend to nothing" in result["accepted"].measured
    assert np.array_equal(result["mask"].values, np.tril(np.ones((5, 5)), k=-1))


def test_the_rows_of_d0_are_quoted(run_demo):
    assert "[1], [.29 .71], [.283 .36 .357], [.317 .267 .261 .155]" in run_demo("causal")["untrained"].text


@pytest.mark.parametrize("text", ["", "   ", "alone"])
def test_a_sentence_without_a_future_is_refused(run_demo, text):
    with pytest.raises(BadInput, match="Give at least 2 words"):
        run_demo("causal", text=text)
