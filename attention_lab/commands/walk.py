"""`attn-lab walk`: list the lessons, walk through one, straight through it, or verify it."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.commands.output import add_views, check_views, check_writable, show
from attention_lab.commands.results import result_of
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.lesson.classbook import class_page_of, read_rows
from attention_lab.lesson.lesson import BadLesson, Lesson
from attention_lab.lesson.library import find_lesson, lesson_listing
from attention_lab.lesson.perform import Performance
from attention_lab.options import Parser, named, parser_for
from attention_lab.result import Result
from attention_lab.show.progress import progress_line
from attention_lab.text import count

if TYPE_CHECKING:
    from attention_lab.show.screen import Scroll

DESCRIPTION = """Walk through a lesson: read, predict, see what was measured. Without a name, list the lessons.

A lesson is a Markdown file: one that comes with attn-lab, by name, or your own, by path. With --html or --notebook
all of it is written to a file, with its results, and no walk begins."""


def parser() -> Parser:
    """The command line of `attn-lab walk`."""
    it = parser_for("attn-lab walk", DESCRIPTION)
    it.add_argument("lesson", metavar="LESSON", nargs="?", help="a name from the list, or a file that ends in .md")
    how = it.add_argument_group("how")
    how.add_argument("--present", action="store_true", help="for a projector: each page alone, with room around it")
    how.add_argument("--from", dest="first", metavar="STEP", type=int, help="begin anew at this step; 1 starts over")
    how.add_argument(
        "--record", metavar="FILE", type=named, help="add each answer to a CSV file, and show what it says"
    )
    how.add_argument("--no-pause", action="store_true", help="straight through, answers told: for recordings, pipes")
    how.add_argument("--verify", action="store_true", help="run everything; exit code 1 if anything no longer holds")
    how.add_argument("--notebook", metavar="FILE", type=named, help="write the lesson as a notebook whose cells run")
    add_views(it)
    return it


def verified(name: str, arguments: Namespace) -> None:
    """Run all of a lesson and show what no longer holds. Raises PartlyFailed if anything does not."""
    from attention_lab.lesson.verify import verification_page, verify_lesson

    command = shlex.join(("attn-lab", "walk", name, "--verify"))
    try:
        lesson = find_lesson(name)
    except BadLesson as error:  # it cannot even be read
        show(verification_page(None, [error], command), arguments)
        raise PartlyFailed("The lesson cannot be read.", "Correct the line that the page names.") from error
    with progress_line(True) as progress:
        faults = verify_lesson(lesson, Performance(lesson, result_of), progress)
    show(verification_page(lesson, faults, command), arguments)
    if faults:
        raise PartlyFailed(f"{count(len(faults), 'fault')} in {lesson.path}.", "Correct the lines that the page names.")


def straight(lesson: Lesson, first: int, screen: Scroll) -> None:
    """The lesson from this step on without a pause, the answer below each question."""
    from attention_lab.lesson.scene import answer_item, question_of, solution_items, step_items
    from attention_lab.show.walk import join_blocks

    view, console, performance = screen.view(), screen.console, Performance(lesson, result_of)
    blocks, section = [view.title_block(lesson.title)], lesson.title
    for step in lesson.steps[first:]:
        if step.title != section:
            section = step.title
            blocks.append(view.title_block(section))
        shown, question = list(step_items(performance, step)), question_of(step)
        if question is not None:
            shown += [answer_item(performance, question), *solution_items(performance, question)]
        blocks += [block for item in shown for block in view.item_blocks(item)]
        for line in join_blocks(blocks):
            console.print(line, soft_wrap=True)
        console.print()
        blocks = []


def whole(lesson: Lesson, arguments: Namespace) -> None:
    """The lesson in one go, as JSON or to be read."""
    first = (arguments.first or 1) - 1
    if arguments.json:
        from attention_lab.show.walkjson import walk_json_text

        sys.stdout.write(walk_json_text(Performance(lesson, result_of), first) + "\n")
        return
    from attention_lab.show.screen import Scroll

    straight(lesson, first, Scroll(arguments.plain, sys.stdout))


# ---- what goes with what ----


APART = (  # options that ask for different things
    ("--present", "--no-pause"),
    ("--present", "--verify"),
    ("--present", "--plain"),
    ("--present", "--json"),
    ("--no-pause", "--verify"),
    ("--from", "--verify"),
    ("--record", "--verify"),
    ("--record", "--no-pause"),
    ("--html", "--present"),  # a file holds the whole lesson, and no walk begins
    ("--html", "--no-pause"),
    ("--html", "--from"),
    ("--notebook", "--present"),
    ("--notebook", "--no-pause"),
    ("--notebook", "--from"),
    ("--notebook", "--verify"),
    ("--notebook", "--record"),
)
OF_A_LESSON = ("--present", "--no-pause", "--verify", "--from", "--notebook")


def check(arguments: Namespace) -> None:
    """Raise BadInput on options that do not go together, or that ask for a lesson where none is named."""
    names = {"first": "from", "no_pause": "no-pause"}
    typed = {
        f"--{names.get(name, name)}"
        for name, value in vars(arguments).items()
        if value is not None and value is not False
    }
    apart = [*APART]
    if arguments.lesson is not None:
        apart += [("--record", "--json"), ("--html", "--record")]
    for one, other in apart:
        if {one, other} <= typed:
            raise BadInput(f"{one} does not go with {other}.", "Leave one of them out.")
    alone = [flag for flag in OF_A_LESSON if flag in typed]
    if alone and arguments.lesson is None:
        raise BadInput(f"{alone[0]} is of a lesson, and none is named.", "Name one: 'attn-lab walk' lists them all.")
    if "--svg" in typed and arguments.lesson is not None and not arguments.verify:
        raise BadInput("--svg does not go with a walk.", "It goes with the list, with --verify and a class view.")


def recorded(file: str) -> Result:
    """What a class has answered. Raises BadInput where there is no such file: it is not one without answers."""
    if not Path(file).exists():
        raise BadInput(
            f"There is no file {file!r}.", "Name the one to which 'attn-lab walk LESSON --record' has written."
        )
    return class_page_of(file)


def check_first(lesson: Lesson, first: int | None) -> None:
    """Raise BadInput on a step that the lesson does not have."""
    if first is not None and not 1 <= first <= len(lesson.steps):
        raise BadInput(f"--from is {first}.", f"The lesson has steps 1 to {len(lesson.steps)}.")


def walk(words: list[str], home: Path) -> None:
    """Walk through a lesson; `home` is the folder in which the place is kept where one left off."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    check(arguments)
    if arguments.lesson is None:
        show(recorded(arguments.record) if arguments.record else lesson_listing(), arguments)
        return
    if arguments.verify:
        verified(arguments.lesson, arguments)
        return
    lesson = find_lesson(arguments.lesson)
    if arguments.html is not None or arguments.notebook is not None:
        from attention_lab.commands.take_home import take_home

        take_home(lesson, arguments)
        return
    check_first(lesson, arguments.first)
    if arguments.no_pause or arguments.json:
        whole(lesson, arguments)
        return
    from attention_lab.commands.walking import step_by_step

    if arguments.record:
        check_writable(arguments.record)
        read_rows(arguments.record)  # a file that holds something else is refused now, not after the first answer
    step_by_step(lesson, arguments, home)
