from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from attention_lab.errors import BadInput, TooLarge

EXPECTED = {
    "computed": True,
    "unit-clocks": True,
    "distance-only": True,
    "every-step": False,
    "fingerprint": True,
    "word-is-louder": True,
    "any-width": True,
}


def test_the_codes_are_those_of_the_formula(run_demo):
    codes = run_demo("positions", d_model=10)["codes"]
    for position, row in enumerate(codes.values):
        for column, number in enumerate(row):
            angle = position / 10000 ** (2 * (column // 2) / 10)
            assert number == pytest.approx(cos(angle) if column % 2 else sin(angle), abs=1e-12)


def test_what_holds(run_demo, verdicts):
    assert verdicts(run_demo("positions")) == EXPECTED


@pytest.mark.parametrize(
    "options", [{"d_model": 7}, {"d_model": 3, "positions": 40}, {"d_model": 512}, {"positions": 32}]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_sizes_of_ones_own(run_demo, verdicts, options, seed):
    assert verdicts(run_demo("positions", seed=seed, **options)) == EXPECTED


def test_an_odd_width_is_explained(run_demo):
    result = run_demo("positions", d_model=7)
    assert "Column 6 is a sine without its cosine" in result["odd"].text
    assert len(result["codes"].columns) == 7
    with pytest.raises(KeyError):
        run_demo("positions", d_model=8)["odd"]


def test_a_wide_code_is_shown_in_part(run_demo):
    codes = run_demo("positions", d_model=512)["codes"]
    assert (len(codes.rows), len(codes.columns)) == (8, 12)
    assert "the first 12" in codes.title


def test_wavelengths(run_demo):
    rows = run_demo("positions")["clocks"].rows
    assert [row[1] for row in rows] == pytest.approx([2 * pi * 10000 ** (pair / 6) for pair in range(6)])


def test_alike_from_two_places(run_demo):
    assert "At distance 27 the similarity is 0.6459 from 3 and 0.6459 from 147" in (
        run_demo("positions")["distance-only"].measured
    )


FORMULA = "return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))"


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ("angle = np.arange(T)[:, np.newaxis] / base", "angle = np.arange(T)[:, np.newaxis] / T / base", "computed"),
        (FORMULA, "return 2 * np.where(column % 2 == 0, np.sin(angle), np.cos(angle))", "unit-clocks"),
        (FORMULA, "return np.sin(angle)", "unit-clocks"),
        ("/ base ** (2 * (column // 2) / d_model)", "/ base ** 0", "unit-clocks"),
        (FORMULA, "return np.where(column % 2 == 0, np.cos(angle), np.sin(angle))", "computed"),
        ("tokens = table[ids] * d_model**0.5", "tokens = table[ids]", "word-is-louder"),
        ("return tokens + sinusoidal", "return tokens + d_model * sinusoidal", "word-is-louder"),
        (FORMULA, "return np.sin(angle)", "distance-only"),
        (FORMULA, "return np.zeros_like(angle)", "fingerprint"),
        ("angle = np.arange(T)[:, np.newaxis] / base", "angle = 0 * np.arange(T)[:, np.newaxis] / base", "fingerprint"),
    ],
)
def test_a_broken_model_turns_a_verdict(run_demo, verdicts, patched, old, new, turned):
    assert verdicts(run_demo("positions"))[turned]
    assert not verdicts(run_demo("positions", patched(old, new)))[turned]


def test_slow_clocks_alone_would_fall_at_every_step(run_demo, verdicts, patched):
    slow = patched("angle = np.arange(T)[:, np.newaxis] / base", "angle = np.arange(T)[:, np.newaxis] / 1000 / base")
    assert verdicts(run_demo("positions", slow))["every-step"]


def test_the_curve_starts_at_itself(run_demo):
    curve = run_demo("positions")["fall"].lines[0].values
    assert curve[0] == pytest.approx(1)
    assert np.max(curve[1:]) < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d_model": 1}, "--d-model is 1. It must be at least 2"),
        ({"positions": 31}, "--positions is 31. It must be at least 32"),
        ({"positions": 4097}, "--positions is 4097. It must be at least 32 and at most 4096"),
    ],
)
def test_nonsense_is_refused(run_demo, options, message):
    with pytest.raises(BadInput, match=message):
        run_demo("positions", **options)


def test_more_than_fits_is_refused(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 10**6)
    with pytest.raises(TooLarge, match="--positions 200 with --d-model 4096 needs"):
        run_demo("positions", d_model=4096)
