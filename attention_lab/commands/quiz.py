"""`attn-lab quiz`: tell unnamed faults by their symptoms, one question at a time, or as a page to hand out."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import dataclass, field

import numpy as np

from attention_lab.commands.output import check_writable
from attention_lab.commands.results import result_of
from attention_lab.commands.walking import HELP, Walk, beside
from attention_lab.errors import BadInput
from attention_lab.lesson.answers import Answers
from attention_lab.lesson.classbook import read_rows
from attention_lab.lesson.lesson import Diagnose, Lesson
from attention_lab.lesson.library import shipped_lessons
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.prefetch import Prefetcher
from attention_lab.lesson.progress import ProgressKeeper
from attention_lab.lesson.read import read_lesson
from attention_lab.lesson.scene import answer_item, question_item, solution_items, step_items
from attention_lab.options import Parser, named, parser_for
from attention_lab.quiz.draw import LEAST, LEVELS, MOST, draw
from attention_lab.quiz.score import AFTER_HINT, break_of, quiz_score
from attention_lab.result import Result
from attention_lab.show.keys import MEANING, open_keys
from attention_lab.show.screen import Scroll, open_screen
from attention_lab.show.walk import join_blocks

DESCRIPTION = """Tell a fault by its symptoms: matrices and vital signs of a broken model, and names to choose from.

A right answer gives a point, after a hint half a point. What is right was measured, as in 'attn-lab break'."""
SEEDS = 1_000_000  # short enough to be read out in class
HINT = ("h", f"a hint: a right answer then gives {AFTER_HINT:g} points")


def parser() -> Parser:
    """The command line of `attn-lab quiz`."""
    it = parser_for("attn-lab quiz", DESCRIPTION)
    which = it.add_argument_group("which questions")
    levels = "; ".join(f"{level}: {what}" for level, what in LEVELS.items())
    which.add_argument("--level", type=int, choices=tuple(LEVELS), default=1, help=f"{levels} (default 1)")
    which.add_argument("--questions", metavar="N", type=int, default=5, help="how many (default 5)")
    which.add_argument("--seed", metavar="N", type=int, help="the same for a whole class (default: another each time)")
    how = it.add_argument_group("how")
    how.add_argument("--record", metavar="FILE", type=named, help="add each answer to a CSV file")
    how.add_argument("--no-pause", action="store_true", help="all questions, then all answers: to hand out")
    only = how.add_mutually_exclusive_group()
    only.add_argument("--plain", action="store_true", help="text only: no colour, no borders; for screen readers")
    only.add_argument("--json", action="store_true", help="questions and answers as JSON, and nothing else")
    return it


def check(arguments: Namespace) -> None:
    """Raise BadInput on numbers of no sense, and on options that do not go together."""
    if not LEAST <= arguments.questions <= MOST:
        raise BadInput(f"--questions is {arguments.questions}.", f"It must be from {LEAST} to {MOST}.")
    if arguments.seed is not None and arguments.seed < 0:
        raise BadInput(f"--seed is {arguments.seed}.", "It must be at least 0.")
    for other, is_given in (("--no-pause", arguments.no_pause), ("--json", arguments.json)):
        if is_given and arguments.record:
            raise BadInput(f"--record does not go with {other}.", "Leave one of them out.")


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


def one_by_one(quiz: Lesson, arguments: Namespace) -> None:
    """Ask one question after the other. Raises KeyboardInterrupt on Ctrl-C."""
    answers = Answers()
    shown = open_screen(False, arguments.plain, sys.stdout)
    with Prefetcher(result_of, beside) as ahead, open_keys() as pressed, shown as where:
        performance = Performance(quiz, ahead)
        keeper = ProgressKeeper(None, performance, answers, arguments.record)
        it = Quiz(performance, ahead, where, pressed, answers, keeper, quiz.name)
        it.notices.append(f"{quiz.summary} h gives a hint; a right answer then gives {AFTER_HINT:g} points, not 1.")
        it.notices.append(f"The same questions again: {quiz.path}")
        it.run(0)
    keeper.flush_answers()


def quiz(words: list[str]) -> None:
    """Ask for unnamed faults."""
    arguments = parser().parse_args(words)
    check(arguments)
    seed = int(np.random.default_rng().integers(SEEDS)) if arguments.seed is None else arguments.seed
    drawn = draw(arguments.level, arguments.questions, seed)
    if arguments.json:
        from attention_lab.show.walkjson import walk_json_text

        sys.stdout.write(walk_json_text(Performance(drawn, result_of)) + "\n")
    elif arguments.no_pause:
        handout(drawn, Scroll(arguments.plain, sys.stdout))
    else:
        if arguments.record:
            check_writable(arguments.record)
            read_rows(arguments.record)
        one_by_one(drawn, arguments)
