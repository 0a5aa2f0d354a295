"""`attn-lab quiz`: tell unnamed faults by their symptoms, one question at a time, or as a page to hand out."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from attention_lab.commands.outcome import Document, Live
from attention_lab.commands.results import result_of
from attention_lab.commands.views import Views, check_writable
from attention_lab.commands.walking import HELP, Walk, beside
from attention_lab.lesson.answers import Answers
from attention_lab.lesson.classbook import read_rows
from attention_lab.lesson.lesson import Diagnose, Lesson
from attention_lab.lesson.library import shipped_lessons
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.prefetch import Prefetcher
from attention_lab.lesson.progress import ProgressKeeper
from attention_lab.lesson.read import read_lesson
from attention_lab.lesson.scene import answer_item, question_item, solution_items, step_items
from attention_lab.options import Param
from attention_lab.quiz.draw import LEAST, LEVELS, MOST, draw
from attention_lab.quiz.score import AFTER_HINT, break_of, quiz_score
from attention_lab.result import Result
from attention_lab.show.keys import MEANING, open_keys
from attention_lab.show.screen import Scroll, open_screen
from attention_lab.show.walk import join_blocks

SEEDS = 1_000_000  # short enough to be read out in class
HINT = ("h", f"a hint: a right answer then gives {AFTER_HINT:g} points")
WHICH, HOW = "which questions", "how"
LEVEL = Param("; ".join(f"{level}: {what}" for level, what in LEVELS.items()), choices=tuple(LEVELS), group=WHICH)
QUESTIONS = Param("how many", at_least=LEAST, at_most=MOST, group=WHICH)
SEED = Param("the same for a whole class", at_least=0, group=WHICH, default="another each time")
RECORD = Param(
    "add each answer to a CSV file", metavar="FILE", files=(), group=HOW, echo=False, apart=("--no-pause", "--json")
)
NO_PAUSE = Param("all questions, then all answers: to hand out", group=HOW, echo=False)


def handout(quiz: Lesson, where: Scroll) -> None:
    """Every question, and then every answer."""
    view, performance = where.view(), Performance(quiz, result_of)
    blocks = [view.title_block(quiz.title), view.notice_block(f"{quiz.summary} Drawn by: {quiz.path}")]
    for step in quiz.steps:
        blocks += [
            view.title_block(step.title),
            *(block for item in step_items(performance, step) for block in view.item_blocks(item)),
        ]
    blocks.append(view.title_block("Answers"))
    for question in quiz.questions:
        answer = [question_item(question), answer_item(performance, question), *solution_items(performance, question)]
        blocks += [block for item in answer for block in view.item_blocks(item)]
    for line in join_blocks(blocks):
        where.console.print(line, soft_wrap=True)


@dataclass
class Quiz(Walk):
    """A walk from question to question, with hints."""

    unit: str = "question"
    hints: dict[int, int] = field(default_factory=dict)  # how many were shown, by the number of the question
    hinted: bool = False  # whether a hint is on the screen, in place of the symptoms

    def foot(self) -> tuple[str, ...]:
        """Where one is and what one can press, a hint too where the question is; it leaves room in 40 columns."""
        first, *more = super().foot()
        place, _, page = first.partition(", ")
        if self.takes_letters() and self.is_open():
            return (place, more[0], "h: hint", *more[1:])
        return (f"{place.partition(' of ')[0]}, {page}" if page else place, *more)

    def all_keys(self) -> tuple[tuple[str, str], ...]:
        """The keys and what they do."""
        return (*HELP[:-2], HINT, ("q, Ctrl-D", "quit, see the score"), HELP[-1])

    def score(self) -> Result:
        """Points, and what to study, of the questions so far."""
        seen = max([self.step, *(number + 1 for number in self.answers.given)])
        lessons = [read_lesson(file) for file in shipped_lessons().values()]
        return quiz_score(self.performance, self.answers, self.hints, seen, lessons)

    def hint(self, question: Diagnose) -> None:
        """The next hint above the names to choose from."""
        known, said = break_of(question).hints, self.hints.get(self.number, 0)
        if said == len(known):
            self.screen.show_foot(("There are no more hints.",))
            return
        self.hints[self.number] = said + 1
        view = self.screen.view()
        head = view.notice_block(f"Hint {said + 1} of {len(known)}: {known[said]}")
        self.hinted = True
        self.lay_out([head, *view.item_blocks(question_item(question))])

    def enter(self, step: int, page: int = 0) -> None:
        """Go to a question."""
        self.hinted = False
        super().enter(step, page)

    def back(self) -> None:
        """The page before this one: before a hint, the symptoms."""
        if self.hinted:
            self.enter(self.step)
        else:
            super().back()

    def act(self, key: str) -> None:
        """Do what a key asks for. Raises Left at the end."""
        if MEANING.get(key) == "hands" and isinstance(self.question, Diagnose) and self.asking and self.is_open():
            self.hint(self.question)
        else:
            super().act(key)

    def run(self, step: int) -> None:
        """Ask until the end, or until it is quit: then the score is told all the same."""
        super().run(step)
        if self.step < len(self.steps) and (self.step or self.answers.given):
            self.screen.show_page(self.screen.view().result_blocks(self.score()), ("",))


def one_by_one(quiz: Lesson, record: str | None, is_plain: bool) -> None:
    """Ask one question after the other. Raises KeyboardInterrupt on Ctrl-C."""
    answers = Answers()
    with (
        Prefetcher(result_of, beside) as ahead,
        open_keys() as pressed,
        open_screen(False, is_plain, sys.stdout) as where,
    ):
        performance = Performance(quiz, ahead)
        keeper = ProgressKeeper(None, performance, answers, record)
        walk = Quiz(performance, ahead, where, pressed, answers, keeper, quiz.name)
        walk.notices.append(f"{quiz.summary} h gives a hint; a right answer then gives {AFTER_HINT:g} points, not 1.")
        walk.notices.append(f"The same questions again: {quiz.path}")
        walk.run(0)
    keeper.flush_answers()


def quiz(
    *,
    level: Annotated[int, LEVEL] = 1,
    questions: Annotated[int, QUESTIONS] = 5,
    seed: Annotated[int | None, SEED] = None,
    record: Annotated[str | None, RECORD] = None,
    no_pause: Annotated[bool, NO_PAUSE] = False,
    views: Views,
) -> Document | Live:
    """Tell a fault by its symptoms: matrices and vital signs of a broken model, and names to choose from.

    A right answer gives a point, after a hint half a point. What is right was measured, as in 'attn-lab break'.
    """
    lesson = draw(level, questions, int(np.random.default_rng().integers(SEEDS)) if seed is None else seed)
    if views.json:
        from attention_lab.show.walkjson import walk_json_text

        return Document(walk_json_text(Performance(lesson, result_of)) + "\n")
    if no_pause:
        return Live(lambda views, _: handout(lesson, Scroll(views.plain, sys.stdout)))
    if record:
        check_writable(record)
        read_rows(record)
    return Live(lambda views, _: one_by_one(lesson, record, views.plain))
