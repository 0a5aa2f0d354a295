"""`attn-lab walk`: list the lessons, walk through one, straight through it, or verify it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from attention_lab.commands.names import lesson_names
from attention_lab.commands.outcome import Document, Ending, Live, Outcome
from attention_lab.commands.results import result_of
from attention_lab.commands.views import Views, check_writable
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.lesson.classbook import class_page_of, read_rows
from attention_lab.lesson.lesson import BadLesson, Lesson
from attention_lab.lesson.library import find_lesson, lesson_listing
from attention_lab.lesson.perform import Performance
from attention_lab.options import Param, do_not_combine
from attention_lab.result import Result
from attention_lab.show.progress import progress_line
from attention_lab.text import count

if TYPE_CHECKING:
    from attention_lab.show.screen import Scroll

GROUP = "how"
LESSON = Param("a name from the list, or a file that ends in .md", metavar="LESSON", names=lesson_names, files=("md",))
PRESENT = Param(
    "for a projector: each page alone, with room around it",
    group=GROUP,
    apart=("--no-pause", "--verify", "--plain", "--json", "--html"),
    echo=False,
)
FROM = Param(
    "begin anew at this step; 1 starts over",
    flag="--from",
    metavar="STEP",
    group=GROUP,
    apart=("--verify", "--html"),
    echo=False,
)
RECORD = Param(
    "add each answer to a CSV file, and show what it says",
    metavar="FILE",
    files=(),
    group=GROUP,
    apart=("--verify", "--no-pause"),
    echo=False,
)
NO_PAUSE = Param(
    "straight through, answers told: for recordings, pipes",
    group=GROUP,
    apart=("--verify", "--html"),
    echo=False,
)
VERIFY = Param("run everything; exit code 1 if anything no longer holds", group=GROUP)
NOTEBOOK = Param(
    "write the lesson as a notebook whose cells run",
    metavar="FILE",
    files=(),
    group=GROUP,
    apart=("--present", "--from", "--record", "--no-pause", "--verify"),
)


# ---- without a walk ----


def class_result(file: str) -> Result:
    """What a class has answered. Raises BadInput where there is no such file: it is not one without answers."""
    if not Path(file).exists():
        raise BadInput(
            f"There is no file {file!r}.", "Name the one to which 'attn-lab walk LESSON --record' has written."
        )
    return class_page_of(file)


def verify_lesson(name: str) -> Outcome:
    """Run all of a lesson; what no longer holds, and a failure if anything does not."""
    from attention_lab.lesson.verify import verification_page
    from attention_lab.lesson.verify import verify_lesson as run_lesson

    command = shlex.join(("attn-lab", "walk", name, "--verify"))
    try:
        lesson = find_lesson(name)
    except BadLesson as error:  # it cannot even be read
        failure = PartlyFailed("The lesson cannot be read.", "Correct the line that the page names.")
        return Outcome(verification_page(None, [error], command), failure)
    with progress_line(True) as progress:
        faults = run_lesson(lesson, Performance(lesson, result_of), progress)
    what = f"{count(len(faults), 'fault')} in {lesson.path}."
    return Outcome(
        verification_page(lesson, faults, command),
        PartlyFailed(what, "Correct the lines that the page names.") if faults else None,
    )


# ---- in one go ----


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


def whole(lesson: Lesson, first: int, is_json: bool) -> Document | Live:
    """The lesson from this step on in one go, as JSON or to be read."""
    if is_json:
        from attention_lab.show.walkjson import walk_json_text

        return Document(walk_json_text(Performance(lesson, result_of), first) + "\n")
    from attention_lab.show.screen import Scroll

    return Live(lambda views, _: straight(lesson, first, Scroll(views.plain, sys.stdout)))


# ---- the command ----


def check_walk(lesson: str | None, record: str | None, verify: bool, views: Views) -> None:
    """Raise BadInput on options that do not go together where a lesson is named."""
    if lesson is None:
        return
    if record is not None and views.json:
        raise do_not_combine("--record", "--json")
    if record is not None and views.html is not None:
        raise do_not_combine("--html", "--record")
    if views.svg is not None and not verify:
        raise BadInput("--svg does not go with a walk.", "It goes with the list, with --verify and a class view.")


def check_list(values: Mapping[str, object]) -> None:
    """Raise BadInput on an option of a lesson, where none is named; `values` holds such options by their flag."""
    typed = [flag for flag, value in values.items() if value is not None and value is not False]
    if typed:
        raise BadInput(f"{typed[0]} is of a lesson, and none is named.", "Name one: 'attn-lab walk' lists them all.")


def check_first(lesson: Lesson, first: int | None) -> None:
    """Raise BadInput on a step that the lesson does not have."""
    if first is not None and not 1 <= first <= len(lesson.steps):
        raise BadInput(f"--from is {first}.", f"The lesson has steps 1 to {len(lesson.steps)}.")


def walk(
    lesson: Annotated[str | None, LESSON] = None,
    *,
    present: Annotated[bool, PRESENT] = False,
    first: Annotated[int | None, FROM] = None,
    record: Annotated[str | None, RECORD] = None,
    no_pause: Annotated[bool, NO_PAUSE] = False,
    verify: Annotated[bool, VERIFY] = False,
    notebook: Annotated[str | None, NOTEBOOK] = None,
    views: Views,
) -> Ending:
    """Walk through a lesson: read, predict, see what was measured. Without a name, list the lessons.

    A lesson is a Markdown file: one that comes with attn-lab, by name, or your own, by path. With --html or --notebook
    all of it is written to a file, with its results, and no walk begins.
    """
    check_walk(lesson, record, verify, views)
    if lesson is None:
        flags = {
            "--present": present,
            "--no-pause": no_pause,
            "--verify": verify,
            "--from": first,
            "--notebook": notebook,
        }
        check_list(flags)
        return Outcome(class_result(record) if record else lesson_listing())
    if verify:
        return verify_lesson(lesson)
    chosen = find_lesson(lesson)
    if views.html is not None or notebook is not None:
        from attention_lab.commands.take_home import take_home

        return take_home(chosen, lesson, views.html, notebook)
    check_first(chosen, first)
    if no_pause or views.json:
        return whole(chosen, (first or 1) - 1, views.json)
    if record:
        check_writable(record)
        read_rows(record)  # a file that holds something else is refused now, not after the first answer
    from attention_lab.commands.walking import step_by_step

    return Live(lambda views, home: step_by_step(chosen, lesson, first, record, present, views.plain, home))
