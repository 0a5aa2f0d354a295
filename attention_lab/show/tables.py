"""A Table on a terminal: columns side by side if they fit, else in runs below each other, else a block for each row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from attention_lab.result import Table
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.layout import longest_word, one_line, pad, wrap
from attention_lab.show.numbers import cell_text, column_head
from attention_lab.show.theme import ASIDE, CAPTION, HEAD, LABEL

GAP = 2  # least number of cells between two columns
WIDE_GAP = 4  # gap where there is room, so that heads of several words do not run together
HEAD_LINES = 3  # most lines of a wrapped head, unless nothing else fits
UNBROKEN = 16  # longest text, in cells, that always stays on one line
LONGEST = 24  # longest word, in cells, that is never broken


def narrowest_width(text: str, lines: int) -> int:
    """Least width at which the text, with no word broken, takes at most `lines` lines."""
    width = max(1, longest_word(text))
    while len(wrap(text, width)) > lines:
        width += 1
    return width


class TableText:
    """A table as text, with the least width of each column and the width of its widest cell."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        self.heads = [one_line(column_head(column)) for column in table.columns]
        self.rows = [
            [one_line(cell_text(cell, column.digits, glyphs)) for cell, column in zip(row, table.columns, strict=True)]
            for row in table.rows
        ]
        columns = range(len(self.heads))
        self.text = [any(isinstance(row[j], str) for row in table.rows) for j in columns]
        self.cells = [max((cell_len(row[j]) for row in self.rows), default=0) for j in columns]
        self.least = [self.narrowest_column(j) for j in columns]

    def narrowest_column(self, j: int) -> int:
        """Least width of column j: numbers and short texts stay on one line, long texts and the head are wrapped."""
        least = min(longest_word(self.heads[j]), LONGEST)
        for row in self.rows:
            width = cell_len(row[j])
            if self.text[j] and width > UNBROKEN:
                width = min(longest_word(row[j]), LONGEST)
            least = max(least, width)
        return least


def runs_that_fit(least: list[int], width: int) -> list[list[int]] | None:
    """Runs of columns that fit side by side, each led by the first column. None if not even two columns fit."""
    runs: list[list[int]] = [[0]]
    for j in range(1, len(least)):
        if sum(least[k] + GAP for k in runs[-1]) + least[j] > width and len(runs[-1]) > 1:
            runs.append([0])
        runs[-1].append(j)
    fits = all(sum(least[j] + GAP for j in run) - GAP <= width for run in runs)
    return runs if fits else None


def distribute_width(widths: list[int], wanted: list[int], width: int) -> list[int]:
    """Widths grown in turn towards the wanted ones, as long as all columns fit into `width`."""
    widths, left = list(widths), width - sum(widths) - GAP * (len(widths) - 1)
    while left > 0 and (hungry := [j for j, wish in enumerate(wanted) if widths[j] < wish]):
        for j in hungry[:left]:
            widths[j] += 1
        left = width - sum(widths) - GAP * (len(widths) - 1)
    return widths


def column_widths(sheet: TableText, run: list[int], width: int) -> tuple[list[int], int]:
    """The width of each column of a run, and the gap between two columns.

    Heads take as few lines as possible while every cell stays on one line; spare room widens the gap. If long texts do
    not fit on one line, the columns share the room.
    """
    gaps = len(run) - 1
    for lines in range(1, HEAD_LINES + 1):
        wanted = [max(sheet.cells[j], narrowest_width(sheet.heads[j], lines)) for j in run]
        if sum(wanted) + WIDE_GAP * gaps <= width:
            return wanted, WIDE_GAP
    widths = distribute_width([sheet.least[j] for j in run], wanted, width)
    return widths, min(WIDE_GAP, (width - sum(widths)) // gaps) if gaps else GAP


def row_lines(
    cells: list[list[str]], widths: list[int], gap: int, aligns: list[str], styles: list[str]
) -> Iterator[Text]:
    """One row of wrapped cells, in as many lines as its tallest cell."""
    for pieces in zip_longest(*cells, fillvalue=""):
        line = Text()
        for piece, width, align, style in zip(pieces, widths, aligns, styles, strict=True):
            line.append(" " * gap if line else "").append(pad(piece, width, align), style)
        line.rstrip()
        yield line


def column_run_lines(sheet: TableText, run: list[int], width: int, glyphs: Glyphs) -> Iterator[Text]:
    """A run of columns under their heads. Text is aligned left, numbers right."""
    sizes, gap = column_widths(sheet, run, width)
    aligns = ["left" if sheet.text[j] else "right" for j in run]
    heads = [wrap(sheet.heads[j], size) for j, size in zip(run, sizes, strict=True)]
    tallest = max(map(len, heads))
    yield from row_lines([[""] * (tallest - len(head)) + head for head in heads], sizes, gap, aligns, [HEAD] * len(run))
    yield Text((" " * gap).join(glyphs.rule * size for size in sizes), ASIDE)
    styles = [LABEL if j == 0 else "" for j in run]
    for row in sheet.rows:
        cells = [wrap(row[j], size) for j, size in zip(run, sizes, strict=True)]
        yield from row_lines(cells, sizes, gap, aligns, styles)


def stacked_row_lines(sheet: TableText, width: int) -> Iterator[Text]:
    """One block of lines for each row, with "head: cell" for each cell."""
    for number, row in enumerate(sheet.rows):
        if number:
            yield Text()
        for j, (head, cell) in enumerate(zip(sheet.heads, row, strict=True)):
            indent = "  " if j else ""
            for line in wrap(f"{head}: {cell}", width - len(indent)):
                yield Text(indent + line, "" if j else LABEL)


def table_lines(table: Table, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The lines of a table. Columns that do not fit go on below, under the same row labels; nothing is cut."""
    for line in wrap(table.title, width):
        yield Text(line, CAPTION)
    if not table.columns:
        return
    sheet = TableText(table, glyphs)
    runs = runs_that_fit(sheet.least, width)
    if runs is None:
        yield from stacked_row_lines(sheet, width)
        return
    for number, run in enumerate(runs):
        if number:
            yield Text()
        yield from column_run_lines(sheet, run, width, glyphs)
