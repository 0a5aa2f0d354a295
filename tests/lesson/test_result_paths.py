"""Where a number stands in a result, and how it is written."""

from __future__ import annotations

import pytest
from lessons import RESULT

from attention_lab.lesson.result_paths import NoSuchPlace, format_like, holds_at, value_at
from attention_lab.result import Cell

FOUND = {
    "largest": 0.61249,
    "grid/a/x": 0.612,
    "grid/the/the": float("inf"),
    "same/the/x": 1.0,
    "same/the#2/x#2": 4.0,
    "rows/a/b/n": 12345,
    "rows/a/b/ok": True,
    "rows/a/b/word": "yes",
    "curve/raw/64": 2.0,
    "curve/raw/0.5": 3.0,
    "pair/healthy/a/y": 0.75,
    "pair/broken/a/y": 0.5,
    "moved/future-mass": 0.9,
    "moved/future-mass/broken": 0.9,
    "moved/future-mass/healthy": 0.0,
    "moved/future-mass/moved": "up",
    "moved/norm-mean/moved": "lost",
}
MISSING = {
    "nothing": "no part 'nothing': there are intro, largest, small, said, grid, same, rows, curve and 6 more",
    "grid/a": "no cell 'a': the rows are a and the, the columns x and the",
    "grid/a/z": "no cell 'a/z'",
    "grid": "no cell ''",
    "same/the#3/x": "the rows are the and the#2",
    "curve/raw/65": "no cell 'raw/65': the rows are raw, the columns 4, 64 and 0.5",
    "pair/a/y": "'pair' holds no number at 'a/y'",
    "pair/healthy/b/y": "no cell 'b/y'",
    "moved/nothing": "no vital sign 'nothing': there are future-mass and norm-mean",
    "moved/future-mass/better": "no vital sign 'future-mass/better'",
    "hidden/future-mass": "there are nothing",
    "moved/norm-mean": "'moved/norm-mean' was not measured",
    "rows/c/n": "'rows/c/n' was not measured",
    "said": "'said' was not measured",
    "intro": "'intro' holds no number at ''",
    "largest/more": "'largest' holds no number at 'more'",
    "diff": "'diff' holds no number",
}


@pytest.mark.parametrize(("path", "value"), FOUND.items(), ids=FOUND)
def test_what_is_there_is_found(path: str, value: Cell):
    assert value_at(RESULT, path) == value


@pytest.mark.parametrize(("path", "what"), MISSING.items(), ids=MISSING)
def test_what_is_not_there_is_told_with_what_there_is(path: str, what: str):
    with pytest.raises(NoSuchPlace) as caught:
        value_at(RESULT, path)
    assert what in str(caught.value)


def test_a_statement_holds_or_not():
    assert holds_at(RESULT, "largest") is True
    assert holds_at(RESULT, "small") is False


@pytest.mark.parametrize("path", ["said", "grid", "largest/x"])
def test_what_was_not_tested_neither_holds_nor_fails(path: str):
    with pytest.raises(NoSuchPlace, match="no statement that was tested"):
        holds_at(RESULT, path)


@pytest.mark.parametrize(
    ("value", "written", "shown"),
    [
        (0.61249, "0.61", "0.61"),
        (0.61249, ".61", ".61"),
        (0.61249, "0.6125", "0.6125"),
        (0.61249, "61 %", "61 %"),
        (0.61249, "61.2%", "61.2%"),
        (0.61249, "5", "1"),
        (1048576, "1,000,000", "1,048,576"),
        (1048576, "1000000", "1048576"),
        (-0.5, "−0.50", "−0.50"),
        (-0.5, "-0.50", "-0.50"),
        (-0.5, "0.50", "−0.50"),
        (-0.0001, "0.00", "0.00"),
        (12.0, "12 heads", "12 heads"),
        (0.61249, "…", "0.6125"),
        (3.0, "...", "3"),
        (0.61249, "… %", "61 %"),
        (1.0, "... %", "100 %"),
        (0.61249, "about 0.6 or so", "about 0.6 or so"),
        ("cat", "dog", "cat"),
        (True, "no", "yes"),
        (None, "x", "None"),
        (float("inf"), "1.0", "inf"),
        (float("nan"), "1.0", "nan"),
    ],
)
def test_a_number_is_written_with_the_digits_that_stand_there(value: Cell, written: str, shown: str):
    assert format_like(value, written) == shown
