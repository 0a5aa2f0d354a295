from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput

MASK = "scores = np.where(checked(mask), scores, -np.inf)  # mask"
CROSS = 'multi_head(x, memory, **layer["cross_attention"], h=h, mask=memory_mask)'


def test_four_words_into_six(run_demo):
    uses = [row[1:] for row in run_demo("patterns")["uses"].rows]
    assert uses == [
        ("source", "source", "4 × 4", 0),
        ("target", "target", "6 × 6", 15),
        ("target", "source", "6 × 4", 0),
    ]


def test_each_map_is_labelled_with_its_own_words(run_demo):
    result = run_demo("patterns", text="one two", target="drei vier fünf")
    assert (result["encoder"].rows, result["encoder"].columns) == (("one", "two"), ("one", "two"))
    assert (result["decoder"].rows, result["decoder"].columns) == (("drei", "vier", "fünf"),) * 2
    assert (result["cross"].rows, result["cross"].columns) == (("drei", "vier", "fünf"), ("one", "two"))
    assert np.array_equal(result["decoder"].hidden, np.triu(np.ones((3, 3), dtype=bool), k=1))
    assert not np.any(result["cross"].hidden)


@pytest.mark.parametrize(("text", "target"), [("a", "b"), ("same words here", "same words here"), ("x " * 9, "y y")])
@pytest.mark.parametrize("seed", [0, 1])
def test_everything_holds(run_demo, verdicts, text, target, seed):
    held = verdicts(run_demo("patterns", text=text, target=target, seed=seed))
    assert len(held) == 4
    assert all(held.values())


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ("dtype=bool), k=Tk - Tq)", "dtype=bool), k=Tk - Tq + 1)", {"decoder-no-future"}),
        (MASK, "scores = np.where(checked(mask), scores, 0)", {"decoder-no-future"}),
        (
            MASK,
            "scores = np.where(causal_mask(*scores.shape[-2:]), scores, -np.inf)",
            {"encoder-sees-all", "cross-reaches-all"},
        ),
        (CROSS, "multi_head(x, 0 * memory, **layer['cross_attention'], h=h, mask=memory_mask)", {"cross-reaches-all"}),
        ("weights = softmax(scores)", "weights = np.exp(scores)", {"row-per-query"}),
    ],
    ids=["one-ahead", "zero", "causal-everywhere", "deaf", "not-normalised"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    held = verdicts(run_demo("patterns", patched(old, new), text="a b c d e", target="f g h"))
    assert {name for name, holds in held.items() if not holds} == turned


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CROSS, "multi_head(x, x, **layer['cross_attention'], h=h)"),
        (CROSS, "multi_head(x, memory, **layer['cross_attention'], h=h, mask=mask)"),
    ],
    ids=["to-itself", "mask-of-target"],
)
def test_a_map_of_the_wrong_shape_does_not_stop_the_demo(run_demo, verdicts, patched, old, new):
    assert not verdicts(run_demo("patterns", patched(old, new)))["row-per-query"]


def test_attention_without_a_mask_is_drawn_too(run_demo, patched):
    model = patched(CROSS, "multi_head(x, memory, **layer['cross_attention'], h=h)")
    assert not np.any(run_demo("patterns", model)["cross"].hidden)


@pytest.mark.parametrize(
    ("options", "says"), [({"text": ""}, "has 0 words"), ({"target": " "}, "--target ' ' has 0 words")]
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("patterns", **options)
