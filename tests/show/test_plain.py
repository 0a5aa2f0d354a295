from __future__ import annotations

from hypothesis import given
from show_samples import COSTS, CURVES, EMPTY, FAILS, FULL, HOLDS, QUOTED, SCORES, SENTENCE, SOME, results

from attention_lab.result import Result
from attention_lab.show.glyphs import readable
from attention_lab.show.plain import plain


def lines(result: Result) -> list[str]:
    return plain(result).splitlines()


def test_statements_say_whether_they_hold() -> None:
    assert plain(Result((HOLDS,))) == "Holds (D0): Every row sums to 1. Measured: The sums are 1.0000 to 1e-16."
    assert plain(Result((FAILS,))).startswith("Does not hold (D0, D3): ")
    assert plain(Result((QUOTED,))) == "Quoted: The paper's base model has 65 million parameters. Not measured here."


def test_a_row_of_a_matrix_is_one_line_that_names_what_is_hidden() -> None:
    assert lines(Result((SENTENCE,)))[1] == (
        "the: the 0.07. hidden: animal, did, not, cross, the, street, because, it, was, too, tired"
    )
    assert lines(Result((SENTENCE,)))[12].endswith("too 0.03, tired 0.07")


def test_no_number_is_only_a_sign() -> None:
    assert lines(Result((SCORES,)))[1] == "a zero: first 0.00, second minus infinity, third NaN"


def test_a_row_of_a_table_names_its_columns_and_units() -> None:
    assert lines(Result((COSTS,)))[3] == (
        "n 65,536: memory 17,179.9 MB, time infinity s, gradient left 0.00, kept none, says –∞ × √d_k"
    )


def test_a_curve_is_all_its_values() -> None:
    assert lines(Result((CURVES,)))[4] == "d_k 256: scaled 3.02, not scaled NaN"


def test_nothing_but_text() -> None:
    text = plain(FULL)
    assert not set("│─└●△✓✗·\x1b") & set(text)
    assert "  " not in text
    assert text == text.strip()
    assert plain(readable(FULL, "ascii")).isascii()
    assert plain(EMPTY) == ""


@SOME
@given(results)
def test_any_result_has_a_plain_text(result: Result) -> None:
    plain(readable(result, "ascii")).encode("ascii")
