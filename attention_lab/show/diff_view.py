"""Two models on a terminal: the changed lines, and matrices of both side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.text import Text

from attention_lab.result import Diff, Pair
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.heatmap import matrix_lines, matrix_width_needed
from attention_lab.show.layout import wrap
from attention_lab.show.theme import ADDED, ASIDE, CAPTION, REMOVED

GAP = 2  # cells between two matrices
NUMBER = 4  # width of a line number
STYLES = {"-": REMOVED, "+": ADDED, " ": ASIDE}


def code_pieces(text: str, width: int) -> list[str]:
    """A line of code in pieces of at most `width` cells, broken after a space in their second half if there is one."""
    pieces = []
    while cell_len(text) > width:
        first = chop_cells(text, width)[0]
        cut = first.rfind(" ") + 1
        first = first[:cut] if first[:cut].strip() and cut > width // 2 else first
        pieces.append(first)
        text = text[len(first) :]
    return [*pieces, text]


def diff_lines(diff: Diff, width: int) -> Iterator[Text]:
    """Each line with its number and its sign; a long line goes on below."""
    for title in wrap(diff.title, width):
        yield Text(title, CAPTION)
    for line in diff.lines:
        head = f"{line.number:>{NUMBER}} {line.sign} "
        for i, piece in enumerate(code_pieces(line.text, max(8, width - len(head)))):
            yield Text((head if i == 0 else " " * len(head)) + piece, STYLES[line.sign])


def pair_lines(pair: Pair, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """Both matrices, side by side if both fit, else below each other; changed cells have an asterisk."""
    for title in wrap(pair.title, width):
        yield Text(title, CAPTION)
    left, right = replace(pair.left, title="healthy"), replace(pair.right, title="broken (* changed)")
    half = (width - GAP) // 2
    if max(matrix_width_needed(left, glyphs), matrix_width_needed(right, glyphs)) > half:
        yield from matrix_lines(left, width, glyphs)
        yield Text()
        yield from matrix_lines(right, width, glyphs, pair.changed)
        return
    lines = matrix_lines(left, half, glyphs), matrix_lines(right, half, glyphs, pair.changed)
    for healthy_line, broken_line in zip_longest(*lines, fillvalue=Text()):
        line = healthy_line.copy()
        line.pad_right(half + GAP - healthy_line.cell_len)
        yield line.append_text(broken_line)
