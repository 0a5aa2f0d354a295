"""The answers given in a walk, and the score at its end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from attention_lab.lesson.lesson import Diagnose, Lesson
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.scene import Question, choice_letter, plain_words
from attention_lab.result import Note, Part, Result
from attention_lab.text import count

Counts = tuple[int, ...]  # votes for each choice: of one person (0, 1, 0), of a class (4, 11, 2)


@dataclass
class Answers:
    """The first answer to each answered question, by the number of the question."""

    given: dict[int, Counts] = field(default_factory=dict)

    def give(self, number: int, counts: Counts) -> bool:
        """Keep an answer unless the question has one already; True if it was kept."""
        if number in self.given:
            return False
        self.given[number] = counts
        return True

    def choice_of_one(self, number: int) -> int | None:
        """The choice of a single person; None if nobody or a class answered."""
        counts = self.given.get(number, ())
        return counts.index(1) if sum(counts) == 1 else None


def single_vote(question: Question, chosen: int) -> Counts:
    """The votes of one person."""
    return tuple(int(number == chosen) for number in range(len(question.choices)))


def step_number(lesson: Lesson, question: Question) -> int:
    """The number of the step that ends with this question, counted from 1."""
    return next(number for number, step in enumerate(lesson.steps, 1) if step.blocks[-1] is question)


def wrong_answers(performance: Performance, answers: Answers) -> Iterator[tuple[Question, int, int]]:
    """Every wrong answer given: the question, the number of the choice, and its votes."""
    for number, counts in sorted(answers.given.items()):
        question = performance.lesson.questions[number]
        right = question.choices.index(performance.right_choice(question))
        yield from ((question, chosen, held) for chosen, held in enumerate(counts) if held and chosen != right)


def score_page(performance: Performance, answers: Answers, name: str) -> Result:
    """The score, the wrong ideas behind the answers, and what to do next. `name` is the lesson as it was typed."""
    lesson, wrong = performance.lesson, list(wrong_answers(performance, answers))
    given = sum(map(sum, answers.given.values()))
    right = given - sum(held for _, _, held in wrong)
    asked = f"{len(answers.given)} of {count(len(lesson.questions), 'question')} answered"
    parts: list[Part] = [Note("score", f"{asked}; {right} of {count(given, 'answer')} right.")] if given else []
    for number, (question, chosen, held) in enumerate(wrong, 1):
        choice = question.choices[chosen]
        again = shlex.join(("attn-lab", "walk", name, "--from", str(step_number(lesson, question))))
        who = "" if given == len(answers.given) else f" ({count(held, 'hand')})"
        answer = f"{plain_words(question.question)} Not {choice_letter(chosen)}) {plain_words(choice.text)}{who}"
        explain = f"; 'attn-lab explain {question.run.words[1]}'" if isinstance(question, Diagnose) else ""
        parts.append(Note(f"idea-{number}", f"{answer}\n{plain_words(choice.idea)}\nSee it again: '{again}'{explain}."))
    parts.append(Note("next", "Other lessons: 'attn-lab walk'. Break something yourself: 'attn-lab break'."))
    return Result(tuple(parts))
