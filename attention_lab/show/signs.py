"""Vital signs of two models as a table, which every view can show."""

from __future__ import annotations

from attention_lab.result import Cell, Column, Sign, Signs, Table

MOVE_WORDS = {"up": "rises", "down": "falls", "lost": "lost", "": "stays"}


def sign_row(sign: Sign) -> tuple[Cell, ...]:
    """One vital sign as the cells of a row. If it could not be measured, the reason stands in place of its sentence."""
    says = sign.reason or f"{sign.sentence} ({sign.unit})"
    return sign.name, sign.healthy, sign.broken, MOVE_WORDS[sign.moved], says


def signs_table(signs: Signs) -> Table:
    """A row for each vital sign: its name, both values, the direction of its move, and its sentence."""
    heads = (Column("vital sign"), Column("healthy", 3), Column("broken", 3), Column("moved"), Column("what it says"))
    return Table(signs.name, signs.title, heads, tuple(map(sign_row, signs.signs)))
