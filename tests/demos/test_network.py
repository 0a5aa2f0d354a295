from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput, TooLarge

SMALL = {"text": "a b c a", "layers": 2, "d_model": 16, "vocabulary": 7}
BLOCK = "x = pre_norm_block(x, layer, h, causal_mask(T))"
LOGITS = 'x = pre_norm_block(x, layer, h, causal_mask(T))\n    return x @ weights["embedding"].T'


def test_every_step_and_its_shape(run_demo):
    steps = run_demo("network")["steps"].rows
    assert [(row[0], row[1]) for row in steps] == [
        ("ids", "[1, 12]"),
        ("embedding", "[1, 12, 64]"),
        ("+ positions", "[1, 12, 64]"),
        *((f"block {i}", "[1, 12, 64]") for i in range(1, 7)),
        ("logits", "[1, 12, 1000]"),
        ("next word", "[1, 12, 1000]"),
    ]


def test_sizes_of_a_token(run_demo):
    for name, _, norm, std in run_demo("network")["steps"].rows[1:-2]:
        assert norm == pytest.approx(std * 64**0.5, rel=0.05), name  # the mean of a token is near 0


def test_the_count_of_d2_s_statement(run_demo):
    result = run_demo("network")
    counts = {row[0]: row[1] for row in result["parameters"].rows}
    d, layers = 64, 6
    assert counts == {
        "embedding, in and out": 1000 * d,
        "positions": 12 * d,
        "W_Q, W_K, W_V": layers * 3 * d * d,
        "W_O": layers * d * d,
        "feed-forward": layers * (2 * d * 4 * d + 4 * d + d),
        "norms": layers * 2 * 2 * d,
    }
    assert sum(row[2] for row in result["parameters"].rows) == pytest.approx(100)
    assert all(row[3] > 0.01 for row in result["parameters"].rows)
    assert result["only-projections"].holds is False
    assert result["only-projections"].value == pytest.approx(0.203, abs=5e-4)
    assert "73,728 of 363,136 parameters, 20.3 %" in result["only-projections"].measured


def test_untrained_is_undecided_only_with_a_small_embedding(run_demo):
    result = run_demo("network")
    assert result["undecided"].holds is False
    assert result["small-start"].holds is True
    assert result["undecided"].value < 0.8 * np.log(1000) < result["small-start"].value < np.log(1000)


@pytest.mark.parametrize("text", ["one", "a b", "so it is what it is"])
@pytest.mark.parametrize("seed", [0, 1])
def test_what_holds(run_demo, verdicts, text, seed):
    held = verdicts(run_demo("network", text=text, seed=seed))
    assert [name for name, holds in held.items() if holds] == ["same-shape", "no-peeking", "small-start"]


def test_nudging_leaves_the_network_as_it_was(run_demo):
    assert run_demo("network", **SMALL) == run_demo("network", **SMALL)


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (BLOCK, "x = pre_norm_block(x, layer, h, None)", {"no-peeking"}),
        (BLOCK, BLOCK.replace("x = ", "x = 0.01 * "), {"undecided"}),
        (BLOCK, BLOCK.replace("x = ", "x = 100 * "), {"small-start"}),
        (BLOCK, "x = pre_norm_block(x[:, :3], layer, h, causal_mask(3))", {"same-shape"}),
    ],
    ids=["no-mask", "small-logits", "large-logits", "tokens-lost"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    healthy = verdicts(run_demo("network"))
    held = verdicts(run_demo("network", patched(old, new)))
    assert {name for name in held if held[name] != healthy[name]} >= turned


def test_a_model_that_reads_its_projections_only_makes_d2_right(run_demo, patched):
    only = (
        "total = sum(w.sum() for layer in weights['blocks'] for n, w in layer['attention'].items() if n != 'w_out')\n"
        "for layer in weights['blocks']:\n"
        "    pre_norm_block(x, layer, h, causal_mask(T))\n"
        "return np.zeros((1, T, len(weights['embedding']))) + total"
    )
    old = 'for layer in weights["blocks"]:\n        ' + LOGITS
    assert run_demo("network", patched(old, only))["only-projections"].holds is True


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"vocabulary": 10}, "--vocabulary is 10. The sentence alone has 11 words"),
        ({"d_model": 20}, "d_model = 20 does not divide into 8 heads"),
        ({"layers": 0}, "--layers is 0"),
        ({"text": ""}, "has 0 words"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("network", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(TooLarge, match="--vocabulary 1000 needs"):
        run_demo("network")
