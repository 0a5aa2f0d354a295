"""What a terminal view must survive: every width, encoding and kind of terminal, and any Result at all."""

from __future__ import annotations

import io
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from show_samples import (
    ATTACK,
    CURVES,
    EMPTY,
    FAILS,
    FULL,
    HOLDS,
    SCORES,
    SENTENCE,
    SOME,
    STRANGE,
    WIDE,
    WIDE_TABLE,
    matrices,
    printed,
    results,
    tables,
)

from attention_lab.result import Column, Matrix, Note, Result, Statement, Table, series, table
from attention_lab.show.numbers import cell_text, format_number
from attention_lab.show.terminal import command_lines, make_console, print_result


def widest(text: str) -> int:
    return max((cell_len(line) for line in text.splitlines()), default=0)


def row(text: str, label: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.startswith(label))


@pytest.mark.sample(12)
@pytest.mark.parametrize("result", [FULL, STRANGE, EMPTY, ATTACK])
@pytest.mark.parametrize("width", [120, 80, 40, 24])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "cp437", "ascii", "latin-1", "shift_jis", "koi8-r"])
def test_every_stream_takes_it_and_no_line_is_wider_than_the_terminal(
    result: Result, width: int, encoding: str
) -> None:
    assert widest(printed(result, width, encoding)) <= width


@pytest.mark.slow
@SOME
@given(results, st.integers(20, 100), st.sampled_from(["utf-8", "ascii", "cp1252"]))
def test_no_line_of_any_result_is_wider_than_the_terminal(result: Result, width: int, encoding: str) -> None:
    assert widest(printed(result, width, encoding)) <= width


@SOME
@given(results, st.integers(1, 20))
def test_any_result_can_be_shown_on_any_terminal(result: Result, width: int) -> None:
    printed(result, width)


@SOME
@given(matrices(), st.integers(40, 100))
def test_no_number_of_a_matrix_is_lost(matrix: Matrix, width: int) -> None:
    shown = [
        format_number(value, matrix.digits)
        for i, row in enumerate(matrix.values)
        for j, value in enumerate(row)
        if not (matrix.hidden and matrix.hidden[i][j])
    ]
    assert not Counter(shown) - Counter(printed(Result((matrix,)), width).split())


@SOME
@given(tables(), st.integers(40, 100))
def test_no_number_of_a_table_is_lost(table: Table, width: int) -> None:
    shown = [
        cell_text(cell, column.digits)
        for row in table.rows
        for cell, column in zip(row, table.columns, strict=True)
        if isinstance(cell, int | float)
    ]
    assert not Counter(shown) - Counter(printed(Result((table,)), width).split())


@pytest.mark.parametrize("part", [WIDE, WIDE_TABLE])
def test_columns_that_do_not_fit_go_on_below_with_their_row_labels(part: Matrix | Table) -> None:
    text = printed(Result((part,)), 40)
    label = "position 2" if isinstance(part, Matrix) else "layer 1"
    numbers = [token for line in text.splitlines() if line.startswith(label) for token in line[len(label) :].split()]
    if isinstance(part, Matrix):
        assert numbers == [format_number(value, 2) for value in part.values[1]]
    else:
        assert numbers == [cell_text(cell, 3) for cell in part.rows[1][1:]]


def test_a_table_too_wide_for_two_columns_becomes_a_block_for_each_row() -> None:
    text = printed(Result((table("t", "", ("name", "size"), (("x" * 30, 10**15), ("y" * 30, 2))),)), 34)
    assert text.splitlines() == [
        "name:", "x" * 30, "  size: 1,000,000,000,000,000", "", "name:", "y" * 30, "  size: 2",
    ]  # fmt: skip


def test_hidden_is_a_dot_and_zero_is_a_zero() -> None:
    matrix = Matrix("m", "", ((0.0, 0.0),), ("row",), ("zero", "masked"), ((False, True),))
    assert row(printed(Result((matrix,))), "row ") == ["row", "0.00", "·"]
    assert row(printed(Result((matrix,)), encoding="ascii"), "row ") == ["row", "0.00", "."]


def test_infinities_and_nan_are_shown_as_what_they_are() -> None:
    assert row(printed(Result((SCORES,))), "a zero")[2:] == ["0.00", "−∞", "NaN"]
    assert row(printed(Result((SCORES,)), encoding="ascii"), "a zero")[2:] == ["0.00", "-inf", "NaN"]
    assert row(printed(Result((SCORES,)), encoding="cp437"), "a zero")[2:] == ["0.00", "-∞", "NaN"]


