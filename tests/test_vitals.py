"""Vital signs: healthy at every size, each able to move, and honest about what could not be taken."""

from __future__ import annotations

import time

import numpy as np
import pytest

from attention_lab.variants import Patch, healthy, load
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Reading, Setting, Vital, take_sign, take_signs

SETTINGS = [
    Setting(),
    Setting(seed=1),
    Setting(seed=12345),
    Setting(h=1),
    Setting(B=1),
    Setting(T=4),
    Setting(T=2),
    Setting(T=20, d_k=6, h=5),
    Setting(d_k=16, h=8),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_healthy_model_is_healthy_at_every_size(setting: Setting):
    moved = [(r.vital.name, r.value, r.reason) for r in take_signs(VITALS, healthy(), setting) if r.moved]
    assert moved == []


def test_there_are_many_and_each_says_what_it_is():
    assert len(VITALS) >= 20
    for vital in VITALS:
        assert vital.low <= vital.high, vital.name
        assert vital.unit, vital.name
        assert vital.sentence.endswith("."), vital.name


def test_the_order_in_which_they_are_taken_does_not_matter():
    forward = take_signs(VITALS, healthy(), Setting())
    backward = take_signs(reversed(VITALS), healthy(), Setting())
    assert [r.value for r in forward] == [r.value for r in reversed(backward)]


def vital(low: float, high: float, value: float) -> Vital:
    return Vital("made-up", "test", "units", low, high, "A made-up vital sign.", lambda *_: value)


@pytest.mark.parametrize(
    ("value", "moved"),
    [(0, None), (1, None), (0.5, None), (1.5, "up"), (-0.5, "down"), (float("nan"), "lost"), (float("inf"), "up")],
)
def test_a_reading_knows_which_way_it_moved(value: float, moved: str | None):
    assert take_sign(vital(0, 1, value), healthy(), Setting()).moved == moved


def test_what_raises_cannot_be_taken_and_says_why_and_in_which_line():
    broken = load(Patch("weights = softmax(scores)", "weights = softmax(nowhere)"))
    reading = take_sign(VITALS[0], broken, Setting())
    assert (reading.value, reading.moved) == (None, "lost")
    assert reading.reason.startswith("NameError: name 'nowhere' is not defined (line ")


def test_numpy_does_not_warn_of_what_is_being_measured():
    wild = load(Patch("weights = softmax(scores)", "weights = softmax(scores / 0.0 * np.exp(1e9))"))
    with np.errstate(all="raise"):
        take_signs(VITALS[:3], wild, Setting())


def test_a_model_that_does_not_end_is_stopped_and_the_rest_is_not_tried():
    endless = load(Patch("weights = softmax(scores)", "while True: pass\nweights = softmax(scores)"))
    start = time.perf_counter()
    readings = take_signs(VITALS, endless, Setting(), seconds=0.1)
    assert time.perf_counter() - start < 10
    reasons = [reading.reason for reading in readings if reading.value is None]
    assert reasons[0].startswith("TookTooLong: did not end within 0.1 s (line ")
    assert reasons[-1] == "not tried"


def test_a_reading_is_frozen():
    with pytest.raises(AttributeError):
        Reading(VITALS[0], 1.0).value = 2.0
