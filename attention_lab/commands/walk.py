"""`attn-lab walk`: list the lessons, walk through one, straight through it, or verify it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.commands.output import add_views, check_views, show
from attention_lab.commands.results import result_of
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.record import BadLesson, Lesson
from attention_lab.lesson.shelf import find, listing
from attention_lab.options import Parser, parser_for
from attention_lab.show.progress import progress_line
from attention_lab.text import count

if TYPE_CHECKING:
    from attention_lab.show.walk import View

DESCRIPTION = """Walk through a lesson: read, predict, see what was measured. Without a name, list the lessons.

A lesson is a Markdown file: one that comes with attn-lab, by name, or your own, by path."""


def parser() -> Parser:
    """The command line of `attn-lab walk`."""
    it = parser_for("attn-lab walk", DESCRIPTION)
    it.add_argument("lesson", metavar="LESSON", nargs="?", help="a name from the list, or a file that ends in .md")
    how = it.add_argument_group("how")
    how.add_argument(
        "--no-pause", action="store_true", help="straight through, answers told: for recordings, pipes"
    )
    how.add_argument("--verify", action="store_true", help="run everything; exit code 1 if anything no longer holds")
    add_views(it)
    return it


def verified(name: str, arguments: Namespace) -> None:
    """Run all of a lesson and show what no longer holds. Raises PartlyFailed if anything does not."""
    from attention_lab.lesson.verify import report, verify

    command = f"attn-lab walk {name} --verify"
    try:
        lesson = find(name)
    except BadLesson as error:  # it cannot even be read
        show(report(None, [error], command), arguments)
        raise PartlyFailed("The lesson cannot be read.", "Correct the line that the page names.") from error
    with progress_line(True) as progress:
        faults = verify(lesson, Performance(lesson, result_of), progress)
    show(report(lesson, faults, command), arguments)
    if faults:
        raise PartlyFailed(f"{count(len(faults), 'thing')} in it no longer hold.", "Correct the lines that are named.")


def straight(lesson: Lesson, view: View) -> None:
    """The whole lesson without a pause, the answer below each question."""
    from attention_lab.lesson.scene import items, question_of, revealed, told
    from attention_lab.show.terminal import make_console
    from attention_lab.show.walk import lines_of

    console = make_console()
    performance = Performance(lesson, result_of)
    blocks = [view.title(lesson.title, "")]
    title = lesson.title
    for step in lesson.steps:
        if step.title != title:
            title = step.title
            blocks.append(view.title(title, ""))
        for item in items(performance, step):
            blocks += view.blocks(item)
        question = question_of(step)
        if question is not None:
            blocks += view.blocks(told(performance, question))
            for item in revealed(performance, question):
                blocks += view.blocks(item)
        for line in lines_of(blocks):
            console.print(line, soft_wrap=True)
        console.print()
        blocks = []


def view_of(arguments: Namespace) -> View:
    """How the lesson is shown."""
    from attention_lab.show.terminal import make_console
    from attention_lab.show.walk import Plain, Terminal

    console = make_console()
    encoding = "ascii" if console.legacy_windows else console.encoding
    return Plain(encoding) if arguments.plain else Terminal(console.width, encoding)


def walk(words: list[str], home: Path) -> None:
    """Walk through a lesson; `home` is the folder in which it is kept where one left off."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    if arguments.lesson is None:
        if arguments.verify or arguments.no_pause:
            raise BadInput("There is no lesson named.", "Name one: 'attn-lab walk' lists them all.")
        show(listing(), arguments)
    elif arguments.verify:
        verified(arguments.lesson, arguments)
    else:
        straight(find(arguments.lesson), view_of(arguments))
