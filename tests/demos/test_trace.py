from __future__ import annotations

import pytest

from attention_lab.errors import BadInput

LAYER = ["self-attention", "add, norm", "feed-forward", "add, norm"]
WITH_CROSS = ["self-attention", "add, norm", "cross-attention", "add, norm", "feed-forward", "add, norm"]


def test_every_step_of_both_towers(run_demo):
    names = [row[0] for row in run_demo("trace", layers=2)["steps"].rows]
    assert names == [
        "encoder embedding",
        "encoder × √d_model",
        "encoder + positions",
        *(f"encoder {i} {step}" for i in (1, 2) for step in LAYER),
        "decoder embedding",
        "decoder × √d_model",
        "decoder + positions",
        *(f"decoder {i} {step}" for i in (1, 2) for step in WITH_CROSS),
        "decoder logits",
    ]


def test_shapes_and_norms(run_demo):
    steps = run_demo("trace")["steps"].rows
    assert [row[1] for row in steps] == ["[1, 5, 32]"] * 7 + ["[1, 6, 32]"] * 9 + ["[1, 6, 9]"]
    normed = [row[2] for row in steps if row[0].endswith("norm")]
    assert normed == pytest.approx([32**0.5] * 5, rel=1e-4)


def test_whom_it_heard_at_each_step(run_demo):
    result = run_demo("trace")
    assert [row[5] for row in result["steps"].rows] == [0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 3, 3, 8, 8, 8, 8, 8]
    assert result["only-attention"].value == 3
    assert "Of 17 steps 3" in result["only-attention"].measured


def test_what_it_attends_to_is_a_word_that_it_may_see(run_demo):
    steps = {row[0]: row for row in run_demo("trace", token="tired")["steps"].rows}  # noqa: S106 (a word)
    attending = {name: row for name, row in steps.items() if row[3] is not None}
    assert list(attending) == ["encoder 1 self-attention", "decoder 1 self-attention", "decoder 1 cross-attention"]
    assert attending["decoder 1 self-attention"][3] in ("<bos>", "the", "tired")
    assert attending["decoder 1 self-attention"][4] >= 1 / 3
    assert attending["decoder 1 cross-attention"][3] in ("the", "tired", "animal", "sat", "down")


@pytest.mark.parametrize(
    ("token", "followed"),
    [("", "3 of 5"), ("down", "5 of 5"), ("Tired", "2 of 5"), ("1", "1 of 5"), ("5", "5 of 5")],
)
def test_which_token(run_demo, token, followed):
    assert f"Token {followed}" in run_demo("trace", token=token)["token"].text


def test_a_word_that_is_a_number_comes_before_a_place(run_demo):
    assert "Token 3 of 3" in run_demo("trace", text="we saw 2", token="2")["token"].text  # noqa: S106


@pytest.mark.parametrize(
    "options", [{"text": "alone"}, {"text": "twice twice", "layers": 3}, {"token": "the", "seed": 4}]
)
def test_everything_holds(run_demo, verdicts, options):
    held = verdicts(run_demo("trace", **options))
    assert len(held) == 5
    assert all(held.values())


def test_what_stands_up_to_a_position(run_demo):
    steps = {row[0]: row[2] for row in run_demo("trace")["steps"].rows}
    assert steps["encoder × √d_model"] == pytest.approx(steps["encoder embedding"] * 32**0.5)
    assert "the position added to that 4.00" in run_demo("trace")["why-root"].measured


def test_the_most_likely_word_is_named(run_demo):
    assert """expects "animal" most, with a probability of 0.38""" in run_demo("trace")["next-word"].text


CROSS = 'multi_head(x, memory, **layer["cross_attention"], h=h, mask=memory_mask)'
OVER_ALL = "return centred / (variance.mean() + eps) ** 0.5 * gain + bias"
NORM = "return centred / (variance + eps) ** 0.5 * gain + bias"
LOGITS = 'decoder_mask(target, pad), padding_mask(source, pad))\n    return x @ weights["embedding"].T'
MASK = "scores = np.where(checked(mask), scores, -np.inf)  # mask"


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (NORM, OVER_ALL, {"only-attention", "decoder-past-and-source"}),
        (MASK, "pass", {"decoder-past-and-source"}),
        (
            MASK,
            "scores = np.where(np.eye(*scores.shape[-2:], dtype=bool), scores, -1e9)",
            {"encoder-hears-all", "decoder-past-and-source"},
        ),
        (CROSS, "0 * x", {"decoder-past-and-source"}),
        ("tokens = table[ids] * d_model**0.5", "tokens = table[ids]", {"why-root"}),
        (
            "return tokens + sinusoidal_positions(ids.shape[-1], d_model).astype(table.dtype)",
            "return tokens",
            {"why-root"},
        ),
        (LOGITS, LOGITS.split("\n")[0] + "\nreturn x", {"same-width"}),
    ],
    ids=["norm-over-all", "no-mask", "deaf", "no-cross", "no-root", "no-positions", "no-logits"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    held = verdicts(run_demo("trace", patched(old, new)))
    assert {name for name, holds in held.items() if not holds} == turned


def test_a_model_that_refuses_its_own_masks_is_told(run_demo, verdicts, patched):
    swapped = run_demo("trace", patched(CROSS, CROSS.replace("memory_mask)", "mask)")))
    assert verdicts(swapped) == {"arrives": False}
    assert "It stops on the way: operands could not be broadcast" in swapped["arrives"].measured


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"token": "cat"}, "--token 'cat' is not in the sentence"),
        ({"token": "0"}, "--token '0' is not in the sentence"),
        ({"token": "6"}, "a number from 1 to 5"),
        ({"token": "²"}, "--token '²' is not in the sentence"),
        ({"text": ""}, "has 0 words"),
        ({"layers": 0}, "--layers is 0"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("trace", **options)
