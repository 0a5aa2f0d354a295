from __future__ import annotations

import math

from hypothesis import given
from show_samples import COSTS, CURVES, EMPTY, FAILS, FULL, HOLDS, QUOTED, SCORES, SENTENCE, SOME, results

from attention_lab.result import Pair, Result, matrix, series
from attention_lab.show.glyphs import encodable_result
from attention_lab.show.plain import plain_text


def lines(result: Result) -> list[str]:
    return plain_text(result).splitlines()


def test_statements_say_whether_they_hold() -> None:
    assert plain_text(Result((HOLDS,))) == "Holds (D0): Every row sums to 1. Measured: The sums are 1.0000 to 1e-16."
    assert plain_text(Result((FAILS,))).startswith("Does not hold (D0, D3): ")
    assert (
        plain_text(Result((QUOTED,))) == "Quoted: The paper's base model has 65 million parameters. Not measured here."
    )


def test_a_row_of_a_matrix_is_one_line_that_names_what_is_hidden() -> None:
    assert lines(Result((SENTENCE,)))[1] == (
        "place 1 the: place 1 the 0.07. hidden: "
        "animal, did, not, cross, place 6 the, street, because, it, was, too, tired"
    )
    assert lines(Result((SENTENCE,)))[12].endswith("too 0.03, tired 0.07")


def test_no_number_is_only_a_sign() -> None:
    assert lines(Result((SCORES,)))[1] == "a zero: first 0.00, second minus infinity, third NaN"


def test_a_row_of_a_table_names_its_columns_and_units() -> None:
    assert lines(Result((COSTS,)))[3] == (
        "n 65,536: memory 17,179.9 MB, time infinity s, gradient left 0.00, kept none, says –∞ × √d_k"
    )


def test_a_name_that_stands_twice_is_told_with_its_place() -> None:
    twice = matrix("m", "", [[0.25, 0.75], [0.5, 0.5]], ["the", "the"], ["3", "3"])
    assert lines(Result((twice,)))[1:] == [
        "place 1 the: place 1 key 3 0.25, place 2 key 3 0.75",
        "place 2 the: place 1 key 3 0.50, place 2 key 3 0.50",
    ]
    assert lines(Result((Pair("p", "", twice, twice, ((False, True), (False, False))),)))[-1] == (
        "Changed in place 1 the: place 2 key 3"
    )


def test_a_short_curve_is_all_its_values() -> None:
    assert lines(Result((CURVES,)))[4] == "d_k 256: scaled 3.02, not scaled NaN"


def test_a_long_curve_is_its_course_and_some_of_its_points() -> None:
    values = [5.0, math.nan, 0.5, *([1.0] * 95), 7.0, 2.0]
    told = lines(Result((series("s", "Loss", "step", "nats", range(100), {"healthy": values}),)))
    assert told[0] == "Curves: Loss (values: nats)"
    assert told[1].startswith("healthy: first 5.00 at 0, last 2.00 at 99, lowest 0.50 at 2, highest 7.00 at 98. ")
    assert told[1].endswith(" 1 of 100 values are not finite")
    assert told[2] == "10 of 100 points follow; --json and --html have all of them."
    assert told[3:5] == ["step 0: healthy 5.00", "step 11: healthy 1.00"]
    assert told[-1] == "step 99: healthy 2.00"
    assert len(told) == 13


def test_a_long_curve_without_a_number_has_no_lowest() -> None:
    told = lines(Result((series("s", "", "step", "", range(20), {"one": [math.nan] * 20}),)))
    assert told[1] == "one: first NaN at 0, last NaN at 19. 20 of 20 values are not finite"


def test_nothing_but_text() -> None:
    text = plain_text(FULL)
    assert not set("│─└●△✓✗·\x1b") & set(text)
    assert "  " not in text
    assert text == text.strip()
    assert plain_text(encodable_result(FULL, "ascii")).isascii()
    assert plain_text(EMPTY) == ""


@SOME
@given(results)
def test_any_result_has_a_plain_text(result: Result) -> None:
    plain_text(encodable_result(result, "ascii")).encode("ascii")
