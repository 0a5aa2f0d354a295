"""Answers of a class: written so that a spreadsheet shows them as they are, read again, and counted."""

from __future__ import annotations

import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lessons import RUN, performed

from attention_lab.csv_cells import FORMULA, guard_cell, unguard_cell
from attention_lab.errors import BadInput, CannotWrite
from attention_lab.lesson.answers import Answers, score_page
from attention_lab.lesson.classbook import (
    HEADER,
    AnswerRow,
    answer_rows,
    append_rows,
    class_page_of,
    read_rows,
)
from attention_lab.result import Note, Table

SMALL = AnswerRow("2026-11-29T18:00:00+00:00", "quick", "abc", 9, "How large?", "Small.", "no", "It grows.", 3)
LARGE = AnswerRow("2026-11-29T18:00:00+00:00", "quick", "abc", 9, "How large?", "Large.", "yes", "", 12)
FLAT = AnswerRow("2026-11-29T18:01:00+00:00", "d0", "def", 9, "How large?", "Flat.", "no", "It, too, grows.", 5)


def test_rows_are_added_below_one_header(tmp_path: Path):
    file = str(tmp_path / "class.csv")
    append_rows(file, [SMALL])
    append_rows(file, [LARGE, FLAT])
    assert Path(file).read_text(encoding="utf-8").count(",".join(HEADER)) == 1
    assert read_rows(file) == [SMALL, LARGE, FLAT]


@pytest.mark.parametrize(
    "dressed", [lambda text: text.rstrip("\n"), lambda text: "\ufeff" + text, lambda text: text + "\n"]
)
def test_a_file_that_a_spreadsheet_has_saved_goes_on(tmp_path: Path, dressed):
    file = tmp_path / "class.csv"
    append_rows(str(file), [SMALL])
    file.write_text(dressed(file.read_text(encoding="utf-8")), encoding="utf-8")
    append_rows(str(file), [LARGE])
    assert read_rows(str(file)) == [SMALL, LARGE]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-0.5", "@SUM(A1)", "\tx", "\rx"])
def test_a_text_is_no_formula(tmp_path: Path, text: str):
    file = tmp_path / "class.csv"
    row = AnswerRow(text, text, text, 1, text, text, "no", text, 1)
    append_rows(str(file), [row])
    with file.open(encoding="utf-8", newline="") as stream:
        _, cells = csv.reader(stream)
    assert all(cell == "'" + text for cell in cells[:3] + cells[4:6])
    assert read_rows(str(file)) == [row]


def test_a_text_that_is_none_anyway_stays_as_it_is():
    assert guard_cell("a=1") == "a=1"
    assert unguard_cell("'tis") == "'tis"


@given(st.text(alphabet="'=+-@\t\ra ", max_size=6))
def test_a_text_comes_back_as_it_was(text: str):
    assert unguard_cell(guard_cell(text)) == text
    assert not guard_cell(text).startswith(FORMULA)


def test_two_that_begin_a_file_at_once_spoil_nothing(tmp_path: Path):
    one, other = (str(tmp_path / name) for name in ("one.csv", "other.csv"))
    append_rows(one, [SMALL])
    append_rows(other, [LARGE])
    both = tmp_path / "both.csv"
    both.write_bytes(Path(one).read_bytes() + Path(other).read_bytes())
    assert read_rows(str(both)) == [SMALL, LARGE]


def test_many_add_to_a_file_at_once(tmp_path: Path):
    file = str(tmp_path / "class.csv")
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: append_rows(file, [replace(SMALL, count=number)]), range(200)))
    assert sorted(row.count for row in read_rows(file)) == list(range(200))


def test_rows_for_which_there_is_no_room_leave_no_half_behind(tmp_path: Path):
    file = tmp_path / "class.csv"
    append_rows(str(file), [SMALL])
    before = file.read_bytes()
    code = (
        "import resource, signal, sys; from attention_lab.lesson.classbook import *; "
        "rows = read_rows(sys.argv[1]); signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 20},) * 2); append_rows(sys.argv[1], rows)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True)
    assert "File too large" in done.stderr
    assert file.read_bytes() == before


def test_there_are_no_rows_where_there_is_no_file(tmp_path: Path):
    assert read_rows(str(tmp_path / "nowhere.csv")) == []


HEAD = ",".join(HEADER) + "\n"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("a,b\n", "its first line is not time,lesson"),
        ("time;lesson\n", "its first line is not"),
        (HEAD + "1,2\n", "Line 2 of .* is no answer: 2 cells, not 9"),
        (HEAD + "t,l,d,x,q,c,yes,i,1\n", "Line 2 of .* is no answer: invalid literal"),
        (HEAD + "t,l,d,1,q,c,maybe,i,1\n", "Line 2 of .* is no answer: 'maybe'"),
        (HEAD + "t,l,d,1,q,c,yes,i,-1\n", "Line 2 of .* is no answer"),
        (HEAD + 't,l,d,1,q,c,yes,"i,1\n', "Line 2 of .* is no answer: unexpected end"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, content: str, what: str):
    file = tmp_path / "class.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=what):
        read_rows(str(file))


def test_what_is_no_file_of_text_is_refused(tmp_path: Path):
    with pytest.raises(CannotWrite, match="no file that rows can be added to"):
        read_rows(str(tmp_path))
    with pytest.raises(CannotWrite):
        read_rows("a\0b")
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    with pytest.raises(BadInput, match="no text in UTF-8"):
        read_rows(str(tmp_path / "picture"))


def test_one_row_for_each_choice_that_somebody_gave():
    performance = performed(
        "```predict\nQ?\n- A.\n  when: largest > 1\n  idea: Why.\n- B.\n  when: largest < 1\n  idea: Yes.\n"
        "- C.\n  when: largest < 0\n  idea: No.\n```",
        RUN,
    )
    rows = answer_rows(performance, performance.lesson.questions[0], (2, 5, 0))
    assert [(row.choice, row.right, row.idea, row.count, row.line) for row in rows] == [
        ("A.", "no", "Why.", 2, 3),
        ("B.", "yes", "", 5, 3),
    ]
    assert rows[0].digest == performance.lesson.digest


def test_code_in_a_question_is_noted_and_told_without_its_marks():
    performance = performed(
        "```predict\nIs `a` *so*,\nd_k?\n- `x`.\n  when: largest > 1\n  idea: Not `y`.\n- B.\n  when: largest < 1\n```",
        RUN,
    )
    (question,) = performance.lesson.questions
    (row,) = answer_rows(performance, question, (1, 0))
    assert (row.question, row.choice, row.idea) == ("Is a so, d_k?", "x.", "Not y.")
    score = score_page(performance, Answers({0: (1, 0)}), "small")
    (wrong,) = (part for part in score.parts if part.name == "idea-1")
    assert isinstance(wrong, Note)
    assert wrong.text.startswith("Is a so, d_k? Not a) x.\nNot y.\n")


def test_a_class_is_counted_by_question_the_most_frequent_first(tmp_path: Path):
    file = str(tmp_path / "class.csv")
    append_rows(file, [SMALL, LARGE, FLAT, SMALL])
    answers, ideas, note = class_page_of(file).parts
    assert isinstance(answers, Table)
    assert isinstance(ideas, Table)
    assert answers.rows == (
        ("quick", "How large?", "Large.", "yes", 12),
        ("quick", "How large?", "Small.", "no", 6),
        ("d0", "How large?", "Flat.", "no", 5),
    )
    assert ideas.rows == ((6, "It grows.", "How large?"), (5, "It, too, grows.", "How large?"))
    assert "23 answers to 2 questions" in str(note)
