"""Colours and axes: how a number becomes a place."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.show.axis import Axis, x_axis, y_axis
from attention_lab.show.colours import CIVIDIS, colour_of, colour_range, ink_on, luminance
from attention_lab.show.numbers import format_lone_number, format_number, format_position

finite = st.floats(allow_nan=False, allow_infinity=False)


def test_without_negative_numbers_the_darkest_colour_is_zero() -> None:
    assert colour_range([0.2, 40, math.nan, math.inf]) == (0.0, 40)
    assert colour_range([]) == (0.0, 0.0)


def test_equal_shares_have_one_colour_in_every_matrix() -> None:
    assert colour_range([0.2, 0.4]) == colour_range([1.0]) == (0.0, 1.0)


def test_with_negative_numbers_grey_is_zero() -> None:
    low, high = colour_range([-0.5, 2.0])
    assert (low, high) == (-2.0, 2.0)
    assert colour_of(0.0, low, high) == CIVIDIS[8]


def test_larger_is_brighter() -> None:
    steps = [luminance(colour_of(step / 100, 0.0, 1.0)) for step in range(101)]
    assert all(a < b for a, b in pairwise(steps))


@pytest.mark.parametrize("step", range(101))
def test_ink_is_readable_on_every_colour(step: int) -> None:
    colour = colour_of(step / 100, 0.0, 1.0)
    dark, light = sorted([luminance(colour), luminance(ink_on(colour))])
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@given(st.lists(finite, min_size=1, max_size=6))
def test_every_finite_number_has_a_colour_and_a_place(values: list[float]) -> None:
    low, high = colour_range(values)
    for axis in (x_axis(values), y_axis(values)):
        assert axis
        for value in values:
            colour_of(value, low, high)
            assert -1e-9 <= axis.fraction(value) <= 1 + 1e-9
        assert all(-1e-6 <= axis.fraction(value) <= 1 + 1e-6 for value in axis.round_values())
        assert len(axis.round_values()) <= 11


def test_an_axis_is_logarithmic_where_a_linear_one_would_hide_something() -> None:
    assert x_axis([64, 128, 256, 512]) == Axis(64, 512, logarithmic=True)
    assert x_axis([1, 2, 3, 4]) == Axis(1, 4)
    assert y_axis([1.0, 1e-8]) == Axis(1e-8, 1.0, logarithmic=True)
    assert y_axis([0.0, 1.0]) == Axis(0.0, 1.0)
    assert y_axis([0.9, 1.0]) == Axis(0.9, 1.0)
    assert y_axis([math.nan]) is None


def test_a_grid_has_round_values() -> None:
    assert Axis(0.0, 3.02).round_values() == [0, 1, 2, 3]
    assert Axis(1e-8, 1.0, logarithmic=True).round_values() == pytest.approx([1e-8, 1e-6, 1e-4, 1e-2, 1])


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 2, "0.00"), (-0.001, 2, "0.00"), (2048, 0, "2048"), (65536, 0, "65,536"), (-1e9, 2, "-1.00e+09"),
        (17179.869, 1, "17,179.9"), (math.nan, 2, "NaN"), (math.inf, 2, "∞"), (-math.inf, 2, "−∞"),
    ],
)  # fmt: skip
def test_numbers(value: float, digits: int, text: str) -> None:
    assert format_number(value, digits) == text


def test_numbers_that_stand_alone() -> None:
    assert [format_lone_number(value, 2) for value in (0.0, 0.004, 0.006, 1e-12)] == [
        "0.00",
        "4.0e-03",
        "0.01",
        "1.0e-12",
    ]
    assert [format_position(value) for value in (4096.0, 0.25, 1 / 3, math.nan)] == ["4096", "0.25", "0.3333", "NaN"]
