from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput, TooLarge

SMALL = {"d_model": 24, "heads": 3, "text": "a handful of short words"}
SPLIT = "return np.swapaxes(x.reshape(*batch, T, h, d_model // h), -2, -3)"


def test_the_shapes_of_d3(run_demo):
    shapes = [row[1:] for row in run_demo("heads")["shapes"].rows]
    assert shapes == [
        ("[B, T, d_model]", "[1, 6, 512]"),
        ("[B, T, d_model]", "[1, 6, 512]"),
        ("[B, h, T, d_k]", "[1, 8, 6, 64]"),
        ("[B, h, Tq, Tk]", "[1, 8, 6, 6]"),
        ("[B, h, T, d_k]", "[1, 8, 6, 64]"),
        ("[B, T, d_model]", "[1, 6, 512]"),
        ("[B, T, d_model]", "[1, 6, 512]"),
    ]


def test_the_bill_is_the_same_for_one_head_and_eight(run_demo):
    one, eight = run_demo("heads")["bill"].rows
    assert one == (1, 512, 4 * 512**2, 6 * 4 * 512**2 + 2 * 6 * 6 * 512, 36)
    assert eight == (8, 64, 4 * 512**2, 6 * 4 * 512**2 + 2 * 6 * 6 * 512, 8 * 36)


def test_one_row_for_each_head_agrees_with_its_map(run_demo):
    result = run_demo("heads", **SMALL)
    assert result["last-word"].rows == ("head 1", "head 2", "head 3")
    assert result["last-word"].columns == tuple(SMALL["text"].split())
    assert result["last-word"].values[0] == result["head-1"].values[-1]
    assert np.array(result["last-word"].values).sum(axis=-1) == pytest.approx(np.ones(3))


def test_what_holds_and_what_does_not(run_demo, verdicts):
    result = run_demo("heads")
    held = verdicts(result)
    assert held.pop("own-features") is False
    assert len(held) == 5
    assert all(held.values())
    assert "64 of 512 columns change 1 of 8 heads" in result["own-columns"].measured
    assert "64 of 512 features change 8 of 8 heads" in result["own-features"].measured
    assert "64 of 512 features before W_O and 512 after" in result["w-o-mixes"].measured


def test_more_heads_than_fit_a_picture(run_demo):
    result = run_demo("heads", d_model=64, heads=32)
    assert len(result["last-word"].rows) == 12


def test_with_one_head_its_slice_is_everything(run_demo, verdicts):
    assert all(verdicts(run_demo("heads", d_model=8, heads=1, text="alone")).values())


VALUE = "value = split_heads(source @ w_value, h)\n    heads, _ = attention(query, key, value, mask)\n    return"
OUT = "return merge_heads(heads) @ w_out\n\n\n# ---- the rest"


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (SPLIT, "return x.reshape(*batch, h, T, d_model // h)", {"own-columns", "own-features", "w-o-mixes"}),
        (SPLIT, "return x[..., np.newaxis, :, :]", {"more-maps"}),
        (
            VALUE + " merge_heads(heads) @",
            VALUE.replace("source @ w_value", "np.tile(source @ w_value, h)").replace("    ", "")
            + " merge_heads(heads)[..., : len(w_out)] @",
            {"no-wider", "same-work", "own-columns", "own-features", "w-o-mixes"},
        ),
        (OUT, OUT.replace(" @ w_out", ""), {"own-features", "w-o-mixes"}),
        (
            OUT,
            OUT.replace("(heads) @ w_out", "(np.tile(heads, 2)) @ np.concatenate([w_out, w_out])"),
            {"no-wider", "own-features", "w-o-mixes"},
        ),
    ],
    ids=["reshaped", "never-split", "values-repeated", "no-w-o", "wider"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    held = verdicts(run_demo("heads", patched(old, new), **SMALL))
    assert {name for name, holds in held.items() if not holds} == turned


def test_weights_that_are_no_maps_are_told_and_not_drawn(run_demo, patched):
    over_heads = patched(
        "heads, _ = attention(query, key, value, mask)\n    return merge_heads(heads) @ w_out\n\n\n# ----",
        "heads, _ = attention(*(np.swapaxes(x, -2, -3) for x in (query, key, value)))\n"
        "return merge_heads(np.swapaxes(heads, -2, -3)) @ w_out\n\n\n# ----",
    )
    result = run_demo("heads", over_heads, **SMALL)
    assert "shape [1, 5, 3, 3]" in result["no-maps"].text


def test_too_many_heads_for_the_width(run_demo):
    with pytest.raises(BadInput, match="d_model = 512 does not divide into 7 heads"):
        run_demo("heads", heads=7)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"heads": 0}, "--heads is 0"),
        ({"d_model": 0}, "--d-model is 0"),
        ({"d_model": 5000}, "--d-model is 5000"),
        ({"text": ""}, "has 0 words"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("heads", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(TooLarge, match="--d-model 512 needs"):
        run_demo("heads")
