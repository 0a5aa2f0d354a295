"""A Result as plain text, for a screen reader or a pipe.

Parts follow one another: no aligned columns, no borders, no colour, and every number as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from attention_lab.claims.documents import with_title
from attention_lab.result import Diff, Line, Matrix, Note, Pair, Part, Result, Series, Signs, Statement, Table
from attention_lab.show.axis import FEW, finite_values
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.numbers import cell_text, format_lone_number, format_number, format_position

SAMPLED_POINTS = 10  # points written of a curve that has more than FEW
WORDS = Glyphs(nothing="none", minus="minus ", infinity="infinity")
LINE_FATES = {"-": " goes", "+": " comes", " ": ""}
MOVES = {"up": "rises", "down": "falls", "lost": "cannot be taken", "": "stays"}


def note_text(note: Note) -> Iterator[str]:
    """The paragraph as it was written, with no line breaks added."""
    yield note.text


def statement_text(statement: Statement) -> Iterator[str]:
    """The verdict in words, the claim and the measurement on one line, then a line for each command."""
    verdict = "Quoted" if statement.holds is None else "Holds" if statement.holds else "Does not hold"
    verdict = f"Holds when {statement.when}" if statement.when else verdict
    source = f" ({statement.source})" if statement.source else ""
    measured = statement.measured if statement.holds is None else f"Measured: {statement.measured}"
    yield f"{verdict}{source}: {statement.claim} {' '.join(measured.splitlines())}".rstrip()
    yield from (f"Command: {command}" for command in statement.commands)


def spoken_labels(names: Sequence[str], title: str) -> list[str]:
    """Names of rows or columns, made unambiguous to the ear.

    A repeated name gets its place; a name that is only a number gets the title of its axis, or it would sound like a
    value.
    """
    counted = [f"{title} {name}" if name.isdecimal() and title else name for name in names]
    return [f"place {place} {name}" if counted.count(name) > 1 else name for place, name in enumerate(counted, 1)]


def matrix_text(matrix: Matrix) -> Iterator[str]:
    """One line for each row: each number after the name of its column, then the names of hidden columns."""
    yield f"Matrix: {matrix.title} (lines: {matrix.row_title}, in each of them: {matrix.column_title})"
    rows, columns = spoken_labels(matrix.rows, ""), spoken_labels(matrix.columns, matrix.column_title)
    for i, row in enumerate(matrix.values):
        hidden = matrix.hidden[i] if matrix.hidden else (False,) * len(row)
        cells = list(zip(columns, row, hidden, strict=True))
        numbers = [
            f"{name} {format_number(value, matrix.digits, WORDS)}" for name, value, masked in cells if not masked
        ]
        masked_names = [name for name, _, masked in cells if masked]
        parts = [", ".join(numbers)] if numbers else []
        parts += ["hidden: " + ", ".join(masked_names)] if masked_names else []
        yield f"{rows[i]}: {'. '.join(parts)}"


def table_text(table: Table) -> Iterator[str]:
    """One line for each row, each cell after the name of its column."""
    yield f"Table: {table.title}"
    for row in table.rows:
        cells = []
        for cell, column in zip(row, table.columns, strict=True):
            unit = f" {column.unit}" if column.unit and cell is not None else ""
            cells.append(f"{column.name} {cell_text(cell, column.digits, WORDS)}{unit}")
        yield ": ".join(filter(None, [cells[0], ", ".join(cells[1:])])) if cells else ""


def curve_summary(series: Series, line: Line) -> str:
    """First, last, lowest and highest value of a curve, and how many values are not finite."""
    points = list(zip(line.values, series.x, strict=True))
    drawn = [point for point in points if finite_values(point[:1])]
    marks = [("first", points[0]), ("last", points[-1])]
    marks += [("lowest", min(drawn)), ("highest", max(drawn))] if drawn else []
    told = [
        f"{mark} {format_lone_number(value, series.digits, WORDS)} at {format_position(x, WORDS)}"
        for mark, (value, x) in marks
    ]
    lost = len(points) - len(drawn)
    return f"{line.name}: {', '.join(told)}" + (f". {lost} of {len(points)} values are not finite" if lost else "")


def series_text(series: Series) -> Iterator[str]:
    """One line for each x with the value of every curve; of long curves a summary and a sample of the points."""
    yield f"Curves: {series.title}" + (f" (values: {series.y_title})" if series.y_title else "")
    count = len(series.x)
    if count > FEW:
        yield from (curve_summary(series, line) for line in series.lines)
        yield f"{SAMPLED_POINTS} of {count} points follow; --json and --html have all of them."
    lines = SAMPLED_POINTS if count > FEW else count
    for i in (round(step * (count - 1) / max(lines - 1, 1)) for step in range(lines)):
        values = [f"{line.name} {format_lone_number(line.values[i], series.digits, WORDS)}" for line in series.lines]
        yield f"{series.x_title} {format_position(series.x[i], WORDS)}: {', '.join(values)}"


def diff_text(diff: Diff) -> Iterator[str]:
    """One line for each line of source, with whether it goes, comes or stays."""
    yield f"Source: {diff.title}"
    for line in diff.lines:
        yield f"Line {line.number}{LINE_FATES[line.sign]}: {line.text.strip()}"


def pair_text(pair: Pair) -> Iterator[str]:
    """Both matrices, one after the other, then the cells that differ."""
    yield from matrix_text(replace(pair.left, title=f"{pair.title}, healthy"))
    yield from matrix_text(replace(pair.right, title=f"{pair.title}, broken"))
    rows, columns = spoken_labels(pair.right.rows, ""), spoken_labels(pair.right.columns, pair.right.column_title)
    for row, marks in zip(rows, pair.changed, strict=True):
        names = [name for name, mark in zip(columns, marks, strict=True) if mark]
        if names:
            yield f"Changed in {row}: {', '.join(names)}"


def signs_text(signs: Signs) -> Iterator[str]:
    """One line for each vital sign: both values, the direction of its move, and its sentence."""
    yield f"Vital signs: {signs.title}"
    for sign in signs.signs:
        values = [cell_text(value, 3, WORDS) for value in (sign.healthy, sign.broken)]
        moved, says = MOVES[sign.moved], sign.reason or sign.sentence
        yield f"{sign.name} ({sign.unit}): healthy {values[0]}, broken {values[1]}, {moved}. {says}"


def part_text(part: Part) -> Iterator[str]:
    """The lines of one part. A new kind of part gets its case here."""
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
    """The name of the demo, its title, and the question to answer before reading on."""
    if result.demo or result.title:
        yield ": ".join(filter(None, (result.demo, result.title)))
    if result.question:
        yield f"Question: {result.question}"


def foot_text(result: Result) -> Iterator[str]:
    """The documents, the seed and the command of a result."""
    if result.documents:
        yield f"Documents: {', '.join(map(with_title, result.documents))}"
    if result.seed is not None:
        yield f"Seed: {result.seed}"
    if result.command:
        yield f"Command: {result.command}"


def plain_text(result: Result) -> str:
    """The whole result, with an empty line between parts and no newline at the end."""
    blocks: Iterable[Iterator[str]] = (head_text(result), *map(part_text, result.parts), foot_text(result))
    return "\n\n".join(filter(None, ("\n".join(block) for block in blocks)))
