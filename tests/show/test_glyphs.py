from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from show_samples import FULL, SOME, STRANGE, results

from attention_lab.result import Result
from attention_lab.show.glyphs import ASCII, UNICODE, Glyphs, encodable_result, encodable_text, glyphs_for

ENCODINGS = ["ascii", "cp1252", "cp437", "latin-1", "mac-roman", "gb2312", "utf-8", "utf-16"]


@pytest.mark.parametrize(
    ("text", "ascii_text"),
    [
        ("÷ √d_k", "/ sqrt(d_k)"),
        ("√(2/π)", "sqrt(2/pi)"),
        ("−∞ × 0 ≈ NaN", "-inf x 0 ~ NaN"),
        ("Q @ Kᵀ → n²", "Q @ K^T -> n^2"),
        ("10⁻⁵ ≤ ½", "10^-5 <= 1/2"),
        ("naïve café", "naive cafe"),
        ("猫", r"\u732b"),
        ("“so” – it’s…", '"so" - it\'s...'),
    ],
)
def test_what_ascii_lacks_is_spelled(text: str, ascii_text: str) -> None:
    assert encodable_text(text, "ascii") == ascii_text


def test_what_the_encoding_has_is_kept() -> None:
    assert encodable_text("2 × √64 · é n² − 1", "cp1252") == "2 × sqrt(64) · é n² - 1"
    assert encodable_text("√d_k ≈ ∞", "cp437") == "√d_k ≈ ∞"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_glyphs_can_be_written(encoding: str) -> None:
    glyphs = glyphs_for(encoding)
    for glyph in vars(glyphs).values():
        glyph.encode(encoding)
    assert len(set(glyphs.marks)) == len(UNICODE.marks)
    assert glyphs.hidden != glyphs.nothing


def test_glyphs_are_chosen_one_by_one() -> None:
    assert glyphs_for("utf-8") == glyphs_for(None) == UNICODE == Glyphs()
    assert glyphs_for("ascii") == ASCII
    mixed = glyphs_for("cp1252")
    assert (mixed.hidden, mixed.cut, mixed.infinity, mixed.holds) == ("·", "…", "inf", "+")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", None])
def test_a_result_stays_as_it_is_where_everything_can_be_written(encoding: str | None) -> None:
    assert encodable_result(FULL, encoding) == FULL
    assert encodable_result(STRANGE, encoding) == STRANGE


@SOME
@given(results, st.sampled_from(ENCODINGS))
def test_every_string_of_a_result_can_be_written(result: Result, encoding: str) -> None:
    repr(encodable_result(result, encoding)).encode(encoding)


def test_control_characters_and_stray_bytes_are_made_visible() -> None:
    assert encodable_text("\x1b[2J\r\x9b \udcff", "utf-8") == r"\x1b[2J\r\x9b \udcff"
    for turned in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069":  # what follows is shown from right to left
        assert encodable_text(f"a{turned}b", "utf-8") == f"a\\u{ord(turned):04x}b"
    assert encodable_text("\u05d0\u05d1", "utf-8") == "\u05d0\u05d1"
    assert encodable_text("two\nlines", "ascii") == "two\nlines"


def test_a_command_can_still_be_read_by_a_shell() -> None:
    said = Result((), command=shlex.join(["attn-lab", "demo", "sentence", "--text", "it’s √2"]))
    assert shlex.split(encodable_result(said, "ascii").command)[-1] == "it's sqrt(2)"
    assert encodable_result(said, "utf-8") == said
    assert encodable_result(Result((), command="it’s 'odd"), "ascii").command == "it's 'odd"


def test_numbers_are_left_alone() -> None:
    clean = encodable_result(FULL, "ascii")
    assert clean["sentence"].values == FULL["sentence"].values  # type: ignore[union-attr]
    assert clean.options["d_k"] == (4, 64)