def test_a_small_number_that_is_not_zero_does_not_look_like_zero_in_a_table() -> None:
    text = printed(Result((table("t", "", ("name", "value"), (("tiny", 3.2e-9), ("zero", 0.0))),)))
    assert row(text, "tiny") == ["tiny", "3.2e-09"]
    assert row(text, "zero") == ["zero", "0.00"]


def test_labels_are_cut_to_fit_but_never_so_that_two_of_them_look_alike() -> None:
    names = ["attention", "attentive"]
    text = printed(Result((Matrix("m", "", ((0.1, 0.2),), ("a",), tuple(names)),)), 40)
    assert all(name in text for name in names)
    assert "beca…" in printed(Result((SENTENCE,)), 80)


def test_wide_characters_count_twice() -> None:
    lines = printed(STRANGE, 80).splitlines()
    cat, ate, letter = (next(line for line in lines if line.startswith(label)) for label in ("猫", "食べた", "a "))
    assert cell_len(cat.partition("0.29")[0]) == cell_len(ate.partition("0.64")[0]) == letter.index("0.19")


def test_colour_is_there_on_a_terminal_only() -> None:
    terminal = printed(FULL, force_terminal=True, color_system="truecolor")
    assert "\x1b[38;2;" in terminal
    assert "48;2;" in terminal
    assert "\x1b" not in printed(FULL)


def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = io.StringIO()
    console = make_console(stream, 80)
    console._force_terminal = True
    print_result(FULL, console)
    codes = {code for piece in stream.getvalue().split("\x1b[")[1:] for code in piece.partition("m")[0].split(";")}
    assert codes <= {"0", "1", "2", "3"}  # bold, dim and italic are no colours


def test_a_dumb_terminal_gets_no_codes_and_its_own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes the stream to be a terminal
    stream = io.StringIO()
    print_result(FULL, make_console(stream))
    assert "\x1b" not in stream.getvalue()
    assert 30 < widest(stream.getvalue()) <= 40


def test_a_legacy_windows_console_gets_ascii_glyphs() -> None:
    text = printed(Result((SENTENCE, CURVES, HOLDS)), legacy_windows=True)
    assert text.isascii()


def test_what_holds_is_said_in_words() -> None:
    text = printed(Result((HOLDS, FAILS, Statement("q", "Quoted claim.", "", None))))
    assert "✓ holds (D0): Every row sums to 1." in text
    assert "✗ does not hold (D0, D3):" in text
    assert "– quoted: Quoted claim." in text


def test_text_is_shown_as_it_is_and_steers_no_terminal() -> None:
    text = printed(ATTACK, 200, force_terminal=True, color_system=None)
    assert "\x1b" not in text
    assert r"\x1b[31mred\x00 [bold]markup[/] :smile: \udcff" in text


def test_curves_are_told_apart_without_colour_and_skip_what_is_not_finite() -> None:
    for encoding, marks in (("utf-8", "●△"), ("ascii", "ox")):
        chart = printed(Result((CURVES,)), encoding=encoding).splitlines()[2:12]
        assert [sum(line.count(mark) for line in chart) for mark in marks] == [5, 4]
    assert "1 of 5 values are not finite" in printed(Result((CURVES,)), 120)


def test_two_curves_in_one_place_are_marked_as_such() -> None:
    same = series("s", "", "x", "y", (1, 2, 3), {"one": (1, 2, 3), "other": (1, 2, 3)})
    text = printed(Result((same,)))
    assert text.count("*") == 4
    assert "* more than one of them" in text


def test_a_series_without_a_finite_value_is_only_named() -> None:
    nothing = series("s", "title", "x", "y", (1,), {"one": (math.nan,)})
    assert printed(Result((nothing,))).splitlines() == [
        "title",
        "● one: NaN at 1 (1 of 1 values are not finite and not drawn)",
    ]


def test_a_long_command_can_be_pasted_as_it_stands() -> None:
    lines = command_lines("attn-lab demo sample --text 'the animal did not' --d-k 4 --seed 7", 40)
    assert lines == ["attn-lab demo sample --text \\", "  'the animal did not' --d-k 4 --seed 7"]
    assert command_lines("", 40) == []


def test_a_note_keeps_its_paragraphs() -> None:
    assert printed(Result((Note("n", "one\ntwo"),))) == "one\ntwo\n"


def test_a_table_without_columns_or_rows_is_only_its_head() -> None:
    assert printed(Result((Table("t", "title", (), ()),))) == "title\n"
    assert printed(Result((Table("t", "title", (Column("n"),), ()),))) == "title\nn\n─\n"
