"""Run a lesson: each command once, numbers put into the prose, answers judged by what was measured."""

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
from attention_lab.lesson.result_paths import NoSuchPlace, as_written, look_up, verdict
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
NOTHING = "nothing is broken"  # what one may choose beside the names of breaks: right where no vital sign moves


def moved(result: Result) -> frozenset[tuple[str, str]]:
    """The vital signs that moved on the page of a break, and which way."""
    found = (part for part in result.parts if isinstance(part, Signs) and part.name == "moved")
    return frozenset((sign.name, sign.moved) for part in found for sign in part.signs)


def symptoms(result: Result) -> Result:
    """The page of a break without the line, the name, and what else tells which one it is."""
    kept = [part for part in result.parts if not isinstance(part, Diff) and part.name not in GIVEN_AWAY]
    if not moved(result):  # else the page would be empty
        matrices = "The matrices above differ" if any(isinstance(part, Pair) for part in kept) else "No matrix differs"
        kept.append(Note("unmoved", f"{matrices}; no vital sign left its healthy range."))
    return Result(tuple(kept), seed=result.seed)


@cache
def signature(name: str) -> frozenset[tuple[str, str]]:
    """The vital signs that a break of the catalogue moves. Raises NoSuchPlace when there is none of this name."""
    from attention_lab.breaks import BREAKS

    if name == NOTHING:
        return frozenset()
    for entry in BREAKS:
        if entry.name == name:
            return entry.signature
    raise NoSuchPlace(f"no break {name!r} in the catalogue")


def runs_of(block: Block) -> Iterator[int]:
    """The numbers of the commands that a block shows, refers to, or is judged by."""
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


def needed(step: Step) -> list[int]:
    """The numbers of the commands without which a step cannot be shown, nor its question judged."""
    return list(dict.fromkeys(number for block in step.blocks for number in runs_of(block)))


def is_right(result: Result) -> bool:
    """Whether the check of a file found nothing wrong in it."""
    return any(isinstance(part, Statement) and part.name == "right" and part.holds is True for part in result.parts)


def check_words(check: Check, folder: Path, *more: str) -> tuple[str, ...]:
    """The words of the command that checks a file in this folder, and does not say which fault it has."""
    return ("check", str(Path(folder, check.words[1])), *check.words[2:], "--unnamed", *more)


class Performance:
    """A lesson and what its commands have given so far. Each command is run once, when it is first needed.

    `folder` is the one in which somebody works on the lesson's files; without one nobody does.
    """

    def __init__(self, lesson: Lesson, perform: Perform, folder: Path | None = None) -> None:
        self.lesson = lesson
        self.perform = perform
        self.folder = folder
        self.results: dict[tuple[str, ...], Result] = {}

    def result(self, number: int) -> Result:
        """The whole result of a command of the lesson. Raises BadLesson where it gives none."""
        run = self.lesson.runs[number]
        if run.words not in self.results:
            try:
                self.results[run.words] = self.perform(run.words)
            except LabError as reason:
                what = f"{shlex.join(run.words)!r} fails: {reason.what.rstrip('.')}"
                raise self.wrong(run.line, what, reason.advice) from reason
        return self.results[run.words]

    def wrong(self, line: int, what: object, advice: str) -> BadLesson:
        """The error to raise where the lesson no longer holds."""
        return BadLesson(self.lesson.path, line, f"{what}.", advice)

    def shown(self, run: Run) -> Result:
        """The result of a command as the lesson shows it: only the parts that it asks for, in that order."""
        result = self.result(run.number)
        if not run.show:
            return result
        parts: dict[str, Part] = {part.name: part for part in result.parts}
        missing = next((name for name in run.show if name not in parts), None)
        if missing is not None:
            advice = f"Its parts are {', '.join(parts)}."
            raise self.wrong(run.line, f"the result of {shlex.join(run.words)!r} has no part {missing!r}", advice)
        return replace(result, parts=tuple(parts[name] for name in run.show), question="")

    def begun(self, check: Check) -> Result:
        """What the check of a file says as the lesson begins it. Raises BadLesson where there is no such file."""
        if check.start not in self.results:
            try:
                with TemporaryDirectory() as folder:
                    self.perform(("new", str(Path(folder, check.file)), *check.start[2:]))
                    self.results[check.start] = self.perform(check_words(check, Path(folder), "--seed", "0"))
            except LabError as reason:
                what = f"{shlex.join(check.start)!r} gives no file to check: {reason.what.rstrip('.')}"
                raise self.wrong(check.line, what, reason.advice) from reason
        return self.results[check.start]

    def checked(self, check: Check) -> Result | None:
        """What the check says of the file that somebody works on, as it is now; None where there is none."""
        if self.folder is None or not Path(self.folder, check.file).exists():
            return None
        try:
            return self.perform(check_words(check, self.folder))
        except LabError as reason:
            said = f"{reason.what} {reason.advice}".strip()
            return Result((Statement("runs", "The file can be checked.", said, False),))

    def value(self, line: int, address: Address) -> Cell:
        """What was measured at an address."""
        try:
            return look_up(self.result(address.run), address.path)
        except NoSuchPlace as reason:
            raise self.wrong(line, reason, "Correct the address, or the command it is about.") from reason

    def prose(self, prose: Prose) -> str:
        """The Markdown of a paragraph with the numbers of this run."""
        text = prose.text
        for reference in prose.references:
            value = self.value(reference.line, reference.address)
            text = text.replace(reference.source, as_written(value, reference.written), 1)
        return text

    def holds(self, condition: Condition) -> bool:
        """Whether a condition is met. Raises BadLesson where it cannot be asked."""
        if condition.sign in ("holds", "fails") and isinstance(condition.left, Address):
            try:
                found = verdict(self.result(condition.left.run), condition.left.path)
            except NoSuchPlace as reason:
                raise self.wrong(condition.line, reason, "Name a statement of the result.") from reason
            return found is (condition.sign == "holds")
        sides = [
            self.value(condition.line, side) if isinstance(side, Address) else side
            for side in (condition.left, condition.right)
        ]
        left, right = (("yes" if side else "no") if isinstance(side, bool) else side for side in sides)
        if condition.sign in COMPARED:
            return COMPARED[condition.sign](left, right)
        if isinstance(left, str | None) or isinstance(right, str | None):
            raise self.wrong(condition.line, f"{left!r} and {right!r} have no order", "Compare words with = or !=.")
        return ORDERED[condition.sign](left, right)

    def is_right(self, question: Predict | Diagnose, choice: Choice) -> bool:
        """Whether this answer is right, by what was measured."""
        if isinstance(question, Predict):
            return all(self.holds(condition) for condition in choice.when)
        try:
            return signature(choice.text) == moved(self.result(question.run.number))
        except NoSuchPlace as reason:
            raise self.wrong(choice.line, reason, "'attn-lab break' lists them all.") from reason

    def answer(self, question: Predict | Diagnose) -> Choice:
        """The one answer that is right. Raises BadLesson unless there is exactly one."""
        found = [choice for choice in question.choices if self.is_right(question, choice)]
        if len(found) != 1:
            what = "none of the answers is" if not found else f"{len(found)} answers are"
            raise self.wrong(question.line, f"{what} right by what was measured", "Change the conditions.")
        return found[0]
