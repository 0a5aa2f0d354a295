"""Keeps the place in a lesson, and the answers of a class, while a walk goes on."""

from __future__ import annotations

from pathlib import Path

from attention_lab.errors import CannotWrite
from attention_lab.lesson.answers import Answers, Counts
from attention_lab.lesson.classbook import Row, append, rows_for
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.position import Position, forget, save
from attention_lab.lesson.scene import Question
from attention_lab.text import count


class Keeper:
    """Writes the place to a person's own folder `home`, and answers to the file `record`, if there are such.

    That something cannot be written ends no lesson: it is said once.
    """

    def __init__(self, home: Path | None, performance: Performance, answers: Answers, record: str | None) -> None:
        self.home = home
        self.performance = performance
        self.answers = answers
        self.record = record
        self.unwritten: list[Row] = []  # answers of the class, to be tried again with the next one
        self.failed: set[str] = set()

    def once(self, what: str, reason: OSError) -> str:
        """A sentence about a failure; nothing if it was said before."""
        said = what in self.failed
        self.failed.add(what)
        return "" if said else f"Cannot keep {what}: {reason.strerror or reason}. The walk goes on without."

    def place(self, step: int) -> str:
        """Keep the place; the end is none to come back to. What is to be said about it, if anything."""
        lesson = self.performance.lesson
        if self.home is None:
            return ""
        try:
            if step == len(lesson.steps):
                forget(self.home, lesson)
            else:
                save(self.home, lesson, Position(step, self.answers.given))
        except OSError as reason:
            return self.once("your place", reason)
        return ""

    def answer(self, question: Question, counts: Counts) -> str:
        """Add an answer to the file of the class. What is to be said about it, if anything."""
        if self.record is None:
            return ""
        self.unwritten += rows_for(self.performance, question, counts)
        try:
            append(self.record, self.unwritten)
        except OSError as reason:
            return self.once(f"the answers in {self.record}", reason)
        self.unwritten.clear()
        return ""

    def farewell(self, step: int, name: str) -> str:
        """Where the walk was left and how to go on, unless it came to its end or its place could not be kept."""
        steps = len(self.performance.lesson.steps)
        if step == steps or self.home is None or "your place" in self.failed:
            return ""
        return f"You left at step {step + 1} of {steps}. 'attn-lab walk {name}' goes on there."

    def settle(self) -> None:
        """Try once more what could not be written. Raises CannotWrite with how much is lost."""
        if not self.unwritten or self.record is None:
            return
        try:
            append(self.record, self.unwritten)
        except OSError as reason:
            lost = f"{count(len(self.unwritten), 'answer')} to {self.record}"
            raise CannotWrite(lost, str(reason.strerror or reason)) from reason
