"""Sentences on a terminal: a Note, and a Statement with what was measured and whether it holds."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from attention_lab.result import Note, Statement
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.layout import wrapped
from attention_lab.show.theme import CLAIM, FAILS, HOLDS, QUOTED

INDENT = "  "


def note_lines(note: Note, width: int) -> Iterator[Text]:
    """The lines of a paragraph."""
    for line in wrapped(note.text, width):
        yield Text(line)


def verdict(statement: Statement, glyphs: Glyphs) -> tuple[str, str]:
    """The word for whether a statement holds, and its style. The word says it where there is no colour."""
    if statement.holds is None:
        return f"{glyphs.quoted} quoted", QUOTED
    return (f"{glyphs.holds} holds", HOLDS) if statement.holds else (f"{glyphs.fails} does not hold", FAILS)


def statement_lines(statement: Statement, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The lines of a statement: the verdict, whose claim it is and the claim, then what was measured, set in."""
    word, style = verdict(statement, glyphs)
    source = f" ({statement.source})" if statement.source else ""
    first, *rest = wrapped(f"{word}{source}: {statement.claim}", width - len(INDENT))
    head = Text(first, CLAIM)
    head.stylize(style, 0, len(word))
    yield head
    for line in rest:
        yield Text(INDENT + line, CLAIM)
    for line in wrapped(statement.measured, width - 2 * len(INDENT)):
        yield Text(2 * INDENT + line)
