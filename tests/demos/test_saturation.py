from __future__ import annotations

import numpy as np
import pytest

from attention_lab.demos.saturation import entropy, softmax_gradient
from attention_lab.errors import BadInput, TooLarge
from attention_lab.variants import healthy

NO_SCALE = ("scores = scores / query.shape[-1] ** 0.5  # scale", "pass")
SMALL = {"queries": 200, "keys": 16}


@pytest.fixture(scope="module")
def recipe():
    """D4's draws as the document makes them, one turn after the other."""
    rng = np.random.default_rng(7)
    rng.standard_normal((12, 64))
    for _ in range(3):
        rng.standard_normal((64, 16))
    turns = [(rng.standard_normal(64), rng.standard_normal((32, 64))) for _ in range(2000)]
    return np.array([keys @ query for query, keys in turns])


def test_the_digits_of_d4(run_demo):
    raw, scaled, even = run_demo("saturation")["certainty"].rows
    assert [f"{number:.3f}" for number in raw[1:3]] == ["0.820", "0.491"]
    assert [f"{number:.3f}" for number in scaled[1:3]] == ["0.165", "3.015"]
    assert f"{even[2]:.2f}" == "3.47"
    assert "ln 32 = 3.47" in run_demo("saturation")["one-has-the-say"].measured


def test_the_draws_are_those_of_the_recipe(run_demo, recipe):
    raw = run_demo("saturation")["certainty"].rows[0]
    assert raw[1] == pytest.approx(healthy().softmax(recipe).max(axis=-1).mean(), rel=1e-12)
    assert run_demo("saturation")["too-large"].value == pytest.approx(recipe.std(), rel=1e-12)


def test_the_gradient_is_the_trace_of_the_jacobian(recipe):
    scores = recipe[:50]
    weights = healthy().softmax(scores)
    np.testing.assert_allclose(softmax_gradient(healthy(), scores), 1 - (weights**2).sum(axis=-1), rtol=0, atol=1e-8)


def test_entropy_at_both_ends():
    assert entropy(np.array([0.0, 1.0, 0.0])) == 0
    assert entropy(np.full(8, 1 / 8)) == pytest.approx(np.log(8))


def test_what_holds(run_demo, verdicts):
    """A certain row is dead, but at d_k 64 the average is not: the demo must say both."""
    held = verdicts(run_demo("saturation"))
    assert held == {
        "too-large": True,
        "one-has-the-say": True,
        "certain-is-dead": True,
        "all-dead": False,
        "stable": True,
    }


def test_sizes_of_ones_own(run_demo, verdicts):
    assert verdicts(run_demo("saturation", d_k=16384, queries=20, keys=8))["all-dead"]
    few = run_demo("saturation", d_k=1, **SMALL)
    assert not verdicts(few)["one-has-the-say"]
    assert few["certain-is-dead"].holds is None
    assert "cannot show it" in few["certain-is-dead"].measured


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (*NO_SCALE, "too-large"),
        (*NO_SCALE, "one-has-the-say"),
        ("exponentials = np.exp(logits", "exponentials = 1 + np.abs(logits", "one-has-the-say"),
        ("return exponentials / exponentials.sum(axis=-1, keepdims=True)", "return logits", "certain-is-dead"),
    ],
)
def test_a_broken_model_turns_a_verdict(run_demo, verdicts, patched, old, new, turned):
    assert not verdicts(run_demo("saturation", patched(old, new)))[turned]


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_without_the_maximum_huge_scores_are_no_numbers(run_demo, patched):
    told = run_demo(
        "saturation", patched("np.exp(logits - logits.max(axis=-1, keepdims=True))", "np.exp(logits)"), **SMALL
    )["stable"]
    assert told.holds is False
    assert "some weights are no numbers" in told.measured


def test_without_the_scale_both_rows_are_the_same(run_demo, patched):
    raw, scaled, _ = run_demo("saturation", patched(*NO_SCALE), **SMALL)["certainty"].rows
    assert raw[1:] == pytest.approx(scaled[1:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d_k": 0}, "--d-k is 0. It must be at least 1"),
        ({"keys": 1}, "--keys is 1. It must be at least 2"),
        ({"keys": 129}, "--keys is 129. It must be at least 2 and at most 128"),
        ({"queries": 0}, "--queries is 0"),
    ],
)
def test_nonsense_is_refused(run_demo, options, message):
    with pytest.raises(BadInput, match=message):
        run_demo("saturation", **options)


def test_more_than_fits_is_refused(run_demo, monkeypatch):
    with pytest.raises(BadInput, match=r"--queries is 1000000000\. It must be at least 1 and at most 1000000"):
        run_demo("saturation", queries=10**9)
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000_000)
    with pytest.raises(TooLarge, match="--queries 1000000 with --keys 32 and --d-k 64 needs"):
        run_demo("saturation", queries=10**6)
