from __future__ import annotations

import numpy as np
import pytest

from attention_lab.demos import rope
from attention_lab.errors import BadInput, TooLarge
from attention_lab.variants import healthy

EXACT = {"distance-only", "any-length", "norm-kept"}
DECAY = {"decays-on-average": True, "decays-steadily": False, "decays-for-all": False}


def test_what_holds_and_what_does_not(run_demo, verdicts):
    assert verdicts(run_demo("rope")) == dict.fromkeys(EXACT, True) | DECAY | {"added-positions": False}


def test_the_same_distance_gives_the_same_score(run_demo):
    rows = run_demo("rope")["places"].rows
    assert [row[:3] for row in rows] == [
        (7, 3, 4),
        (107, 103, 4),
        (1_000_007, 1_000_003, 4),
        (7, 5, 2),
        (7, 0, 7),
    ]
    assert rows[1][3] == pytest.approx(rows[0][3], abs=1e-12)
    assert rows[2][3] == pytest.approx(rows[0][3], abs=1e-7)
    assert rows[3][3] != pytest.approx(rows[0][3], abs=1e-3)


def test_the_curve_of_what_is_alike_is_a_mean_of_cosines(run_demo):
    alike, strangers = run_demo("rope", d_k=6, base=50.0)["decay"].lines
    speeds = 50.0 ** (-np.array([0, 2, 4]) / 6)
    assert alike.values == pytest.approx(np.cos(np.arange(0, 256, 4)[:, np.newaxis] * speeds).mean(axis=-1))
    assert strangers.values[0] == 1


def test_the_oscillation_is_counted(run_demo):
    result = run_demo("rope")
    alike = rope.scores_by_distance(healthy(), *2 * [np.ones((1, 64))], base=10_000.0)[0, 0]
    rises = (np.diff(alike) > 0).sum()
    assert result["decays-steadily"].value == rises > 50
    assert f"rises at {rises} of 255 steps" in result["decays-steadily"].measured
    assert "are 0.88, 0.68, 0.53 and 0.38" in result["decays-on-average"].measured


def test_the_largest_rise_is_found():
    assert rope.rebound(np.array([5.0, 1.0, 2.0, 0.5, 3.0, 2.0])) == (3, 4)
    assert rope.rebound(np.array([3.0, 2.0, 1.0])) in {(0, 0), (1, 1), (2, 2)}


def test_one_pair_of_columns_goes_round_and_does_not_decay(run_demo, verdicts):
    held = verdicts(run_demo("rope", d_k=2))
    assert held["decays-on-average"] is False
    assert {name for name, holds in held.items() if holds} >= EXACT


TURN = "return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)"


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        (TURN, "return x", {"distance-only", "decays-on-average", "decays-steadily"}),
        (TURN, TURN.replace("- odd", "+ odd"), {"distance-only", "any-length", "norm-kept"}),
        (TURN, TURN.replace("even * cos - odd * sin", "2 * even"), {"distance-only", "any-length", "norm-kept"}),
        (TURN, "return x * np.exp(-angle[:, :1])", {"distance-only", "norm-kept", "decays-steadily", "decays-for-all"}),
        ("angle = positions[:, np.newaxis] /", "angle = np.minimum(positions, 512)[:, np.newaxis] /", {"any-length"}),
    ],
    ids=["not-turned", "sign-lost", "half-turned", "faded", "a-last-position"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, old, new, turned):
    before, after = verdicts(run_demo("rope")), verdicts(run_demo("rope", patched(old, new)))
    assert turned <= {name for name in before if before[name] != after[name]}


def test_positions_that_all_agree_turn_the_verdict_on_adding(run_demo, verdicts, patched):
    same = patched("angle = np.arange(T)[:, np.newaxis] /", "angle = np.zeros(T)[:, np.newaxis] /")
    assert verdicts(run_demo("rope", same))["added-positions"] is True


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"d_k": 3}, "d_k must be even; it is 3"),
        ({"d_k": 0}, "--d-k is 0"),
        ({"base": 0.5}, "--base is 0.5"),
        ({"base": float("nan")}, "--base is nan"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("rope", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(TooLarge, match="--d-k 64 needs"):
        run_demo("rope")
