from __future__ import annotations

import numpy as np
import pytest

from attention_lab.demos import recurrence
from attention_lab.errors import BadInput


def clocked(monkeypatch, *seconds: float):
    """Times in the order in which they are asked for: the loop, then attention, for each length."""
    left = iter(seconds)
    monkeypatch.setattr("attention_lab.demos.recurrence.fastest_seconds", lambda *works: [next(left) for _ in works])


def test_what_holds_and_what_does_not(run_demo, verdicts, monkeypatch):
    clocked(monkeypatch, 3, 1, 2, 1, 1, 5)
    result = run_demo("recurrence")
    assert verdicts(result) == {
        "one-step": True,
        "lossy": False,
        "depends-on-weights": True,
        "distance-free": True,
        "less-ahead": True,
    }
    assert "through 49 updates" in result["one-step"].claim
    assert "3, 2 and 0.2 times as long as attention with 50, 200 and 1000 tokens" in result["less-ahead"].measured
    assert "49 updates leave 10^-13, 0.39 and 10^5 of it" in result["lossy"].measured
    assert 0.8 < result["distance-free"].value < 1.25


@pytest.mark.parametrize("seed", range(3))
def test_small_weights_lose_token_1_and_large_ones_explode(run_demo, monkeypatch, seed):
    clocked(monkeypatch, *6 * [1])
    small, _, large, attention = run_demo("recurrence", seed=seed)["some"].rows
    assert float(small[-1].removeprefix("10^")) < -10
    assert float(large[-1].removeprefix("10^")) > 2
    assert 0.03 < float(attention[-1]) < 0.5
    assert float(attention[-1]) == pytest.approx(float(attention[1]), rel=0.7)


def test_small_weights_alone_lose_it(run_demo, verdicts, monkeypatch):
    clocked(monkeypatch, *6 * [1])
    held = verdicts(run_demo("recurrence", radius=(0.9,)))
    assert held["lossy"] is True
    assert "depends-on-weights" not in held


def test_alike_weights_turn_the_verdict_on_weights(run_demo, verdicts, monkeypatch):
    clocked(monkeypatch, *6 * [1])
    assert verdicts(run_demo("recurrence", tokens=5, radius=(1.0, 1.01)))["depends-on-weights"] is False


def test_as_much_ahead_everywhere_turns_the_verdict_on_time(run_demo, verdicts, monkeypatch):
    clocked(monkeypatch, 2, 1, 2, 1, 2, 1)
    assert verdicts(run_demo("recurrence"))["less-ahead"] is False


def test_time_is_measured(run_demo):
    rows = run_demo("recurrence", tokens=7, d_model=8)["time"].rows
    assert [row[0] for row in rows] == [7, 200, 1000]
    assert all(row[1] > 0 and row[2] > 0 for row in rows)


def test_the_curves_are_powers_of_ten_of_the_shares(run_demo, monkeypatch):
    clocked(monkeypatch, *6 * [1])
    result = run_demo("recurrence", tokens=12, d_model=8)
    shown = {row[0]: row[-1] for row in result["some"].rows}
    assert list(shown) == ["RNN 0.9", "RNN 2", "RNN 3", "attention"]
    assert [line.name for line in result["left"].lines] == ["RNN 0.9", "RNN 3", "attention"]
    for line in result["left"].lines:
        assert line.values[0] == 0
        assert recurrence.share_text(10 ** line.values[-1]) == shown[line.name]


@pytest.mark.parametrize(("share", "said"), [(0.386, "0.39"), (1.7e-13, "10^-13"), (110_162.0, "10^5"), (300, "300")])
def test_a_share_as_one_reads_it_out(share, said):
    assert recurrence.share_text(share) == said


def test_a_spectral_radius_is_what_was_asked_for():
    w = recurrence.recurrent_weights(np.random.default_rng(0), 9, 1.7)
    assert np.abs(np.linalg.eigvals(w)).max() == pytest.approx(1.7)


def test_slopes_of_the_rnn_are_those_of_nudges():
    rng = np.random.default_rng(0)
    x, w_state, w_input = rng.standard_normal((6, 3)), rng.standard_normal((3, 3)), rng.standard_normal((3, 3))
    slopes = recurrence.rnn_sensitivity(recurrence.rnn(x, w_state, w_input), w_state, w_input)
    for back in range(6):
        jacobian = []
        for column in range(3):
            nudge = np.zeros_like(x)
            nudge[5 - back, column] = 1e-6
            up, down = (recurrence.rnn(x + sign * nudge, w_state, w_input)[-1] for sign in (1, -1))
            jacobian.append((up - down) / 2e-6)
        assert slopes[back] == pytest.approx(np.linalg.norm(jacobian), rel=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (
            "weights = softmax(scores)  # normalise",
            "weights = softmax(np.where(np.arange(scores.shape[-1]) >= scores.shape[-1] - 5, scores, -np.inf))",
            {"one-step", "distance-free"},
        ),
        (
            "return weights @ value, weights",
            "weights = weights * 0.9 ** np.arange(weights.shape[-1])[::-1]\nreturn weights @ value, weights",
            {"distance-free"},
        ),
    ],
    ids=["hears-five", "forgets"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, monkeypatch, old, new, turned):
    clocked(monkeypatch, *12 * [1])
    healthy, broken = verdicts(run_demo("recurrence")), verdicts(run_demo("recurrence", patched(old, new)))
    assert {name for name in healthy if healthy[name] != broken[name]} == turned


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"tokens": 4}, "--tokens is 4"),
        ({"tokens": 129}, "--tokens is 129"),
        ({"radius": (0.0,)}, "--radius is 0"),
        ({"radius": ()}, "--radius has no value"),
        ({"d_model": 1}, "--d-model is 1"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("recurrence", **options)
