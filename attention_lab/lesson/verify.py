"""Whether a lesson still holds: every command runs, every number is what was measured, one answer is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attention_lab.lesson.lesson import BadLesson, Block, Check, Diagnose, Lesson, Predict, Prose, Run
from attention_lab.lesson.perform import Performance, is_right
from attention_lab.lesson.result_paths import OPEN, as_written
from attention_lab.result import Part, Result, Statement, table
from attention_lab.text import count


def stale_numbers(performance: Performance, prose: Prose) -> Iterator[BadLesson]:
    """One error for each number that is not what was measured."""
    for reference in prose.references:
        try:
            measured = as_written(performance.value(reference.line, reference.address), reference.written)
        except BadLesson as error:
            yield error
            continue
        if measured != reference.written and reference.written not in OPEN:
            what = f"{reference.written!r} stands where {measured!r} was measured"
            yield performance.wrong(reference.line, what, f"Write [{measured}] there.")


def unclear(performance: Performance, question: Predict | Diagnose) -> Iterator[BadLesson]:
    """One error where not exactly one answer is right, and for each wrong one that teaches nothing."""
    try:
        right = performance.answer(question)
    except BadLesson as error:
        yield error
        return
    for choice in question.choices:
        if choice is not right and not choice.idea:
            what = f"the wrong answer {choice.text!r} does not say what it reveals"
            yield performance.wrong(choice.line, what, "Write an indented line 'idea: …' below it.")


def pointless(performance: Performance, check: Check) -> Iterator[BadLesson]:
    """One error where a file that is to be worked on cannot be written, or has nothing wrong with it as it begins."""
    try:
        begun = performance.begun(check)
    except BadLesson as error:
        yield error
        return
    if is_right(begun):
        what = f"nothing is wrong with {check.file} as it begins"
        yield performance.wrong(check.line, what, "Begin it with --mystery, --broken, or as a skeleton.")


def faults_of(performance: Performance, block: Block) -> Iterator[BadLesson]:
    """What no longer holds in a block."""
    if isinstance(block, Prose):
        yield from stale_numbers(performance, block)
    elif isinstance(block, Run):
        try:
            performance.shown(block)
        except BadLesson as error:
            yield error
    elif isinstance(block, Check):
        yield from pointless(performance, block)
    else:
        yield from unclear(performance, block)


def ran(performance: Performance, run: Run) -> BadLesson | None:
    """The error of a command that does not run; None for one that does."""
    try:
        performance.result(run.number)
    except BadLesson as error:
        return error
    return None


def verify(lesson: Lesson, performance: Performance, progress: Callable[[str], None]) -> list[BadLesson]:
    """Everything that no longer holds, in the order of the lines; nothing for a lesson that does."""
    found = []
    for run in lesson.runs:
        progress(" ".join(run.words))
        found.append(ran(performance, run))
    failed = [error for error in found if error is not None]
    if failed:  # what stands on their results cannot be judged
        return failed
    return [error for block in lesson.blocks for error in faults_of(performance, block)]


def report(lesson: Lesson | None, faults: list[BadLesson], command: str) -> Result:
    """What was checked, and each fault with its line. Without a lesson: it could not be read."""
    parts: list[Part] = []
    if lesson is not None:
        numbers = sum(len(block.references) for block in lesson.blocks if isinstance(block, Prose))
        choices = sum(len(question.choices) for question in lesson.questions)
        files = sum(isinstance(block, Check) for block in lesson.blocks)
        rows = [
            ("commands run", len(lesson.runs)),
            ("numbers compared", numbers),
            ("questions answered", len(lesson.questions)),
            ("choices judged", choices),
            *([("files begun and checked", files)] if files else []),
        ]
        parts.append(table("checked", "What was checked", ("what", "how many"), rows))
    claim = "Every command runs, every number is what was measured, and one answer is right for each question."
    measured = count(len(faults), "fault") + "." if faults else "It holds."
    parts.append(Statement("holds", claim, measured, not faults, float(len(faults))))
    if faults:
        rows_of_faults = [(f"{fault.path}:{fault.line}", fault.problem, fault.advice) for fault in faults]
        parts.append(table("faults", "What does not hold", ("where", "what is wrong", "what to do"), rows_of_faults))
    title = "the lesson cannot be read" if lesson is None else lesson.title
    return Result(tuple(parts), demo="walk --verify", title=title, command=command)
