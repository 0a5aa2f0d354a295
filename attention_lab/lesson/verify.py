"""Verify a lesson: every command runs, every number is as measured, and every question has one right answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attention_lab.lesson.lesson import BadLesson, Block, Check, Diagnose, Lesson, Predict, Prose, Run
from attention_lab.lesson.perform import Performance, is_all_right
from attention_lab.lesson.result_paths import OPEN, format_like
from attention_lab.result import Part, Result, Statement, table
from attention_lab.text import count


def stale_numbers(performance: Performance, prose: Prose) -> Iterator[BadLesson]:
    """One error for each number that differs from its measurement."""
    for reference in prose.references:
        try:
            measured = format_like(performance.measured_value(reference.line, reference.address), reference.written)
        except BadLesson as error:
            yield error
            continue
        if measured != reference.written and reference.written not in OPEN:
            what = f"{reference.written!r} stands where {measured!r} was measured"
            yield performance.error_at(reference.line, what, f"Write [{measured}] there.")


def question_faults(performance: Performance, question: Predict | Diagnose) -> Iterator[BadLesson]:
    """An error unless exactly one answer is right, and one for each wrong answer without an idea."""
    try:
        right = performance.right_choice(question)
    except BadLesson as error:
        yield error
        return
    for choice in question.choices:
        if choice is not right and not choice.idea:
            what = f"the wrong answer {choice.text!r} does not say what it reveals"
            yield performance.error_at(choice.line, what, "Write an indented line 'idea: …' below it.")


def check_faults(performance: Performance, check: Check) -> Iterator[BadLesson]:
    """An error if the learner's file cannot be written, or if nothing is wrong with it at the start."""
    try:
        begun = performance.initial_check(check)
    except BadLesson as error:
        yield error
        return
    if is_all_right(begun):
        what = f"nothing is wrong with {check.file} as it begins"
        yield performance.error_at(check.line, what, "Begin it with --mystery, --broken, or as a skeleton.")


def block_faults(performance: Performance, block: Block) -> Iterator[BadLesson]:
    """The errors in one block of a lesson."""
    if isinstance(block, Prose):
        yield from stale_numbers(performance, block)
    elif isinstance(block, Run):
        try:
            performance.visible_result(block)
        except BadLesson as error:
            yield error
    elif isinstance(block, Check):
        yield from check_faults(performance, block)
    else:
        yield from question_faults(performance, block)


def run_error(performance: Performance, run: Run) -> BadLesson | None:
    """The error of a command that does not run; None if it runs."""
    try:
        performance.run_result(run.number)
    except BadLesson as error:
        return error
    return None


def verify_lesson(lesson: Lesson, performance: Performance, progress: Callable[[str], None]) -> list[BadLesson]:
    """All errors in a lesson, in the order of its lines; [] if it holds."""
    errors = []
    for run in lesson.runs:
        progress(" ".join(run.words))
        errors.append(run_error(performance, run))
    failed = [error for error in errors if error is not None]
    if failed:  # statements about their results cannot be judged
        return failed
    return [error for block in lesson.blocks for error in block_faults(performance, block)]


def verification_page(lesson: Lesson | None, faults: list[BadLesson], command: str) -> Result:
    """A table of what was checked, and each fault with its line. `lesson` is None if it could not be read."""
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
