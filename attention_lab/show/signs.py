"""Vital signs of two models as a table, which every view can show."""

from __future__ import annotations

from attention_lab.result import Cell, Column, Sign, Signs, Table

MOVED = {"up": "rises", "down": "falls", "lost": "lost", "": "stays"}


def row_of(sign: Sign) -> tuple[Cell, ...]:
    """One vital sign as the cells of a row; one that could not be taken says why instead of what it is."""
    says = sign.reason or f"{sign.sentence} ({sign.unit})"
    return sign.name, sign.healthy, sign.broken, MOVED[sign.moved], says


def signs_table(signs: Signs) -> Table:
    """A row for each vital sign: its name, both values, where it went, what it says."""
    heads = (Column("vital sign"), Column("healthy", 3), Column("broken", 3), Column("moved"), Column("what it says"))
    return Table(signs.name, signs.title, heads, tuple(map(row_of, signs.signs)))
