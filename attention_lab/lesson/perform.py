"""Run a lesson: each command once, measured numbers filled into the prose, answers judged by measurement."""

from __future__ import annotations

import operator
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from attention_lab.errors import LabError
from attention_lab.lesson.lesson import (
    Address,
    BadLesson,
    Block,
    Check,
    Choice,
    Condition,
    Diagnose,
    Lesson,
    Predict,
    Prose,
    Run,
    Step,
)
from attention_lab.lesson.result_paths import NoSuchPlace, format_like, holds_at, value_at
from attention_lab.result import Cell, Diff, Note, Pair, Part, Result, Signs, Statement

Perform = Callable[[tuple[str, ...]], Result]  # run a command: ("demo", "scaling")
COMPARED: dict[str, Callable[[object, object], bool]] = {"=": operator.eq, "!=": operator.ne}
ORDERED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
GIVEN_AWAY = ("diff", "cost", "next", "hidden")  # parts of a break's page that name the fault
NOTHING = "nothing is broken"  # a choice beside the names of breaks: right if no vital sign moves


def moved_signs(result: Result) -> frozenset[tuple[str, str]]:
    """Pairs of a vital sign that moved on the page of a break and its direction."""
    parts = (part for part in result.parts if isinstance(part, Signs) and part.name == "moved")
    return frozenset((sign.name, sign.moved) for part in parts for sign in part.signs)


def symptoms(result: Result) -> Result:
    """The page of a break without its line, its name and all else that identifies it."""
    kept = [part for part in result.parts if not isinstance(part, Diff) and part.name not in GIVEN_AWAY]
    if not moved_signs(result):  # else the page would be empty
        matrices = "The matrices above differ" if any(isinstance(part, Pair) for part in kept) else "No matrix differs"
        kept.append(Note("unmoved", f"{matrices}; no vital sign left its healthy range."))
    return Result(tuple(kept), seed=result.seed)


@cache
def break_signature(name: str) -> frozenset[tuple[str, str]]:
    """The vital signs that a break of the catalogue moves, with directions. Raises NoSuchPlace on an unknown name."""
    from attention_lab.breaks import BREAKS

    if name == NOTHING:
        return frozenset()
    for entry in BREAKS:
        if entry.name == name:
            return entry.signature
    raise NoSuchPlace(f"no break {name!r} in the catalogue")


def run_numbers(block: Block) -> Iterator[int]:
    """Numbers of the commands that a block shows, refers to, or is judged by."""
    match block:
        case Run():
            yield block.number
        case Diagnose():
            yield block.run.number
        case Prose():
            yield from (reference.address.run for reference in block.references)
        case Predict():
            yield block.run
            conditions = [condition for choice in block.choices for condition in choice.when]
            sides = [side for condition in conditions for side in (condition.left, condition.right)]
            yield from (side.run for side in sides if isinstance(side, Address))


def runs_needed(step: Step) -> list[int]:
    """Numbers of the commands needed to show a step and to judge its question."""
    return list(dict.fromkeys(number for block in step.blocks for number in run_numbers(block)))


def is_all_right(result: Result) -> bool:
    """True if the check of a file found nothing wrong."""
    return any(isinstance(part, Statement) and part.name == "right" and part.holds is True for part in result.parts)


def check_command(check: Check, folder: Path, *more: str) -> tuple[str, ...]:
    """The command that checks a file in this folder without naming its fault."""
    return ("check", str(Path(folder, check.words[1])), *check.words[2:], "--unnamed", *more)


