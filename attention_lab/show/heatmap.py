"""A Matrix on a terminal: the number in every cell, on a colour that shows the pattern from the last row of a room."""

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
from attention_lab.show.layout import balanced, one_line, padded, shortened, wrapped
from attention_lab.show.numbers import number
from attention_lab.show.theme import ASIDE, CAPTION, HEAD, LABEL

Cells = tuple[tuple[bool, ...], ...]  # one for each cell of a matrix


def is_hidden(matrix: Matrix, row: int, column: int) -> bool:
    """Whether the cell is masked."""
    return matrix.hidden is not None and matrix.hidden[row][column]


def shown_values(matrix: Matrix) -> list[float]:
    """The numbers that are not hidden."""
    cells = ((i, j, value) for i, row in enumerate(matrix.values) for j, value in enumerate(row))
    return [value for i, j, value in cells if not is_hidden(matrix, i, j)]


@dataclass(frozen=True)
class Look:
    """What the cells of one matrix have in common: the width of the widest number, and the range of the colours."""

    widest: int
    low: float
    high: float
    glyphs: Glyphs


def look_of(matrix: Matrix, glyphs: Glyphs) -> Look:
    """The look that suits every number of the matrix."""
    shown = shown_values(matrix)
    widest = max((len(number(value, matrix.digits, glyphs)) for value in shown), default=1)
    return Look(widest, *colour_range(shown), glyphs)


def heat_style(value: float, look: Look) -> Style:
    """The colour behind a number and the ink on it; none for NaN and infinities, which no colour stands for."""
    if not math.isfinite(value):
        return Style()
    colour = colour_of(value, look.low, look.high)
    return Style(color=as_hex(ink_on(colour)), bgcolor=as_hex(colour))


def cell(matrix: Matrix, row: int, column: int, width: int, look: Look, mark: str) -> tuple[str, Style | str]:
    """One cell and its style. Numbers stand point under point in the middle, as does the glyph of a hidden one."""
    if is_hidden(matrix, row, column):
        return padded(mark.strip() + look.glyphs.hidden, width, "centre"), ASIDE
    value = matrix.values[row][column]
    digits = padded(mark + number(value, matrix.digits, look.glyphs), look.widest + len(mark), "right")
    return padded(digits, width, "centre"), heat_style(value, look)


def least_width(names: list[str], look: Look) -> int:
    """The width of a column that holds its numbers and enough of the names to tell them apart, and a space."""
    whole = max(map(cell_len, names), default=0)
    for width in range(look.widest, whole):
        if len({shortened(name, width, look.glyphs.cut) for name in names}) == len(set(names)):
            return width + 1
    return max(look.widest, whole) + 1


def width_needed(matrix: Matrix, glyphs: Glyphs) -> int:
    """The least width in which no column has to go on below."""
    label = max(map(cell_len, map(one_line, matrix.rows)), default=0)
    return label + len(matrix.columns) * least_width(
        [one_line(name) for name in matrix.columns], look_of(matrix, glyphs)
    )


def heatmap(matrix: Matrix, width: int, glyphs: Glyphs, marked: Cells | None = None) -> Iterator[Text]:
    """The lines of a matrix. One too wide goes on below, its row labels repeated; numbers are never cut.

    `marked` cells have an asterisk before their number.
    """
    for title in wrapped(matrix.title, width):
        yield Text(title, CAPTION)
    for axes in wrapped(f"rows: {matrix.row_title}, columns: {matrix.column_title}", width):
        yield Text(axes, ASIDE)
    look = look_of(matrix, glyphs)
    rows, columns = [one_line(name) for name in matrix.rows], [one_line(name) for name in matrix.columns]
    label = min(max(map(cell_len, rows), default=0), max(4, width // 3), max(1, width - look.widest - 2))
    room = width - label
    wanted = max(look.widest + 2, *(cell_len(name) + 1 for name in columns), 0)
    for run in balanced(len(columns), room // least_width(columns, look)):
        if run.start:
            yield Text()
        each = min(wanted, room // len(columns[run]))
        names = (padded(shortened(name, each - 1, glyphs.cut), each - 1, "centre") for name in columns[run])
        yield Text(" " * label + " " + " ".join(names).rstrip(), HEAD)
        for i, row in enumerate(rows):
            line = Text().append(padded(shortened(row, label, glyphs.cut), label), LABEL)
            for j in range(len(columns))[run]:
                mark = "" if marked is None else "*" if marked[i][j] else " "
                line.append(*cell(matrix, i, j, each, look, mark))
            yield line
