"""A Result on a terminal, as wide as the terminal is."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import get_terminal_size
from typing import IO, assert_never

from rich.console import Console, ConsoleDimensions
from rich.text import Text

from attention_lab.claims.documents import with_title
from attention_lab.result import Diff, Matrix, Note, Pair, Part, Result, Series, Signs, Statement, Table
from attention_lab.show.curve import series_lines
from attention_lab.show.diff_view import diff_lines, pair_lines
from attention_lab.show.glyphs import Glyphs, encodable_result, glyphs_for
from attention_lab.show.heatmap import matrix_lines
from attention_lab.show.layout import command_lines, wrap
from attention_lab.show.signs import signs_table
from attention_lab.show.statements import note_lines, statement_lines
from attention_lab.show.tables import table_lines
from attention_lab.show.theme import ASIDE, COMMAND, DEMO, QUESTION, TITLE


def make_console(file: IO[str] | None = None, width: int | None = None) -> Console:
    """A console that prints text unchanged: no markup, no emoji codes, no highlighting."""
    console = Console(file=file, width=width, markup=False, emoji=False, highlight=False)
    if (
        console.is_dumb_terminal or console.width < 1
    ):  # rich assumes 80 columns for a dumb terminal, and believes COLUMNS=0
        columns, lines = get_terminal_size()
        console.size = ConsoleDimensions(width or columns, lines)
    return console


def part_lines(part: Part, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The lines of one part. A new kind of part gets its case here."""
    match part:
        case Note():
            return note_lines(part, width)
        case Statement():
            return statement_lines(part, width, glyphs)
        case Matrix():
            return matrix_lines(part, width, glyphs)
        case Table():
            return table_lines(part, width, glyphs)
        case Series():
            return series_lines(part, width, glyphs)
        case Diff():
            return diff_lines(part, width)
        case Pair():
            return pair_lines(part, width, glyphs)
        case Signs():
            return table_lines(signs_table(part), width, glyphs)
        case _:
            assert_never(part)


def head_lines(result: Result, width: int) -> Iterator[Text]:
    """The name of the demo, its title, and the question to answer before reading on."""
    name = f"{result.demo}: " if result.demo and result.title else result.demo
    for number, line in enumerate(wrap(name + result.title, width)):
        text = Text(line, TITLE)
        if number == 0:
            text.stylize(DEMO, 0, len(result.demo))
        yield text
    for line in wrap(result.question, width):
        yield Text(line, QUESTION)


def foot_lines(result: Result, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The documents, the seed and the command of a result."""
    facts = [", ".join(map(with_title, result.documents))] if result.documents else []
    facts += [] if result.seed is None else [f"seed {result.seed}"]
    for line in wrap(f" {glyphs.dot} ".join(facts), width):
        yield Text(line, ASIDE)
    for line in command_lines(result.command, width):
        yield Text(line, COMMAND)


def result_lines(result: Result, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The whole result, with an empty line between parts but none between consecutive statements."""
    blocks = [list(head_lines(result, width))]
    before: Part | None = None
    for part in result.parts:
        lines = list(part_lines(part, width, glyphs))
        if isinstance(part, Statement) and isinstance(before, Statement):
            blocks[-1] += lines
        else:
            blocks.append(lines)
        before = part
    blocks.append(list(foot_lines(result, width, glyphs)))
    for number, block in enumerate(filter(None, blocks)):
        if number:
            yield Text()
        yield from block


def print_result(result: Result, console: Console) -> None:
    """Print a result in the width, the colours and the characters that the console has."""
    glyphs = glyphs_for("ascii" if console.legacy_windows else console.encoding)
    lines = result_lines(encodable_result(result, console.encoding), console.width, glyphs)
    console.print(Text("\n").join(lines), soft_wrap=True)
