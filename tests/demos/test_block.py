from __future__ import annotations

import numpy as np
import pytest

from attention_lab import transformer, weights
from attention_lab.demos import block
from attention_lab.errors import BadInput, TooLarge

RESIDUAL = "post-norm as in the paper\n    x = layer_norm(x + multi_head"
OUT = "return merge_heads(heads) @ w_out\n\n\n# ---- the rest"
NORM = "return centred / (variance + eps) ** 0.5 * gain + bias"


def test_one_layer_step_by_step(run_demo):
    steps = run_demo("block")["one-layer"].rows
    assert [row[0] for row in steps] == [
        "x",
        "attention",
        "into the norm",
        "norm",
        "feed-forward",
        "into the norm",
        "norm",
    ]
    assert {row[1] for row in steps} == {"[10, 64]"}
    for _, _, mean, std in (steps[3], steps[6]):
        assert (mean, std) == pytest.approx((0, 1), abs=1e-4)


def test_six_deep(run_demo, verdicts):
    result = run_demo("block")
    held = verdicts(result)
    assert held.pop("gradient-vanishes") is False  # D0's reason for residuals is not what this run measures
    assert len(held) == 6
    assert all(held.values())
    stacks = {row[0]: row[1:] for row in result["stacks"].rows}
    assert list(stacks) == ["post-norm", "pre-norm", "no residual", "no norm", "neither"]
    assert stacks["no norm"][0] > 5 > stacks["pre-norm"][0] > stacks["post-norm"][0] == pytest.approx(1, abs=1e-4)
    assert stacks["neither"][1] < 0.1 < 0.2 < stacks["no residual"][1]


def test_curves_begin_alike_and_only_without_residual_they_end_at_zero(run_demo):
    lines = {line.name: line.values for line in run_demo("block")["tokens-differ"].lines}
    assert list(lines) == ["post-norm", "pre-norm", "no residual"]
    assert {len(values) for values in lines.values()} == {7}
    assert len({values[0] for values in lines.values()}) == 1
    assert lines["no residual"][-1] == 0 < 0.1 < lines["post-norm"][-1] < lines["pre-norm"][-1]


def test_without_norms_none_is_given_a_sum(run_demo, patched):
    second = 'return layer_norm(x + feed_forward(x, **layer["feed_forward"]), **layer["norm_2"])'
    bare = patched(second, "return x")
    assert "1 of 2 norms" in run_demo("block", bare)["residual"].measured


def test_the_feed_forward_is_four_times_as_wide(run_demo):
    assert "64 → 256 → 64: with one token changed" in run_demo("block")["one-by-one"].measured


def test_the_push_measures_the_gradient():
    """Against the whole Jacobian of one layer: its mean square is that of a gradient pulled back through it."""
    rng = np.random.default_rng(3)
    T, d_model = 3, 4
    x = rng.standard_normal((T, d_model))
    layer = weights.encoder_layer(rng, d_model, 16)
    every = np.eye(T * d_model).reshape(-1, T, d_model)
    jacobian = block.directional_derivatives(transformer, "post-norm", x, [layer], every)[-1].reshape(
        T * d_model, T * d_model
    )
    gradients = rng.standard_normal((20_000, T * d_model))
    pulled_back = gradients @ jacobian.T  # row i of `jacobian` is the answer to a push of number i
    many = block.directional_derivatives(
        transformer, "post-norm", x, [layer], rng.standard_normal((20_000, T, d_model))
    )[-1]
    assert block.rms(pulled_back) == pytest.approx(block.rms(many), rel=0.02)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("d_model", [32, 64])
def test_verdicts_do_not_hang_on_the_seed(run_demo, verdicts, seed, d_model):
    held = verdicts(run_demo("block", seed=seed, d_model=d_model))
    assert [name for name, holds in held.items() if not holds] == ["gradient-vanishes"]


def test_one_layer_is_not_deep_enough(run_demo, verdicts):
    assert not verdicts(run_demo("block", layers=1))["tokens-lost"]


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (RESIDUAL, RESIDUAL.replace("x + ", ""), {"residual", "tokens-lost"}),
        (NORM, "return x * gain + bias", {"norm-per-token", "post-against-pre"}),
        ("x @ w_in + b_in, 0)", "x @ w_in + x.mean() + b_in, 0)", {"one-by-one"}),
        ("centred = x - x.mean(axis=-1", "centred = x - x.mean(axis=-2", {"norm-per-token"}),
        (OUT, OUT.replace("(heads)", "(heads)[..., :1, :]"), {"same-shape"}),
    ],
    ids=["no-residual", "no-norm", "mixes-tokens", "over-tokens", "one-token"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    held = verdicts(run_demo("block", patched(old, new)))
    assert turned <= {name for name, holds in held.items() if holds != (name != "gradient-vanishes")}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"layers": 0}, "--layers is 0"),
        ({"d_model": 2}, "--d-model is 2"),
        ({"d_model": 6}, "d_model = 6 does not divide into 4 heads"),
        ({"layers": 99}, "--layers is 99"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("block", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 100_000)
    with pytest.raises(TooLarge, match="--layers 6"):
        run_demo("block")
