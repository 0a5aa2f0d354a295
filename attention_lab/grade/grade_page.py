"""The page of a class: a row for each submission, what went wrong how often, and what the figures mean."""

from __future__ import annotations

from collections.abc import Iterator

from attention_lab.breaks import BREAKS
from attention_lab.check.check_page import protections
from attention_lab.grade.marks import RULE, Grades, Mark, Row
from attention_lab.result import Cell, Column, Note, Part, Result, Table, table
from attention_lab.text import count, first_of, listed

TOLD = 20  # named functions that are wrong and no part of the grade


def mark_text(mark: Mark) -> str:
    """Mark of a part in a word or two."""
    if mark.verdict == "inherited":
        return f"from {mark.origin}"
    if mark.verdict == "edges" and mark.faults:
        return f"right, but for {' and '.join(mark.wrong)}"
    return " and ".join(mark.wrong) or "right"


def mark_texts(row: Row) -> list[str | None]:
    """Marks of a row in a word or two each; None for all where the file could not be read."""
    return [None if row.unreadable else mark_text(mark) for mark in row.marks]


def row_cells(row: Row) -> Iterator[Cell]:
    """Cells of a row of the table."""
    yield row.name
    yield None if row.failed else row.points
    yield from mark_texts(row)


def submissions_table(grades: Grades) -> Table:
    """A row for each submission."""
    points = Column("points", 1, f"of {len(grades.parts)}")
    return table("submissions", "Submissions", ("submission", points, *grades.parts), map(row_cells, grades.rows))


def beside_note(grades: Grades) -> Iterator[Note]:
    """Note on wrong functions that cost nothing, since too few submissions have them for a part."""
    told = [f"{row.name}: {mark.function} ({mark_text(mark)})" for row in grades.rows for mark in row.beside]
    if told:
        yield Note("beside", f"Wrong, but no part here: {first_of(told, TOLD)}.")


def reasons_table(grades: Grades) -> Table:
    """Table of reasons why submissions could not be checked, or not wholly."""
    rows = [(row.name, row.reason) for row in grades.rows if row.reason]
    return table("reasons", "What could not be checked, or not all of it", ("submission", "reason"), rows)


def explain_command(fault: str) -> str | None:
    """Command that explains a fault; the first of several indistinguishable ones."""
    name = fault.partition(" or ")[0].partition(" and ")[0]
    return f"attn-lab explain {name}" if any(one.name == name for one in BREAKS) else None


def faults_table(grades: Grades) -> Table:
    """Table of faults with the number of submissions."""
    rows = [(fault, number, explain_command(fault)) for fault, number in grades.faults]
    return table("faults", "What went wrong, in how many submissions", ("fault", "submissions", "to read"), rows)


def summary_line(grades: Grades) -> str:
    """Summary in one line."""
    right = sum(row.right for row in grades.rows)
    verdict = "all right" if right == len(grades.rows) else f"{right} all right"
    return f"{count(len(grades.rows), 'submission')}, {count(len(grades.parts), 'part')}: {verdict}"


def grade_page(grades: Grades, command: str) -> Result:
    """The whole page."""
    parts: list[Part] = [submissions_table(grades), *beside_note(grades)]
    if any(row.reason for row in grades.rows):
        parts.append(reasons_table(grades))
    if grades.faults:
        parts.append(faults_table(grades))
    if grades.parts:
        parts.append(Note("rule", f"{RULE} The parts are {listed(grades.parts)}: {grades.chosen}."))
    if grades.left_out:
        parts.append(Note("left-out", f"Neither code nor a folder, and left out: {listed(grades.left_out)}."))
    parts.append(protections(grades.held))
    return Result(tuple(parts), title=summary_line(grades), seed=grades.seed, command=command)
