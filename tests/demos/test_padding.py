from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput

NORMALISE = "weights = softmax(scores)  # normalise"
MASK = "scores = np.where(checked(mask), scores, -np.inf)  # mask"


def cells(part):
    return {row[0]: row[1:] for row in part.rows}


def test_the_three_masks_of_d3(run_demo):
    masks = cells(run_demo("padding")["masks"])
    assert masks["key padding"] == ("[B, 1, 1, S]", "[2, 1, 1, 5]", 5 + 3)
    assert masks["causal"] == ("[1, 1, T, T]", "[1, 1, 5, 5]", 15)
    assert masks["decoder"] == ("[B, 1, T, T]", "[2, 1, 5, 5]", 15 + (1 + 2 + 3 + 3 + 3))


def test_the_decoder_map_hides_future_and_padding(run_demo):
    shown = run_demo("padding")["decoder-weights"]
    assert shown.rows == shown.columns == ("it", "sat", "down", "<pad>", "<pad>")
    future_or_padding = np.triu(np.ones((5, 5), dtype=bool), k=1) | (np.arange(5) >= 3)
    assert np.array_equal(shown.hidden, future_or_padding)


def test_each_way_to_hide_padding(run_demo):
    ways = cells(run_demo("padding")["ways"])
    on_padding = {way: leaked for way, (leaked, _) in ways.items()}
    total = {way: summed for way, (_, summed) in ways.items()}
    assert on_padding["no mask"] > 0.1
    assert on_padding["wrong axis, queries that are words"] > 0.1
    assert on_padding["key padding"] == on_padding["zeroed after softmax"] == 0
    assert on_padding["True taken for blocked"] == pytest.approx(1)
    assert total.pop("zeroed after softmax") == pytest.approx(1 - on_padding["no mask"])
    assert list(total.values()) == pytest.approx([1] * 5)


def test_the_model_s_own_words_are_quoted(run_demo):
    result = run_demo("padding")
    assert "may attend to nothing" in result["only-padding"].measured
    assert "are refused" in result["wrong-axis"].measured


@pytest.mark.parametrize("text", [("a b c", "a"), ("one two", "one two three four", "five"), ("w " * 64, "x y")])
@pytest.mark.parametrize("seed", [0, 1])
def test_everything_holds(run_demo, verdicts, text, seed):
    held = verdicts(run_demo("padding", text=text, seed=seed))
    assert len(held) == 7
    assert all(held.values())


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (MASK, "pass", {"both", "wrong-axis", "only-padding", "opposite", "alone", "padded-queries"}),
        (MASK, "scores = np.where(mask, scores, -1e9)", {"wrong-axis", "only-padding"}),
        (
            MASK,
            "scores = np.where(checked(mask), scores, 0)",
            {"both", "opposite", "alone", "padded-queries"},
        ),
        ("causal_mask(ids.shape[-1]) & padding_mask", "causal_mask(ids.shape[-1]) | padding_mask", {"both"}),
        ("encoder_layer(x, layer, h, padding_mask(source, pad))", "encoder_layer(x, layer, h)", {"alone"}),
        ("h=h, mask=memory_mask)", "h=h)", {"alone"}),
        (
            NORMALISE,
            "weights = np.eye(scores.shape[-1])[0] + 0 * softmax(scores)",
            {"wrong-axis", "zeroed", "opposite"},
        ),
        ("(labels != pad)", "(labels >= pad)", {"padded-queries"}),
    ],
    ids=["ignored", "finite", "zero", "or", "encoder", "memory", "first-key", "pad-counted"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    held = verdicts(run_demo("padding", patched(old, new)))
    assert {name for name, holds in held.items() if not holds} == turned


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (
            "np.tril(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq)",
            "np.triu(np.ones((Tq, Tk), dtype=bool))",
            {"both", "alone"},
        ),
        ("ids != pad", "ids == pad", {"both", "only-padding", "alone", "padded-queries"}),
        ("/ exponentials.sum(axis=-1, keepdims=True)", "/ exponentials.sum(axis=-1)", {"maps"}),
    ],
    ids=["flip", "inverted", "keepdims"],
)
def test_a_refusal_is_shown_as_a_statement_that_does_not_hold(run_demo, verdicts, patched, old, new, turned):
    held = verdicts(run_demo("padding", patched(old, new)))
    assert {name for name, holds in held.items() if not holds} == turned


def test_a_flipped_mask_is_drawn_with_its_empty_rows(run_demo, patched):
    flip = patched("np.tril(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq)", "np.triu(np.ones((Tq, Tk), dtype=bool))")
    assert [sum(row) for row in run_demo("padding", flip)["decoder-mask"].values] == [3, 2, 1, 0, 0]


def test_a_model_that_means_the_opposite_says_so(run_demo, verdicts, patched):
    result = run_demo("padding", patched(MASK, "scores = np.where(mask, -1e9, scores)"))
    assert cells(result["conventions"])["attention, this model"] == ("blocked",)
    assert not verdicts(result)["opposite"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (("one two", "three four"), "Every --text has 2 words, so nothing is padded"),
        (("just one",), "The only --text has 2 words, so nothing is padded"),
        (("", "a b"), "has 0 words"),
        ((), "--text has no value"),
        (("a", "b " * 65), "65 words"),
    ],
)
def test_bad_input(run_demo, text, says):
    with pytest.raises(BadInput, match=says):
        run_demo("padding", text=text)