class Performance:
    """A lesson with the results of its commands so far. Each command runs once, when first needed.

    `folder` is the learner's working folder, or None.
    """

    def __init__(self, lesson: Lesson, perform: Perform, folder: Path | None = None) -> None:
        self.lesson = lesson
        self.perform = perform
        self.folder = folder
        self.results: dict[tuple[str, ...], Result] = {}

    def run_result(self, number: int) -> Result:
        """The whole result of a command, by its number. Raises BadLesson if the command fails."""
        run = self.lesson.runs[number]
        if run.words not in self.results:
            try:
                self.results[run.words] = self.perform(run.words)
            except LabError as reason:
                what = f"{shlex.join(run.words)!r} fails: {reason.what.rstrip('.')}"
                raise self.error_at(run.line, what, reason.advice) from reason
        return self.results[run.words]

    def error_at(self, line: int, what: object, advice: str) -> BadLesson:
        """The error to raise at a line where the lesson no longer holds."""
        return BadLesson(self.lesson.path, line, f"{what}.", advice)

    def visible_result(self, run: Run) -> Result:
        """The result of a command reduced to the parts that the lesson shows, in their order there."""
        result = self.run_result(run.number)
        if not run.show:
            return result
        parts: dict[str, Part] = {part.name: part for part in result.parts}
        missing = next((name for name in run.show if name not in parts), None)
        if missing is not None:
            advice = f"Its parts are {', '.join(parts)}."
            raise self.error_at(run.line, f"the result of {shlex.join(run.words)!r} has no part {missing!r}", advice)
        return replace(result, parts=tuple(parts[name] for name in run.show), question="")

    def initial_check(self, check: Check) -> Result:
        """The check of a learner's file as `start` writes it. Raises BadLesson if there is no such file."""
        if check.start not in self.results:
            try:
                with TemporaryDirectory() as folder:
                    self.perform(("new", str(Path(folder, check.file)), *check.start[2:]))
                    self.results[check.start] = self.perform(check_command(check, Path(folder), "--seed", "0"))
            except LabError as reason:
                what = f"{shlex.join(check.start)!r} gives no file to check: {reason.what.rstrip('.')}"
                raise self.error_at(check.line, what, reason.advice) from reason
        return self.results[check.start]

    def current_check(self, check: Check) -> Result | None:
        """The check of the learner's file in its present state; None if there is no file."""
        if self.folder is None or not Path(self.folder, check.file).exists():
            return None
        try:
            return self.perform(check_command(check, self.folder))
        except LabError as reason:
            measured = f"{reason.what} {reason.advice}".strip()
            return Result((Statement("runs", "The file can be checked.", measured, False),))

    def measured_value(self, line: int, address: Address) -> Cell:
        """The measured value at an address. Raises BadLesson if there is none."""
        try:
            return value_at(self.run_result(address.run), address.path)
        except NoSuchPlace as reason:
            raise self.error_at(line, reason, "Correct the address, or the command it is about.") from reason

    def filled_prose(self, prose: Prose) -> str:
        """The Markdown of the prose with the numbers of this run."""
        text = prose.text
        for reference in prose.references:
            value = self.measured_value(reference.line, reference.address)
            text = text.replace(reference.source, format_like(value, reference.written), 1)
        return text

    def is_met(self, condition: Condition) -> bool:
        """True if a condition is met. Raises BadLesson if it cannot be evaluated."""
        if condition.sign in ("holds", "fails") and isinstance(condition.left, Address):
            try:
                holds = holds_at(self.run_result(condition.left.run), condition.left.path)
            except NoSuchPlace as reason:
                raise self.error_at(condition.line, reason, "Name a statement of the result.") from reason
            return holds is (condition.sign == "holds")
        sides = [
            self.measured_value(condition.line, side) if isinstance(side, Address) else side
            for side in (condition.left, condition.right)
        ]
        left, right = (("yes" if side else "no") if isinstance(side, bool) else side for side in sides)
        if condition.sign in COMPARED:
            return COMPARED[condition.sign](left, right)
        if isinstance(left, str | None) or isinstance(right, str | None):
            raise self.error_at(condition.line, f"{left!r} and {right!r} have no order", "Compare words with = or !=.")
        return ORDERED[condition.sign](left, right)

    def is_right(self, question: Predict | Diagnose, choice: Choice) -> bool:
        """True if the measurements make this choice right."""
        if isinstance(question, Predict):
            return all(self.is_met(condition) for condition in choice.when)
        try:
            return break_signature(choice.text) == moved_signs(self.run_result(question.run.number))
        except NoSuchPlace as reason:
            raise self.error_at(choice.line, reason, "'attn-lab break' lists them all.") from reason

    def right_choice(self, question: Predict | Diagnose) -> Choice:
        """The right choice. Raises BadLesson unless there is exactly one."""
        right = [choice for choice in question.choices if self.is_right(question, choice)]
        if len(right) != 1:
            what = "none of the answers is" if not right else f"{len(right)} answers are"
            raise self.error_at(question.line, f"{what} right by what was measured", "Change the conditions.")
        return right[0]
