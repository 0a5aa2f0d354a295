"""How a number is written. Every view writes it the same way, apart from the glyphs."""

from __future__ import annotations

import math

from attention_lab.result import Cell, Column
from attention_lab.show.glyphs import UNICODE, Glyphs

GROUPED = 10_000  # from here on thousands are set apart: 2048, but 65,536
LARGEST = 1e7  # a float from here on is written with an exponent


def number(value: float, digits: int, glyphs: Glyphs = UNICODE) -> str:
    """A number of a matrix or an axis, with so many digits after the point; an int has none."""
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= GROUPED else str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return glyphs.infinity if value > 0 else glyphs.minus + glyphs.infinity
    if abs(value) >= LARGEST:
        return f"{value:.{digits}e}"
    return f"{value:z,.{digits}f}" if abs(value) >= GROUPED else f"{value:z.{digits}f}"


def small(value: float, digits: int, glyphs: Glyphs = UNICODE) -> str:
    """The same for a number that stands alone: one too small for its digits, which is not zero, gets an exponent."""
    vanishes = isinstance(value, float) and value != 0 and abs(value) < 0.5 * 10**-digits
    return f"{value:.1e}" if vanishes else number(value, digits, glyphs)


def short(value: float, glyphs: Glyphs = UNICODE) -> str:
    """A position on the axis of a curve: 4096 and not 4096.00, but 0.25."""
    if math.isfinite(value) and not float(value).is_integer():
        return f"{value:.4g}"
    return number(value, 0, glyphs)


def cell_text(cell: Cell, digits: int, glyphs: Glyphs = UNICODE) -> str:
    """A cell of a table. None, which does not apply, is a dash."""
    if cell is None:
        return glyphs.nothing
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return small(cell, digits, glyphs)


def heading(column: Column) -> str:
    """The head of a table's column, with its unit."""
    return f"{column.name} ({column.unit})" if column.unit else column.name
