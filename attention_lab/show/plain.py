"""A Result as plain text, to be heard from a screen reader or sorted and searched in a pipe.

One thing after the other: no columns to line up, no borders, no colour, and every number as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from attention_lab.claims.documents import with_title
from attention_lab.result import Diff, Line, Matrix, Note, Pair, Part, Result, Series, Signs, Statement, Table
from attention_lab.show.axis import FEW, finite
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.numbers import cell_text, number, short, small

TOLD = 10  # points of a curve that has more than FEW
WORDS = Glyphs(nothing="none", minus="minus ", infinity="infinity")
DONE = {"-": " goes", "+": " comes", " ": ""}
MOVES = {"up": "rises", "down": "falls", "lost": "cannot be taken", "": "stays"}


def note_text(note: Note) -> Iterator[str]:
    """The paragraph on one line, however long; a screen reader and a terminal break it as they like."""
    yield note.text


def statement_text(statement: Statement) -> Iterator[str]:
    """The verdict in words, the claim and what was measured, on one line; then the commands that show it."""
    verdict = "Quoted" if statement.holds is None else "Holds" if statement.holds else "Does not hold"
    verdict = f"Holds when {statement.when}" if statement.when else verdict
    source = f" ({statement.source})" if statement.source else ""
    measured = statement.measured if statement.holds is None else f"Measured: {statement.measured}"
    yield f"{verdict}{source}: {statement.claim} {' '.join(measured.splitlines())}".rstrip()
    yield from (f"Command: {command}" for command in statement.commands)


def spoken(names: Sequence[str], title: str) -> list[str]:
    """Names of rows or columns. Of one that stands there twice the place is told, or one could not tell which it is.

    One that is only a number says what it counts, or it would sound like a value.
    """
    counted = [f"{title} {name}" if name.isdecimal() and title else name for name in names]
    return [f"place {place} {name}" if counted.count(name) > 1 else name for place, name in enumerate(counted, 1)]


def matrix_text(matrix: Matrix) -> Iterator[str]:
    """One line for each row: the number after the name of its column, and at the end what is hidden."""
    yield f"Matrix: {matrix.title} (lines: {matrix.row_title}, in each of them: {matrix.column_title})"
    rows, columns = spoken(matrix.rows, ""), spoken(matrix.columns, matrix.column_title)
    for i, row in enumerate(matrix.values):
        hidden = matrix.hidden[i] if matrix.hidden else (False,) * len(row)
        named = list(zip(columns, row, hidden, strict=True))
        shown = [f"{name} {number(value, matrix.digits, WORDS)}" for name, value, masked in named if not masked]
        masked_names = [name for name, _, masked in named if masked]
        parts = [", ".join(shown)] if shown else []
        parts += ["hidden: " + ", ".join(masked_names)] if masked_names else []
        yield f"{rows[i]}: {'. '.join(parts)}"


def table_text(table: Table) -> Iterator[str]:
    """One line for each row: the first cell, then every other one after the name of its column."""
    yield f"Table: {table.title}"
    for row in table.rows:
        cells = []
        for cell, column in zip(row, table.columns, strict=True):
            unit = f" {column.unit}" if column.unit and cell is not None else ""
            cells.append(f"{column.name} {cell_text(cell, column.digits, WORDS)}{unit}")
        yield ": ".join(filter(None, [cells[0], ", ".join(cells[1:])])) if cells else ""


def course(series: Series, line: Line) -> str:
    """Where a curve starts, ends, and turns, and how much of it is no number."""
    points = list(zip(line.values, series.x, strict=True))
    drawn = [point for point in points if finite(point[:1])]
    marks = [("first", points[0]), ("last", points[-1])]
    marks += [("lowest", min(drawn)), ("highest", max(drawn))] if drawn else []
    told = [f"{mark} {small(value, series.digits, WORDS)} at {short(x, WORDS)}" for mark, (value, x) in marks]
    lost = len(points) - len(drawn)
    return f"{line.name}: {', '.join(told)}" + (f". {lost} of {len(points)} values are not finite" if lost else "")


def series_text(series: Series) -> Iterator[str]:
    """One line for each x, with the value of every curve there; of a long one its course, and some of the points."""
    yield f"Curves: {series.title}" + (f" (values: {series.y_title})" if series.y_title else "")
    count = len(series.x)
    if count > FEW:
        yield from (course(series, line) for line in series.lines)
        yield f"{TOLD} of {count} points follow; --json and --html have all of them."
    told = TOLD if count > FEW else count
    for i in (round(step * (count - 1) / max(told - 1, 1)) for step in range(told)):
        values = [f"{line.name} {small(line.values[i], series.digits, WORDS)}" for line in series.lines]
        yield f"{series.x_title} {short(series.x[i], WORDS)}: {', '.join(values)}"


def diff_text(diff: Diff) -> Iterator[str]:
    """One line for each line of source, with what happens to it."""
    yield f"Source: {diff.title}"
    for line in diff.lines:
        yield f"Line {line.number}{DONE[line.sign]}: {line.text.strip()}"


def pair_text(pair: Pair) -> Iterator[str]:
    """Both matrices, one after the other, and which cells differ."""
    yield from matrix_text(replace(pair.left, title=f"{pair.title}, healthy"))
    yield from matrix_text(replace(pair.right, title=f"{pair.title}, broken"))
    rows, columns = spoken(pair.right.rows, ""), spoken(pair.right.columns, pair.right.column_title)
    for row, marks in zip(rows, pair.changed, strict=True):
        names = [name for name, mark in zip(columns, marks, strict=True) if mark]
        if names:
            yield f"Changed in {row}: {', '.join(names)}"


def signs_text(signs: Signs) -> Iterator[str]:
    """One line for each vital sign: both values, where it went, and what it says."""
    yield f"Vital signs: {signs.title}"
    for sign in signs.signs:
        values = [cell_text(value, 3, WORDS) for value in (sign.healthy, sign.broken)]
        moved, says = MOVES[sign.moved], sign.reason or sign.sentence
        yield f"{sign.name} ({sign.unit}): healthy {values[0]}, broken {values[1]}, {moved}. {says}"


def part_text(part: Part) -> Iterator[str]:
    """The lines of one part. A new kind of part gets its line here."""
    match part:
        case Note():
            return note_text(part)
        case Statement():
            return statement_text(part)
        case Matrix():
            return matrix_text(part)
        case Table():
            return table_text(part)
        case Series():
            return series_text(part)
        case Diff():
            return diff_text(part)
        case Pair():
            return pair_text(part)
        case Signs():
            return signs_text(part)
        case _:
            assert_never(part)


def head_text(result: Result) -> Iterator[str]:
    """The name, what it shows, and the question to answer before reading on."""
    if result.demo or result.title:
        yield ": ".join(filter(None, (result.demo, result.title)))
    if result.question:
        yield f"Question: {result.question}"


def foot_text(result: Result) -> Iterator[str]:
    """Where it comes from and how to see it again."""
    if result.documents:
        yield f"Documents: {', '.join(map(with_title, result.documents))}"
    if result.seed is not None:
        yield f"Seed: {result.seed}"
    if result.command:
        yield f"Command: {result.command}"


def plain(result: Result) -> str:
    """The whole result, an empty line between its parts, none after the last line."""
    blocks: Iterable[Iterator[str]] = (head_text(result), *map(part_text, result.parts), foot_text(result))
    return "\n\n".join(filter(None, ("\n".join(block) for block in blocks)))
