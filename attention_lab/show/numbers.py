"""Numbers as text. Every view writes them the same way, apart from the glyphs."""

from __future__ import annotations

import math

from attention_lab.result import Cell, Column
from attention_lab.show.glyphs import UNICODE, Glyphs

GROUPED = 10_000  # least number with thousands separators: 2048, but 65,536
LARGEST = 1e7  # least float written with an exponent


def format_number(value: float, digits: int, glyphs: Glyphs = UNICODE) -> str:
    """A number of a matrix or an axis with `digits` decimals; an int has none."""
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= GROUPED else str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return glyphs.infinity if value > 0 else glyphs.minus + glyphs.infinity
    if abs(value) >= LARGEST:
        return f"{value:.{digits}e}"
    return f"{value:z,.{digits}f}" if abs(value) >= GROUPED else f"{value:z.{digits}f}"


def format_lone_number(value: float, digits: int, glyphs: Glyphs = UNICODE) -> str:
    """A number that stands alone: as `format_number`, but an exponent if a number other than zero would read 0.00."""
    vanishes = isinstance(value, float) and value != 0 and abs(value) < 0.5 * 10**-digits
    return f"{value:.1e}" if vanishes else format_number(value, digits, glyphs)


def format_position(value: float, glyphs: Glyphs = UNICODE) -> str:
    """A position on the x axis, without needless decimals: 4096, 0.25."""
    if math.isfinite(value) and not float(value).is_integer():
        return f"{value:.4g}"
    return format_number(value, 0, glyphs)


def cell_text(cell: Cell, digits: int, glyphs: Glyphs = UNICODE) -> str:
    """A cell of a table; None ("does not apply") is a dash."""
    if cell is None:
        return glyphs.nothing
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return format_lone_number(cell, digits, glyphs)


def column_head(column: Column) -> str:
    """The head of a table's column, with its unit."""
    return f"{column.name} ({column.unit})" if column.unit else column.name
