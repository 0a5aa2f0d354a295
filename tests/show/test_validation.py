"""A Result that no view could show is told in a sentence; one that every view can show is let through."""

from __future__ import annotations

import io
from dataclasses import fields, replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from show_samples import COMPARED, FULL, SOME, results

from attention_lab.demo.validation import KINDS, flaw
from attention_lab.result import Column, Line, Matrix, Note, Part, Result, Series, Statement, Table, matrix, table
from attention_lab.show.html import result_page
from attention_lab.show.jsonview import result_json_text
from attention_lab.show.plain import plain_text
from attention_lab.show.terminal import make_console, print_result

EVERYTHING = (*FULL.parts, *COMPARED.parts)
GRID = matrix("m", "M", [[1, 2], [3, 4]], ["a", "b"], ["c", "d"])
CURVE = Series("s", "S", "x", "y", (1.0, 2.0), (Line("one", (1.0, 2.0)),))
WRONG = [
    (Note("n", "text"), "Its parts are Note(name='n', text='text'), not a tuple"),
    ("text", "Its parts are 'text', not a tuple"),
    (("text",), "Part 1 is 'text', and not one of Note, Statement, "),
    ((Note("n", "text"), None), "Part 2 is None, and not one of Note"),
    ((Note,), "Part 1 is <class 'attention_lab.result.Note'>, and not one of Note"),
    ((Note("n", 5),), "In part 1, the Note 'n', text is 5, not str"),
    ((Note(5, "text"),), "In part 1, the Note 5, name is 5, not str"),
    ((Statement("s", "claim", "seen", holds="yes"),), "holds is 'yes', not bool | None"),
    ((Statement("s", "claim", "seen", holds=np.array([True, False])),), "not bool | None"),
    ((Statement("s", "claim", "seen", True, value="3"),), "value is '3', not float | None"),
    ((Statement("s", "claim", "seen", True, value=1j),), "value is 1j, not float | None"),
    ((Statement("s", "claim", "seen", True, commands=[1]),), "commands[0] is 1, not str"),
    ((replace(GRID, values=((1.0, 2.0), (3.0,))),), "values[1] has 1 cells for 2 columns"),
    ((replace(GRID, values=((1.0, 2.0),)),), "values has 1 rows for 2"),
    ((replace(GRID, values=np.ones((2, 2))),), "values is of type ndarray, not a tuple"),
    ((replace(GRID, values=((1.0, "2"), (3.0, 4.0))),), "values[0][1] is '2', not float"),
    ((replace(GRID, values=((1.0, None), (3.0, 4.0))),), "values[0][1] is None, not float"),
    ((replace(GRID, rows=(1, 2)),), "rows[0] is 1, not str"),
    ((replace(GRID, rows="ab"),), "rows is 'ab', not a tuple"),
    ((replace(GRID, columns=("c",)),), "values[0] has 2 cells for 1 columns"),
    ((replace(GRID, hidden=((True,),)),), "hidden has 1 rows for 2"),
    ((replace(GRID, digits=-1),), "digits is -1, not between 0 and 17"),
    ((replace(GRID, digits=2.0),), "digits is 2.0, not int"),
    ((Table("t", "T", ("a",), ((1,),)),), "columns[0] is 'a', not a Column"),
    ((replace(table("t", "T", ("a", "b"), [(1, 2)]), rows=((1,),)),), "rows[0] has 1 cells for 2 columns"),
    ((table("t", "T", ("a",), [([1],)]),), "rows[0][0] is [1], not str | bool | int | float | None"),
    ((table("t", "T", (Column("a", digits=99),), [(1.0,)]),), "digits is 99, not between"),
    ((replace(CURVE, x=(1.0,)),), "lines[0] has 2 cells for 1 columns"),
    ((replace(CURVE, lines=("one",)),), "lines[0] is 'one', not a Line"),
    ((replace(CURVE, lines=(Line("one", (1.0, "2")),)),), "lines[0].values[1] is '2', not float"),
]


@pytest.mark.parametrize(("parts", "what"), WRONG, ids=[what for _, what in WRONG])
def test_what_is_wrong_is_named(parts, what: str):
    assert what in flaw(Result(parts))


@pytest.mark.parametrize("one", EVERYTHING, ids=lambda part: part.name)
def test_every_field_of_every_part_is_looked_at(one: Part):
    for field in fields(one):
        assert f"{field.name} is of type Anything" in flaw(Result((replace(one, **{field.name: Anything()}),)))


class Anything:
    def __repr__(self) -> str:
        return "x" * 100


def test_all_kinds_of_parts_are_known():
    assert get_args(Part) == KINDS
    assert {type(part) for part in EVERYTHING} == set(KINDS)


FINE = [
    FULL,
    COMPARED,
    Result(()),
    Result([Note("n", "a list of parts")]),
    Result((replace(GRID, values=[[1, 2], [3, 4]], rows=["a", "b"]),)),
    Result((Statement("s", "claim", "seen", np.bool_(True), np.float32(0.5)),)),
    Result((Statement("s", "claim", "seen", None, np.array(0.5)),)),
    Result((Table("t", "T", (Column("a"),), ((np.int64(3),), (np.float32(0.5),), (None,), (float("nan"),))),)),
    Result((Table("t", "T", (Column("a"), Column("b")), ()),)),
    Result((Table("t", "T", (), ()),)),
    Result((Matrix("m", "M", (), (), ("c", "d")),)),
    Result((Matrix("m", "M", ((),), ("a",), ()),)),
    Result((replace(CURVE, x=(), lines=(Line("one", ()),)),)),
    Result((replace(CURVE, lines=()),)),
    Result((replace(CURVE, x=(float("nan"), float("inf"))),)),
    Result((Note("", ""),)),
]


@pytest.mark.parametrize("result", FINE)
def test_what_is_let_through_every_view_can_show(result: Result):
    assert flaw(result) == ""
    print_result(result, make_console(io.StringIO(), 80))
    assert isinstance(plain_text(result), str)
    assert result_json_text(result).startswith("{")
    assert result_page(result).startswith("<!doctype html>")


@SOME
@given(results)
def test_nothing_sound_is_refused(result: Result):
    assert flaw(result) == ""
