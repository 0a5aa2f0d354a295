"""A step as data for every view: prose with the numbers of this run, results, a question and its answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from string import ascii_lowercase

from attention_lab.lesson.lesson import Check, Diagnose, Predict, Prose, Run, Step
from attention_lab.lesson.perform import Performance, is_all_right, symptoms
from attention_lab.result import Result


@dataclass(frozen=True)
class ProseItem:
    """Markdown with the measured numbers filled in."""

    text: str


@dataclass(frozen=True)
class ResultItem:
    """A command and the visible parts of its result; for the symptoms of an unnamed fault the command is ""."""

    command: str
    result: Result


@dataclass(frozen=True)
class QuestionItem:
    """A question and its choices, in Markdown; the first choice is a), the second b)."""

    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class AnswerItem:
    """The answer to a question: the right choice, the chosen one or None, and the idea behind each choice.

    If a class answered, `hands` counts the votes for each choice.
    """

    choices: tuple[str, ...]
    right: int
    chosen: int | None
    ideas: tuple[str, ...]
    hands: tuple[int, ...] = ()


Item = ProseItem | ResultItem | QuestionItem | AnswerItem
Question = Predict | Diagnose


def plain_words(markdown: str) -> str:
    """The words of a line of Markdown, without emphasis and code marks."""
    from markdown_it import MarkdownIt

    return "".join(child.content for token in MarkdownIt().parseInline(markdown) for child in token.children or [])


def choice_letter(number: int) -> str:
    """The letter of a choice: a, b, c."""
    return ascii_lowercase[number]


def result_item(performance: Performance, run: Run) -> ResultItem:
    """A command with the parts of its result that the lesson shows."""
    return ResultItem(shlex.join(("attn-lab", *run.words)), performance.visible_result(run))


def question_item(question: Question) -> QuestionItem:
    """A question with its choices."""
    return QuestionItem(question.question, tuple(choice.text for choice in question.choices))


def file_items(performance: Performance, check: Check) -> Iterator[Item]:
    """The check of the learner's file, or how to begin the file; without a working folder, the check of its start."""
    command = shlex.join(("attn-lab", *check.words))
    begin, file = shlex.join(("attn-lab", *check.start)), f"`{check.file}`"
    report = performance.current_check(check)
    both = f"```sh\n{begin}\n{command} --watch\n```\n\nThe second command checks it at each save, and has hints."
    if performance.folder is None:
        yield ProseItem(f"These commands write {file}, and check it while you work on it:\n\n{both} As it begins:")
        yield ResultItem(f"{command} --unnamed", performance.initial_check(check))
    elif report is None:
        yield ProseItem(f"There is no {file} in this folder yet. In a second terminal:\n\n{both}")
    else:
        yield ResultItem(f"{command} --unnamed", report)
        again = f"`{command} --watch` in a second terminal checks it at each save, and has hints."
        yield ProseItem("Nothing is wrong with it any more." if is_all_right(report) else again)


def step_items(performance: Performance, step: Step) -> Iterator[Item]:
    """The items of a step, up to its question. Raises BadLesson if the lesson no longer holds."""
    for block in step.blocks:
        match block:
            case Prose():
                yield ProseItem(performance.filled_prose(block))
            case Run():
                yield result_item(performance, block)
            case Predict():
                yield question_item(block)
            case Check():
                yield from file_items(performance, block)
            case Diagnose():
                yield ResultItem("", symptoms(performance.run_result(block.run.number)))
                yield question_item(block)


def answer_item(
    performance: Performance, question: Question, chosen: int | None = None, hands: tuple[int, ...] = ()
) -> AnswerItem:
    """The answer to a question as measured; `chosen` is the number of the given choice."""
    right = question.choices.index(performance.right_choice(question))
    texts = tuple(choice.text for choice in question.choices)
    return AnswerItem(texts, right, chosen, tuple(choice.idea for choice in question.choices), hands)


def solution_items(performance: Performance, question: Question) -> Iterator[Item]:
    """Items shown after the answer: for a fault the parts withheld before, such as its line and its cost.

    A prediction has none, since the next step shows the result.
    """
    if isinstance(question, Diagnose):
        page = result_item(performance, question.run)
        known = {part.name for part in symptoms(page.result).parts}
        kept_back = tuple(part for part in page.result.parts if part.name not in known)
        yield replace(page, result=replace(page.result, parts=kept_back))


def question_of(step: Step) -> Question | None:
    """The question that ends a step, or None."""
    last = step.blocks[-1]
    return last if isinstance(last, Predict | Diagnose) else None
