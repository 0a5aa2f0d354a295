"""Keep the place in a lesson and the answers of a class during a walk."""

from __future__ import annotations

from pathlib import Path

from attention_lab.errors import CannotWrite
from attention_lab.lesson.answers import Answers, Counts
from attention_lab.lesson.classbook import AnswerRow, answer_rows, append_rows
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.position import Position, forget_position, save_position
from attention_lab.lesson.scene import Question
from attention_lab.text import count


class ProgressKeeper:
    """Writes the place into the folder `home` and the answers into the file `record`; None turns either off.

    A failure to write does not end the lesson: it is reported once.
    """

    def __init__(self, home: Path | None, performance: Performance, answers: Answers, record: str | None) -> None:
        self.home = home
        self.performance = performance
        self.answers = answers
        self.record = record
        self.unwritten: list[AnswerRow] = []  # answers to be written with the next one
        self.failed: set[str] = set()

    def complain_once(self, what: str, reason: OSError) -> str:
        """A sentence about a failure; "" if it was reported before."""
        was_reported = what in self.failed
        self.failed.add(what)
        return "" if was_reported else f"Cannot keep {what}: {reason.strerror or reason}. The walk goes on without."

    def keep_place(self, step: int) -> str:
        """Save the step; at the end of the lesson forget the place. Returns a complaint or ""."""
        lesson = self.performance.lesson
        if self.home is None:
            return ""
        try:
            if step == len(lesson.steps):
                forget_position(self.home, lesson)
            else:
                save_position(self.home, lesson, Position(step, self.answers.given))
        except OSError as reason:
            return self.complain_once("your place", reason)
        return ""

    def keep_answer(self, question: Question, counts: Counts) -> str:
        """Add an answer to the file of the class. Returns a complaint or ""."""
        if self.record is None:
            return ""
        self.unwritten += answer_rows(self.performance, question, counts)
        try:
            append_rows(self.record, self.unwritten)
        except OSError as reason:
            return self.complain_once(f"the answers in {self.record}", reason)
        self.unwritten.clear()
        return ""

    def farewell_sentence(self, step: int, name: str) -> str:
        """A sentence on where the walk stopped and how to resume it; "" at its end or if its place was not kept."""
        steps = len(self.performance.lesson.steps)
        if step == steps or self.home is None or "your place" in self.failed:
            return ""
        return f"You left at step {step + 1} of {steps}. 'attn-lab walk {name}' goes on there."

    def flush_answers(self) -> None:
        """Write the remaining answers. Raises CannotWrite with the number of answers lost."""
        if not self.unwritten or self.record is None:
            return
        try:
            append_rows(self.record, self.unwritten)
        except OSError as reason:
            lost = f"{count(len(self.unwritten), 'answer')} to {self.record}"
            raise CannotWrite(lost, str(reason.strerror or reason)) from reason
