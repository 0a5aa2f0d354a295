"""Points, and what the class got wrong, from marks that are made up here."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from attention_lab.grade.grade_page import mark_text
from attention_lab.grade.marks import Grades, Mark, Row, charge_once, counting_mark, joint_faults, usual_parts


def mark(part: str, verdict: str, *faults: tuple[str, ...], function: str = "") -> Mark:
    return Mark(part, verdict, "", faults, function or part)


def graded(*rows: Row) -> Grades:
    return Grades(rows, (), "", 0, "")


@pytest.mark.parametrize(
    ("verdict", "points"),
    [
        ("right", 1),
        ("inherited", 1),
        ("edges", 0.5),
        ("break", 0),
        ("several", 0),
        ("unknown", 0),
        ("does-not-run", 0),
        ("missing", 0),
    ],
)
def test_points(verdict: str, points: float):
    assert mark("softmax", verdict).points == points


def from_attention(verdict: str, file: str = "") -> Mark:
    return Mark("multi_head", verdict, "", (("no-scale",),), "mha", file, origin="attention")


@pytest.mark.parametrize(("pays", "verdict"), [("break", "several"), ("unknown", "unknown"), ("edges", "edges")])
def test_a_fault_costs_the_part_of_the_function_that_has_it_and_of_no_other_that_calls_it(pays: str, verdict: str):
    marks = charge_once([mark("softmax", "right"), mark("attention", pays), from_attention(verdict)])
    assert [one.verdict for one in marks] == ["right", pays, "inherited"]
    assert mark_text(marks[2]) == "from attention"
    assert graded(Row("a", "a", marks)).faults == graded(Row("a", "a", marks[:2])).faults


@pytest.mark.parametrize(
    "others",
    [
        [],  # its part is not asked for
        [mark("attention", "right", function="attention")],  # it is wrong for another reason
        [mark("attention", "break", function="other")],  # another function counts for the part
        [replace(mark("attention", "break"), file="elsewhere.py")],  # of another file
        [replace(mark("attention", "break"), origin="softmax")],  # it does not pay itself
        [mark("softmax", "missing", function="")],
    ],
)
def test_where_no_part_pays_for_a_fault_who_calls_the_function_does(others: list[Mark]):
    assert charge_once([*others, from_attention("break")])[-1].points == 0
    assert charge_once([mark("rope", "missing"), mark("embed", "break")]) == (
        mark("rope", "missing"),
        mark("embed", "break"),
    )


def test_of_several_functions_the_one_of_its_name_counts_also_where_another_is_better():
    better, named = mark("softmax", "right", function="softmax_2"), mark("softmax", "edges", function="softmax")
    assert counting_mark("softmax", [better, named]) is named
    assert counting_mark("multi_head", [mark("multi_head", "unknown", function="MultiHead")]).verdict == "unknown"


def test_else_the_best_counts_and_else_it_is_missing():
    worse, better = mark("softmax", "break", function="f"), mark("softmax", "right", function="g")
    assert counting_mark("softmax", [worse, better]) is better
    assert counting_mark("attention", [worse, better]).verdict == "missing"


def test_parts_are_those_of_more_than_half_of_the_submissions_that_have_any():
    softmax, attention = mark("softmax", "right"), mark("attention", "break")
    assert usual_parts([[attention, softmax], [softmax], []]) == ("softmax",)
    assert usual_parts([[attention, softmax], [], []]) == ("softmax", "attention")
    assert usual_parts([[], []]) == ()


def test_a_fault_counts_once_for_a_submission_and_the_most_frequent_comes_first():
    twice = Row("a", "a", (mark("softmax", "break", ("x",)), mark("attention", "break", ("x",), ("y",))))
    once = Row("b", "b", (mark("softmax", "several", ("x", "z")), mark("attention", "break", ("y",))))
    assert graded(twice, once).faults == [("y", 2), ("x", 1), ("x or z", 1)]


def test_what_cannot_be_read_lacks_no_part():
    unread = Row("a", "a", (mark("softmax", "missing"),), "It is a pipe.", unreadable=True)
    assert graded(unread).faults == [("cannot be read", 1)]
    assert graded(Row("a", "a", (mark("softmax", "missing"),))).faults == [("missing", 1)]


def test_a_submission_is_right_if_it_has_all_points_and_any():
    assert Row("a", "a", (mark("softmax", "right"),)).right
    assert not Row("a", "a", (mark("softmax", "right"), mark("attention", "edges"))).right
    assert not Row("a", "a", ()).right


@pytest.mark.parametrize(
    ("matches", "faults"),
    [
        ([()], ()),
        ([("a",)], (("a",),)),
        ([("a",), ("b",)], (("a", "b"),)),
        ([("a", "b")], (("a",), ("b",))),
        ([("a", "b"), ("a", "c")], (("a",), ("b", "c"))),
        ([("a",), ("b", "c")], (("a", "b and c"),)),
    ],
)
def test_candidates_that_nothing_tells_apart_are_one_fault(matches: list, faults: tuple):
    assert joint_faults([SimpleNamespace(faults=names) for names in matches]) == faults
