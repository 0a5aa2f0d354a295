"""A Table on a terminal: columns side by side while they fit, then below each other, then one block for each row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from attention_lab.result import Table
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.layout import longest_word, one_line, padded, wrapped
from attention_lab.show.numbers import cell_text, heading
from attention_lab.show.theme import ASIDE, CAPTION, HEAD, LABEL

GAP = 2  # cells between two columns, at least
APART = 4  # where there is room: the heads of neighbours, of several words each, do not read as one
HEAD_LINES = 3  # of a head that is wrapped; taller ones only where nothing else fits
UNBROKEN = 16  # a text up to so long stays on one line
LONGEST = 24  # a word longer than this may be broken to save a column


def narrowest(text: str, lines: int) -> int:
    """The least width at which the text, its words unbroken, takes at most so many lines."""
    width = max(1, longest_word(text))
    while len(wrapped(text, width)) > lines:
        width += 1
    return width


class Sheet:
    """A table as the strings that are shown, with the least width and the width of the cells of each column."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        self.heads = [one_line(heading(column)) for column in table.columns]
        self.rows = [
            [one_line(cell_text(cell, column.digits, glyphs)) for cell, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ]
        columns = range(len(self.heads))
        self.text = [any(isinstance(row[j], str) for row in table.rows) for j in columns]
        self.cells = [max((cell_len(row[j]) for row in self.rows), default=0) for j in columns]
        self.least = [self.least_width(j) for j in columns]

    def least_width(self, j: int) -> int:
        """Numbers are never broken, short texts stay on one line, longer ones and the head are wrapped at spaces."""
        least = min(longest_word(self.heads[j]), LONGEST)
        for row in self.rows:
            width = cell_len(row[j])
            if self.text[j] and width > UNBROKEN:
                width = min(longest_word(row[j]), LONGEST)
            least = max(least, width)
        return least


def runs_that_fit(least: list[int], width: int) -> list[list[int]] | None:
    """The columns that stand side by side, run by run, the first one in each of them. None if not even two fit."""
    runs: list[list[int]] = [[0]]
    for j in range(1, len(least)):
        if sum(least[k] + GAP for k in runs[-1]) + least[j] > width and len(runs[-1]) > 1:
            runs.append([0])
        runs[-1].append(j)
    fits = all(sum(least[j] + GAP for j in run) - GAP <= width for run in runs)
    return runs if fits else None


def shared_out(widths: list[int], wanted: list[int], width: int) -> list[int]:
    """Widths that grow by turns towards those that are wanted, for as long as they fit into `width` side by side."""
    widths, left = list(widths), width - sum(widths) - GAP * (len(widths) - 1)
    while left > 0 and (hungry := [j for j, wish in enumerate(wanted) if widths[j] < wish]):
        for j in hungry[:left]:
            widths[j] += 1
        left = width - sum(widths) - GAP * (len(widths) - 1)
    return widths


def widths_of(sheet: Sheet, run: list[int], width: int) -> tuple[list[int], int]:
    """The width of each column of a run, and the gap between two of them.

    Heads are wrapped as little as lets every cell stay on one line, and the rest of the room sets the columns apart.
    Where long texts do not let it, these share what is there.
    """
    gaps = len(run) - 1
    for lines in range(1, HEAD_LINES + 1):
        wanted = [max(sheet.cells[j], narrowest(sheet.heads[j], lines)) for j in run]
        if sum(wanted) + APART * gaps <= width:
            return wanted, APART
    widths = shared_out([sheet.least[j] for j in run], wanted, width)
    return widths, min(APART, (width - sum(widths)) // gaps) if gaps else GAP


def row_lines(
    cells: list[list[str]], widths: list[int], gap: int, aligns: list[str], styles: list[str]
) -> Iterator[Text]:
    """One row, whose cells are lines already, over as many lines as the longest of them."""
    for pieces in zip_longest(*cells, fillvalue=""):
        line = Text()
        for piece, width, align, style in zip(pieces, widths, aligns, styles, strict=True):
            line.append(" " * gap if line else "").append(padded(piece, width, align), style)
        line.rstrip()
        yield line


def side_by_side(sheet: Sheet, run: list[int], width: int, glyphs: Glyphs) -> Iterator[Text]:
    """Some columns of the table under their heads. What is text stands left, numbers stand right."""
    sizes, gap = widths_of(sheet, run, width)
    aligns = ["left" if sheet.text[j] else "right" for j in run]
    heads = [wrapped(sheet.heads[j], size) for j, size in zip(run, sizes, strict=True)]
    tallest = max(map(len, heads))
    yield from row_lines([[""] * (tallest - len(head)) + head for head in heads], sizes, gap, aligns, [HEAD] * len(run))
    yield Text((" " * gap).join(glyphs.rule * size for size in sizes), ASIDE)
    styles = [LABEL if j == 0 else "" for j in run]
    for row in sheet.rows:
        cells = [wrapped(row[j], size) for j, size in zip(run, sizes, strict=True)]
        yield from row_lines(cells, sizes, gap, aligns, styles)


def blocks(sheet: Sheet, width: int) -> Iterator[Text]:
    """One block for each row, one line or more for each of its cells."""
    for number, row in enumerate(sheet.rows):
        if number:
            yield Text()
        for j, (head, cell) in enumerate(zip(sheet.heads, row, strict=True)):
            indent = "  " if j else ""
            for line in wrapped(f"{head}: {cell}", width - len(indent)):
                yield Text(indent + line, "" if j else LABEL)


def table_lines(table: Table, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The lines of a table. Nothing is cut: what does not fit goes on below, under the same row labels."""
    for line in wrapped(table.title, width):
        yield Text(line, CAPTION)
    if not table.columns:
        return
    sheet = Sheet(table, glyphs)
    runs = runs_that_fit(sheet.least, width)
    if runs is None:
        yield from blocks(sheet, width)
        return
    for number, run in enumerate(runs):
        if number:
            yield Text()
        yield from side_by_side(sheet, run, width, glyphs)
