"""A walk through a lesson, one page at a time, by the keys of whoever reads."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from attention_lab.commands.results import result_of
from attention_lab.lesson.answers import Answers, Counts, score_page, single_vote
from attention_lab.lesson.classbook import class_page_of
from attention_lab.lesson.lesson import Lesson, Step
from attention_lab.lesson.perform import Performance, runs_needed
from attention_lab.lesson.position import Position, load_position
from attention_lab.lesson.prefetch import Prefetcher
from attention_lab.lesson.progress import ProgressKeeper
from attention_lab.lesson.scene import (
    Question,
    answer_item,
    choice_letter,
    question_item,
    question_of,
    solution_items,
    step_items,
)
from attention_lab.result import Result
from attention_lab.show.keys import MEANING, NUMBER, Keys, open_keys
from attention_lab.show.screen import Screen, open_screen, print_notice
from attention_lab.show.walk import Block, paginate

SOON = 3  # steps whose results are computed while a person reads
HELP = (
    ("Enter, space, n, right", "go on"),
    ("b, left, Backspace", "back"),
    ("a, b, c ...", "answer"),
    ("r", "this step again"),
    ("g or a number, Enter", "to that step"),
    ("q, Ctrl-D", "quit, keep the place"),
    ("Ctrl-C", "quit at once"),
)
HANDS = ("h", "count raised hands")


def beside(words: tuple[str, ...]) -> bool:
    """Whether a command may run in a thread while a person reads: it is short, and changes nothing that all share.

    A limit on how long somebody's own code may run holds in the main thread only, and what it prints is led aside for
    the whole process.
    """
    from attention_lab.demo import listens
    from attention_lab.demo.registry import OURS, from_catalogue

    own = any(word.startswith(("--edit", "--with", "--train", "--matrix", "--verify")) for word in words)
    if own or words[0] in ("train", "claims"):
        return False
    return words[0] != "demo" or len(words) < 2 or (words[1] in OURS and not listens(from_catalogue(words[1]).run))


class Left(Exception):
    """The walk has come to its end, or was quit; the place is kept."""


@dataclass
class Walk:
    """Where one is in a lesson, and what one has answered."""

    performance: Performance
    ahead: Prefetcher
    screen: Screen
    keys: Keys
    answers: Answers
    keeper: ProgressKeeper
    name: str  # of the lesson, as it was typed
    present: bool = False
    unit: str = "step"  # what a step is called
    step: int = 0
    asking: bool = False  # whether letters answer: the question is on the screen, and not its verdict
    warned: bool = False  # whether it was said that Enter goes on without an answer
    page: int = 0
    pages: list[list[Block]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    section: str = ""  # under whose title the last page stood

    # ---- what is shown ----

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the lesson."""
        return self.performance.lesson.steps

    @property
    def question(self) -> Question | None:
        """The question of this step, if it has one."""
        return question_of(self.steps[self.step]) if self.step < len(self.steps) else None

    @property
    def number(self) -> int:
        """The number of that question among those of the lesson."""
        return next(n for n, one in enumerate(self.performance.lesson.questions) if one is self.question)

    def is_open(self) -> bool:
        """Whether the question of this step waits for its first answer."""
        return self.question is not None and self.number not in self.answers.given

    def foot(self) -> tuple[str, ...]:
        """Where one is, and what one can press."""
        if self.step == len(self.steps):
            return ("end", "Enter: leave", "b: back")
        place = f"{self.unit} {self.step + 1} of {len(self.steps)}"
        place += f", page {self.page + 1} of {len(self.pages)}" if len(self.pages) > 1 else ""
        if self.present:
            return (place,)
        last = choice_letter(len(self.question.choices) - 1) if self.question else ""
        if self.takes_letters() and self.is_open():
            return (place, f"a-{last}: answer", "?: help", "left: back", "q: quit")
        again = (f"a-{last}: answer again",) if self.takes_letters() else ()
        return (place, "Enter: on", *again, "left: back" if again else "b: back", "?: help", "q: quit")

    def takes_letters(self) -> bool:
        """Whether letters answer: on the page with the question, or once it was answered on any."""
        return self.asking and (not self.is_open() or self.page == len(self.pages) - 1)

    def show(self) -> None:
        """The page where one is."""
        self.screen.show_page(self.pages[self.page], self.foot())

    def lay_out(self, blocks: list[Block], page: int = 0) -> None:
        """Put blocks on pages and show one of them; -1 is the last."""
        said = [self.screen.view().notice_block(notice) for notice in self.notices]
        self.notices.clear()
        self.pages = paginate([*said, *blocks], self.screen.page_height())
        self.page = page % len(self.pages)
        self.show()

    def title(self) -> list[Block]:
        """The title of the section, where it is new; on a projector on each page."""
        title = self.steps[self.step].title
        known, self.section = self.section, title
        return [] if title == known and not self.present else [self.screen.view().title_block(title)]

    def enter(self, step: int, page: int = 0) -> None:
        """Go to a step, and compute the next ones while it is read."""
        self.step, self.warned = step, False
        if step == len(self.steps):
            self.end()
            return
        blocks = self.title()
        for item in step_items(self.performance, self.steps[step]):
            blocks += self.screen.view().item_blocks(item)
        if self.question and not self.is_open():
            chosen = self.answers.choice_of_one(self.number)
            blocks += self.verdict(self.question, chosen, () if chosen is not None else self.answers.given[self.number])
        self.asking = self.question is not None
        note = self.keeper.keep_place(step)
        self.notices += [note] if note else []
        self.lay_out(blocks, page)
        soon = self.steps[step : step + SOON]
        runs = self.performance.lesson.runs
        self.ahead.prefetch(runs[number].words for one in soon for number in runs_needed(one))

    def score(self) -> Result:
        """How one has answered, and what to do next."""
        return score_page(self.performance, self.answers, self.name)

    def end(self) -> None:
        """The score, and what to do next."""
        self.asking = False
        self.section = ""
        note = self.keeper.keep_place(self.step)
        self.notices += [note] if note else []
        view = self.screen.view()
        blocks = [view.title_block("The end"), *view.result_blocks(self.score())]
        if self.keeper.record:
            blocks += view.result_blocks(class_page_of(self.keeper.record))
        self.lay_out(blocks)

    # ---- answers ----

    def verdict(self, question: Question, chosen: int | None, hands: Counts) -> list[Block]:
        """Whether the answer was right, and what an answer reveals."""
        view = self.screen.view()
        told_items = [
            answer_item(self.performance, question, chosen, hands),
            *solution_items(self.performance, question),
        ]
        return [block for item in told_items for block in view.item_blocks(item)]

    def judge(self, question: Question, chosen: int | None, hands: Counts = ()) -> None:
        """Show the verdict, on a projector below the question."""
        view = self.screen.view()
        again = [*self.title(), *view.item_blocks(question_item(question))] if self.present else []
        self.asking = False
        self.lay_out([*again, *self.verdict(question, chosen, hands)])

    def answer(self, question: Question, counts: Counts, chosen: int | None) -> None:
        """Take an answer; the first one counts and is noted."""
        if self.answers.give(self.number, counts):
            notes = (self.keeper.keep_answer(question, counts), self.keeper.keep_place(self.step))
            self.notices += [note for note in notes if note]
        elif chosen != self.answers.choice_of_one(self.number):
            self.notices.append("Your first answer counts.")
        self.judge(question, chosen, counts if chosen is None else ())

    def typed(self, ask: str, begun: str = "") -> int | None:
        """A number that is asked for in the foot; None where it is given up."""
        return self.keys.read_number(begun, lambda digits: self.screen.show_foot((f"{ask} {digits}",)))

    def count_hands(self, question: Question) -> None:
        """Ask how many chose each answer, then judge."""
        counts: list[int] = []
        for number in range(len(question.choices)):
            hands = self.typed(f"How many chose {choice_letter(number)})?")
            if hands is None:
                self.screen.show_foot(("The count was given up; h begins it anew.",))
                return
            counts.append(hands)
        if sum(counts):
            self.answer(question, tuple(counts), None)
        else:
            self.screen.show_foot(("Nobody answered.",))

    # ---- moves ----

    def forward(self) -> None:
        """The next page; past an open question only when that is meant."""
        if self.page + 1 < len(self.pages):
            self.page += 1
            self.show()
        elif self.step == len(self.steps):
            raise Left
        elif self.question and self.asking and self.is_open():
            if self.warned:
                self.judge(self.question, None)
            else:
                last = choice_letter(len(self.question.choices) - 1)
                self.screen.show_foot((f"Answer a-{last}; Enter goes on without one.",))
                self.warned = True
        else:
            self.enter(self.step + 1)

    def back(self) -> None:
        """The page before this one."""
        if self.page:
            self.page -= 1
            self.show()
        elif self.question and not self.asking:  # from the verdict to its question
            self.enter(self.step)
        elif self.step:
            self.enter(self.step - 1, -1)
        else:
            self.screen.show_foot(("This is the first page.",))

    def jump(self, begun: str) -> None:
        """To the step whose number is typed."""
        last = len(self.steps)
        number = self.typed(f"Which {self.unit} (1 to {last})?", begun)
        if number is None:
            self.show()
        elif 1 <= number <= last:
            self.section = ""
            self.enter(number - 1)
        else:
            self.screen.show_foot((f"There are {self.unit}s 1 to {last}.",))

    def all_keys(self) -> tuple[tuple[str, str], ...]:
        """The keys and what they do."""
        return (*HELP, HANDS) if self.present else HELP

    def help(self) -> None:
        """What the keys do, until one of them is pressed."""
        view = self.screen.view()
        lines = [line for key, does in self.all_keys() for line in view.notice_block(f"{key}: {does}")]
        *more, last = paginate([lines], self.screen.page_height())
        for page in more:
            self.screen.show_page(page, ("Any key goes on.",))
            self.keys.next_key()
        self.screen.show_page(last, ("Any key goes back to the lesson.",))
        self.keys.next_key()
        self.show()

    def act(self, key: str) -> None:
        """Do what a key asks for. Raises Left at the end."""
        number, meaning = NUMBER.fullmatch(key), MEANING.get(key, "")
        letters = [choice_letter(n) for n in range(len(self.question.choices))] if self.question else []
        if self.question and self.takes_letters() and key in letters:
            chosen = letters.index(key)
            self.answer(self.question, single_vote(self.question, chosen), chosen)
        elif number:
            self.jump(number[1])
        elif meaning == "next":
            self.forward()
        elif meaning == "back":
            self.back()
        elif meaning == "repeat":
            self.section = ""
            self.enter(self.step)
        elif meaning == "jump":
            self.jump("")
        elif meaning == "help":
            self.help()
        elif meaning == "quit":
            raise Left
        elif meaning == "hands" and self.present and self.question and self.takes_letters() and self.is_open():
            self.count_hands(self.question)
        else:
            self.screen.show_foot(("No such key; ? shows which there are.",))

    def run(self, step: int) -> None:
        """Walk until the end, or until it is quit. Raises KeyboardInterrupt, and BadLesson where it is stale."""
        with suppress(Left, EOFError):
            self.enter(step)
            while True:
                self.act(self.keys.next_key())


def step_by_step(
    lesson: Lesson, name: str, first: int | None, record: str | None, present: bool, is_plain: bool, home: Path
) -> None:
    """Walk through a lesson by the keys of whoever reads. Raises KeyboardInterrupt on Ctrl-C; the place is kept."""
    position, word = load_position(home, lesson) if first is None else (Position(first - 1), "")
    answers = Answers(dict(position.given))
    interrupted, out = False, sys.stdout
    shown = open_screen(present, is_plain, out)
    with open_keys() as pressed, shown as where, Prefetcher(result_of, beside, where.erase_foot) as ahead:
        performance = Performance(lesson, ahead, Path())
        keeper = ProgressKeeper(home, performance, answers, record)
        walk = Walk(performance, ahead, where, pressed, answers, keeper, name, present)
        walk.notices += [word] if word else []
        try:
            walk.run(position.step)
        except KeyboardInterrupt:
            interrupted = True
    farewell = keeper.farewell_sentence(walk.step, shlex.quote(name))
    if farewell:
        print_notice(farewell, is_plain, out)
    keeper.flush_answers()
    if interrupted:
        raise KeyboardInterrupt
