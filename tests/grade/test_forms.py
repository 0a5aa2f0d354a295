"""Every format is valid to its published form, whatever a submission is called or says; and each check can fail."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pytest
from grade.published import ESCAPES, GRADESCOPE, PRAIRIELEARN, annotation, junit_faults, unescaped

from attention_lab.grade.csv_form import csv_text
from attention_lab.grade.github import github_text
from attention_lab.grade.grade_page import grade_page
from attention_lab.grade.gradescope import gradescope_text
from attention_lab.grade.json_form import json_text
from attention_lab.grade.junit import junit_text
from attention_lab.grade.marks import Grades, Mark, Row
from attention_lab.grade.prairielearn import prairielearn_text
from attention_lab.sandbox.records import Protection
from attention_lab.sandbox.submission import notebook_line
from attention_lab.text import spell_out_controls

HOSTILE = (
    "=HYPERLINK(\"http://x\",'y')",
    "+1",
    "-1+1",
    "@SUM(A1)",
    '"quoted", and, commas',
    "]]></failure><failure>",
    "<b>&amp;&lt;",
    "::error::owned%0A::set-output",
    "a%25b:c,d",
    "line\nbreak\r\nand\ttab",
    "\x1b[2J\x1b]0;title\x07",
    "\x00\x08\ufffe\uffff\ud800",
    "\u202egnp.exe",
    "é√猫 𝛼",
    "[bold red]rich[/]",
    "two  spaces ",
)
SCHEMA = json.loads(files("attention_lab.grade").joinpath("grades.schema.json").read_text("utf-8"))


def a_class(text: str = "", failed: bool = False) -> Grades:
    """One row of every kind; `text` is what a submission says of itself, as far as it is let through."""
    said = " ".join(spell_out_controls(text).split())
    marks = (
        Mark("softmax", "right", f"It equals {said}", (), f"f{said}", f"class/{said}.py", 3, 0.25),
        Mark("attention", "edges", said, (("softmax-no-shift",),), "attention", f"class/{said}.py", 9, 1.5),
        Mark("causal_mask", "several", said, (("mask-flip", "mask-none"),), "mask", f"class/{said}.py", 20),
    )
    missing = tuple(Mark(part, "missing", "It is missing.") for part in ("softmax", "attention", "causal_mask"))
    rows = (
        Row(f"{said}.py", f"class/{said}.py", marks, f"{said} raised", seconds=1234.5),
        Row("b.py", "class/b.py", missing, f"Cannot read {said}.", unreadable=True),
        Row("c.py", "class/c.py", tuple(replace(mark, verdict="right") for mark in marks), beside=marks[2:]),
        Row("d.py", "class/d.py", missing, f"The grader itself failed: {said}", failed=failed),
    )
    held = (Protection("tree", True), Protection("network", False, said))
    parts = ("softmax", "attention", "causal_mask")
    return Grades(rows, parts, "as asked for", 7, "2026-01-31T12:00:00", (said,), held)


# ---- JUnit ----


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("failed", [False, True])
def test_junit_is_valid_to_both_schemas_and_keeps_the_texts(text: str, failed: bool):
    grades = a_class(text, failed)
    written = junit_text(grades)
    assert junit_faults(written) == []
    suites = list(ET.fromstring(written))  # noqa: S314 (we wrote it)
    assert [suite.get("name") for suite in suites] == [row.name for row in grades.rows]
    assert written.isascii()
    assert [len(suite.findall("testcase/error")) for suite in suites] == [0, 0, 0, 3 if failed else 0]


def test_junit_of_a_class_in_which_nothing_was_found():
    row = Row("a.py", "a.py", (), "It is a pipe.")
    assert junit_faults(junit_text(Grades((row,), (), "none was found", 1, "2026-01-31T12:00:00"))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (' id="0"', ""),
        (' id="1"', ' id="2"'),
        ('timestamp="2026-01-31T12:00:00"', 'timestamp="2026-01-31T12:00:00Z"'),
        ('time="1234.500"', 'time="1,234.500"'),
        ('failures="2"', 'failures="1"'),
        ("<system-out />", ""),
        ("<properties>", "<properties>text"),
        ('<property name="of" value="3" />', '<property name="of" value="3">3</property>'),
        ('tests="3"', 'tests="three"'),
        ('package="attn-lab"', 'package="attn-lab" points="2"'),
    ],
)
def test_the_check_of_junit_can_fail(old: str, new: str):
    text = junit_text(a_class())
    assert old in text
    assert junit_faults(text.replace(old, new, 1))


# ---- Gradescope and PrairieLearn ----


@pytest.mark.sample(2)
@pytest.mark.parametrize("text", HOSTILE)
def test_gradescope_is_valid_and_its_score_is_the_sum_of_its_tests(text: str):
    for row in a_class(text).rows:
        found = json.loads(gradescope_text(row))
        jsonschema.validate(found, GRADESCOPE)
        assert found["score"] == row.points == sum(test["score"] for test in found["tests"])
        assert all(test["max_score"] == 1 for test in found["tests"])
    assert "attn-lab explain softmax-no-shift" in gradescope_text(a_class(text).rows[0])


@pytest.mark.parametrize("text", HOSTILE)
def test_prairielearn_is_valid_and_its_score_is_a_share(text: str):
    first, unread, right, _ = (json.loads(prairielearn_text(row)) for row in a_class(text).rows)
    for found in (first, unread, right):
        jsonschema.validate(found, PRAIRIELEARN)
    assert (first["score"], right["score"]) == (0.5, 1)
    assert unread["gradable"] is False
    assert unread["format_errors"]


@pytest.mark.parametrize(
    ("schema", "body"),
    [
        (GRADESCOPE, {"tests": [{"name": "a"}]}),
        (GRADESCOPE, {"score": "1"}),
        (GRADESCOPE, {"score": 1, "tests": [{"visibility": "shown"}]}),
        (GRADESCOPE, {"score": 1, "test": []}),
        (GRADESCOPE, {"score": 1, "leaderboard": [{"name": "a"}]}),
        (PRAIRIELEARN, {"gradable": True}),
        (PRAIRIELEARN, {"score": 1.5}),
        (PRAIRIELEARN, {"score": 1, "images": [{"label": "no url"}]}),
        (PRAIRIELEARN, {"score": 1, "tests": [{"points": "1"}]}),
    ],
)
def test_these_checks_can_fail(schema: dict, body: dict):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, schema)


# ---- GitHub ----


@pytest.mark.parametrize("text", HOSTILE)
def test_github_has_one_command_in_each_line_and_nothing_is_lost(text: str):
    grades = a_class(text)
    lines = github_text(grades).removesuffix("\n").split("\n")
    found = [annotation(line) for line in lines]
    assert [level for level, _, _ in found] == ["error", "warning", "error", "error", "error", "notice"]
    assert found[1][1]["file"] == grades.rows[0].marks[1].file
    assert found[1][1]["line"] == "9"
    assert found[1][2] == grades.rows[0].marks[1].said


def test_of_a_submission_in_which_nothing_was_judged_github_has_one_error():
    missing = tuple(Mark(part, "missing", "It is missing.") for part in ("softmax", "attention"))
    half = (Mark("softmax", "right", "", (), "softmax"), missing[1])
    rows = (
        Row("empty.py", "empty.py", missing, "It has nothing that can be checked."),
        Row("unread.py", "unread.py", missing, "Cannot read it.", unreadable=True),
        Row("half.py", "half.py", half, "Line 9 of half.py raised NameError: x"),
        Row("other.py", "other.py", missing),
    )
    text = github_text(Grades(rows, ("softmax", "attention"), "as asked for", 7, ""))
    files = [annotation(line)[1].get("file") for line in text.splitlines()]
    assert files == ["empty.py", "unread.py", "half.py", "half.py", "other.py", "other.py", None]


def test_a_line_of_a_notebook_is_told_with_its_cell():
    line = notebook_line(7, (5, 4))
    row = Row("a.ipynb", "a.ipynb", (Mark("softmax", "break", "It is wrong.", (), "softmax", "a.ipynb", line),))
    grades = Grades((row,), ("softmax",), "as asked for", 7, "2026-01-31T12:00:00")
    _, properties, message = annotation(github_text(grades).splitlines()[0])
    assert (properties.get("line"), message) == (None, "Line 2 of code cell 2: It is wrong.")
    found = json.loads(json_text(grades))
    jsonschema.validate(found, SCHEMA)
    assert [found["submissions"][0]["parts"][0][key] for key in ("line", "cell")] == [2, 2]
    assert "a.ipynb:2 of code cell 2: It is wrong." in junit_text(grades)


def test_the_check_of_github_can_fail():
    for line in (
        "plain",
        "::error file=a,lin=3::x",
        "::error file=100%::x",
        "::error line=a::x",
        "::error file=a::x\ny",
        "::error file=a::x%3Ay",
    ):
        with pytest.raises(ValueError):  # noqa: PT011 (of whatever it says)
            annotation(line)
    assert unescaped("%253A%0A", ESCAPES) == "%3A\n"


# ---- CSV and JSON ----


@pytest.mark.parametrize("text", HOSTILE)
def test_csv_has_a_row_for_each_submission_and_no_formula(text: str):
    grades = a_class(text)
    written = csv_text(grades)
    assert written.endswith("\r\n")
    assert written.count("\r\n") == 5  # a head and four rows, nothing within a cell
    rows = list(csv.reader(io.StringIO(written, newline=""), strict=True))
    assert {len(row) for row in rows} == {10}
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert rows[1][0].removeprefix("'") == grades.rows[0].name


def test_csv_says_of_each_part_what_the_table_says():
    grades = a_class()
    table = [[cell or "" for cell in row[2:]] for row in grade_page(grades, "")["submissions"].rows]
    assert [row[3:9:2] for row in list(csv.reader(csv_text(grades).splitlines()))[1:]] == table
    assert table[1] == ["", "", ""]  # which could not be read


def test_a_grade_that_the_grader_could_not_give_is_no_zero():
    grades = a_class(failed=True)
    assert csv_text(grades).splitlines()[4].startswith("d.py,,")
    assert json.loads(json_text(grades))["submissions"][3]["points"] is None
    assert grade_page(grades, "")["submissions"].rows[3][1] is None


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_valid(text: str):
    found = json.loads(json_text(a_class(text)))
    jsonschema.validate(found, SCHEMA)
    assert {one["submissions"] for one in found["faults"]} == {1}


def test_the_schema_can_fail():
    found = json.loads(json_text(a_class()))
    found["submissions"][0]["parts"][0]["points"] = 0.7
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, SCHEMA)


# ---- the page ----


def test_the_page_names_nobody_beside_a_fault():
    result = grade_page(a_class(), "attn-lab grade class --seed 7")
    assert [row[0] for row in result["faults"].rows] == [
        "cannot be read",
        "mask-flip or mask-none",
        "missing",
        "softmax-no-shift",
    ]
    assert result["faults"].rows[1][2] == "attn-lab explain mask-flip"
    assert not any(".py" in str(cell) for row in result["faults"].rows for cell in row)


def test_the_page_tells_what_held_and_what_did_not():
    text = grade_page(a_class("no such wall"), "")["sandbox"].text
    assert text == "Protections that held: tree. Not held: network (no such wall)."
