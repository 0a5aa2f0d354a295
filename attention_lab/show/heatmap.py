"""A Matrix on a terminal: a number in every cell, on a colour that shows the pattern from afar."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from attention_lab.result import Matrix
from attention_lab.show.colours import as_hex, colour_of, colour_range, ink_on
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.layout import balanced_runs, one_line, pad, truncate, wrap
from attention_lab.show.numbers import format_number
from attention_lab.show.theme import ASIDE, CAPTION, HEAD, LABEL

CellMarks = tuple[tuple[bool, ...], ...]  # one mark for each cell of a matrix


def is_hidden(matrix: Matrix, row: int, column: int) -> bool:
    """True if the cell is masked."""
    return matrix.hidden is not None and matrix.hidden[row][column]


def visible_values(matrix: Matrix) -> list[float]:
    """The numbers that are not hidden."""
    return [value for i, row in enumerate(matrix.values) for j, value in enumerate(row) if not is_hidden(matrix, i, j)]


@dataclass(frozen=True)
class CellFormat:
    """Format shared by the cells of one matrix: the width of the widest number, and the range of the colours."""

    widest: int
    low: float
    high: float
    glyphs: Glyphs


def cell_format(matrix: Matrix, glyphs: Glyphs) -> CellFormat:
    """The format that fits every visible number of the matrix."""
    values = visible_values(matrix)
    widest = max((len(format_number(value, matrix.digits, glyphs)) for value in values), default=1)
    return CellFormat(widest, *colour_range(values), glyphs)


def heat_style(value: float, cells: CellFormat) -> Style:
    """The colour behind a number and that of its digits; NaN and infinities have no colour."""
    if not math.isfinite(value):
        return Style()
    colour = colour_of(value, cells.low, cells.high)
    return Style(color=as_hex(ink_on(colour)), bgcolor=as_hex(colour))


def styled_cell(
    matrix: Matrix, row: int, column: int, width: int, cells: CellFormat, mark: str
) -> tuple[str, Style | str]:
    """One cell and its style, centred; decimal points line up, and a hidden cell is a glyph."""
    if is_hidden(matrix, row, column):
        return pad(mark.strip() + cells.glyphs.hidden, width, "centre"), ASIDE
    value = matrix.values[row][column]
    digits = pad(mark + format_number(value, matrix.digits, cells.glyphs), cells.widest + len(mark), "right")
    return pad(digits, width, "centre"), heat_style(value, cells)


def column_width_needed(names: list[str], cells: CellFormat) -> int:
    """Least width of a column: its numbers, or enough of the names to tell them apart, and a space."""
    whole = max(map(cell_len, names), default=0)
    for width in range(cells.widest, whole):
        if len({truncate(name, width, cells.glyphs.cut) for name in names}) == len(set(names)):
            return width + 1
    return max(cells.widest, whole) + 1


def matrix_width_needed(matrix: Matrix, glyphs: Glyphs) -> int:
    """Least width in which all columns stand side by side."""
    label = max(map(cell_len, map(one_line, matrix.rows)), default=0)
    return label + len(matrix.columns) * column_width_needed(
        [one_line(name) for name in matrix.columns], cell_format(matrix, glyphs)
    )


def matrix_lines(matrix: Matrix, width: int, glyphs: Glyphs, marked: CellMarks | None = None) -> Iterator[Text]:
    """The lines of a matrix. Columns that do not fit go on below, under repeated row labels; numbers are never cut.

    `marked` cells have an asterisk before their number.
    """
    for title in wrap(matrix.title, width):
        yield Text(title, CAPTION)
    for axes in wrap(f"rows: {matrix.row_title}, columns: {matrix.column_title}", width):
        yield Text(axes, ASIDE)
    cells = cell_format(matrix, glyphs)
    rows, columns = [one_line(name) for name in matrix.rows], [one_line(name) for name in matrix.columns]
    label = min(max(map(cell_len, rows), default=0), max(4, width // 3), max(1, width - cells.widest - 2))
    room = width - label
    wanted = max(cells.widest + 2, *(cell_len(name) + 1 for name in columns), 0)
    for run in balanced_runs(len(columns), room // column_width_needed(columns, cells)):
        if run.start:
            yield Text()
        each = min(wanted, room // len(columns[run]))
        names = (pad(truncate(name, each - 1, glyphs.cut), each - 1, "centre") for name in columns[run])
        yield Text(" " * label + " " + " ".join(names).rstrip(), HEAD)
        for i, row in enumerate(rows):
            line = Text().append(pad(truncate(row, label, glyphs.cut), label), LABEL)
            for j in range(len(columns))[run]:
                mark = "" if marked is None else "*" if marked[i][j] else " "
                line.append(*styled_cell(matrix, i, j, each, cells, mark))
            yield line
