"""Two models on a terminal: the lines that changed, and a matrix of each side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from rich.cells import cell_len, chop_cells
from rich.text import Text

from attention_lab.result import Diff, Pair
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.heatmap import heatmap, width_needed
from attention_lab.show.layout import wrapped
from attention_lab.show.theme import ADDED, ASIDE, CAPTION, REMOVED

GAP = 2  # cells between two matrices
NUMBER = 4  # digits of a line's number
STYLES = {"-": REMOVED, "+": ADDED, " ": ASIDE}


def code_pieces(text: str, width: int) -> list[str]:
    """A line of code in pieces of at most `width` cells, broken after a space where there is one not too far back."""
    pieces = []
    while cell_len(text) > width:
        first = chop_cells(text, width)[0]
        cut = first.rfind(" ") + 1
        first = first[:cut] if first[:cut].strip() and cut > width // 2 else first
        pieces.append(first)
        text = text[len(first) :]
    return [*pieces, text]


def diff_lines(diff: Diff, width: int) -> Iterator[Text]:
    """Each line with its number and its sign; one that is too long goes on below."""
    for title in wrapped(diff.title, width):
        yield Text(title, CAPTION)
    for line in diff.lines:
        head = f"{line.number:>{NUMBER}} {line.sign} "
        for i, piece in enumerate(code_pieces(line.text, max(8, width - len(head)))):
            yield Text((head if i == 0 else " " * len(head)) + piece, STYLES[line.sign])


def pair_lines(pair: Pair, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """Both matrices, side by side where both fit, else below each other; changed cells have an asterisk."""
    for title in wrapped(pair.title, width):
        yield Text(title, CAPTION)
    left, right = replace(pair.left, title="healthy"), replace(pair.right, title="broken (* changed)")
    half = (width - GAP) // 2
    if max(width_needed(left, glyphs), width_needed(right, glyphs)) > half:
        yield from heatmap(left, width, glyphs)
        yield Text()
        yield from heatmap(right, width, glyphs, pair.changed)
        return
    lines = heatmap(left, half, glyphs), heatmap(right, half, glyphs, pair.changed)
    for one, other in zip_longest(*lines, fillvalue=Text()):
        line = one.copy()
        line.pad_right(half + GAP - one.cell_len)
        yield line.append_text(other)
