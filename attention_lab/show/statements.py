"""Notes and Statements on a terminal; a Statement has its verdict and its measurement."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from attention_lab.result import Note, Statement
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.layout import command_lines, wrap
from attention_lab.show.theme import CLAIM, COMMAND, FAILS, HOLDS, QUOTED

INDENT = "  "


def note_lines(note: Note, width: int) -> Iterator[Text]:
    """The lines of a paragraph."""
    for line in wrap(note.text, width):
        yield Text(line)


def verdict_label(statement: Statement, glyphs: Glyphs) -> tuple[str, str]:
    """The verdict of a statement in words, and its style; without colour the words suffice."""
    if statement.holds is None:
        return f"{glyphs.quoted} quoted", QUOTED
    if statement.when:
        return f"{glyphs.partly} holds when {statement.when}", QUOTED
    return (f"{glyphs.holds} holds", HOLDS) if statement.holds else (f"{glyphs.fails} does not hold", FAILS)


def statement_lines(statement: Statement, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The lines of a statement: verdict, source and claim, then indented the measurement and the commands."""
    word, style = verdict_label(statement, glyphs)
    source = f" ({statement.source})" if statement.source else ""
    left = len(word)  # characters of the verdict still to be styled; a condition may take several lines
    for number, line in enumerate(wrap(f"{word}{source}: {statement.claim}", width - len(INDENT))):
        indent = INDENT if number else ""
        head = Text(indent + line, CLAIM)
        head.stylize(style, len(indent), len(indent) + max(0, min(left, len(line))))
        yield head
        left -= len(line) + 1
    for line in wrap(statement.measured, width - 2 * len(INDENT)):
        yield Text(2 * INDENT + line)
    for command in statement.commands:
        for line in command_lines(command, width - 2 * len(INDENT)):
            yield Text(2 * INDENT + line, COMMAND)
