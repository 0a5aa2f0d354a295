"""Texts as cells of a CSV file: no spreadsheet computes them, and whoever reads them back gets the text as it was."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # a text that begins so would be computed
QUOTE = "'"


def is_computed(text: str) -> bool:
    """True of a text that a spreadsheet takes for a formula, also once quotes in front of it are taken away."""
    return text.lstrip(QUOTE).startswith(FORMULA)


def guard_cell(text: str) -> str:
    """A text that a spreadsheet leaves a text: one quote more in front of a formula, quoted or not."""
    return QUOTE + text if is_computed(text) else text


def unguard_cell(cell: str) -> str:
    """The text of a cell that `guard_cell` has written."""
    return cell[1:] if cell.startswith(QUOTE) and is_computed(cell) else cell
