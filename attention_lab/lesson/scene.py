"""A step as it is shown, whatever shows it: prose with the numbers of this run, results, a question and its answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from string import ascii_lowercase

from attention_lab.lesson.lesson import Check, Diagnose, Predict, Prose, Run, Step
from attention_lab.lesson.perform import Performance, is_right, symptoms
from attention_lab.result import Result


@dataclass(frozen=True)
class Paragraphs:
    """Markdown with the numbers that were measured."""

    text: str


@dataclass(frozen=True)
class Shown:
    """A command and what of its result is shown; without a command, the symptoms of a fault that has no name yet."""

    command: str
    result: Result


@dataclass(frozen=True)
class Asked:
    """A question and what there is to choose from, in Markdown; the first choice is a), the second b)."""

    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Told:
    """The answer: the number of the right choice and of the one that was given, if any; for each choice its idea.

    Where a class answered, `hands` are those that were raised for each choice.
    """

    choices: tuple[str, ...]
    right: int
    chosen: int | None
    ideas: tuple[str, ...]
    hands: tuple[int, ...] = ()


Item = Paragraphs | Shown | Asked | Told
Question = Predict | Diagnose


def words(markdown: str) -> str:
    """A line of Markdown where nothing can be set in code or emphasis: its words."""
    from markdown_it import MarkdownIt

    return "".join(child.content for token in MarkdownIt().parseInline(markdown) for child in token.children or [])


def letter(number: int) -> str:
    """What a choice is called: a, b, c."""
    return ascii_lowercase[number]


def shown(performance: Performance, run: Run) -> Shown:
    """A command with the parts of its result that the lesson asks for."""
    return Shown(shlex.join(("attn-lab", *run.words)), performance.shown(run))


def asked(question: Question) -> Asked:
    """A question as it is put."""
    return Asked(question.question, tuple(choice.text for choice in question.choices))


def on_file(performance: Performance, check: Check) -> Iterator[Item]:
    """How the learner's own file stands, or how to begin it; where nobody works, how it begins."""
    command = shlex.join(("attn-lab", *check.words))
    begin, file = shlex.join(("attn-lab", *check.start)), f"`{check.file}`"
    found = performance.checked(check)
    both = f"```sh\n{begin}\n{command} --watch\n```\n\nThe second command checks it at each save, and has hints."
    if performance.folder is None:
        yield Paragraphs(f"These commands write {file}, and check it while you work on it:\n\n{both} As it begins:")
        yield Shown(f"{command} --unnamed", performance.begun(check))
    elif found is None:
        yield Paragraphs(f"There is no {file} in this folder yet. In a second terminal:\n\n{both}")
    else:
        yield Shown(f"{command} --unnamed", found)
        again = f"`{command} --watch` in a second terminal checks it at each save, and has hints."
        yield Paragraphs("Nothing is wrong with it any more." if is_right(found) else again)


def items(performance: Performance, step: Step) -> Iterator[Item]:
    """A step up to its question. Raises BadLesson where the lesson no longer holds."""
    for block in step.blocks:
        match block:
            case Prose():
                yield Paragraphs(performance.prose(block))
            case Run():
                yield shown(performance, block)
            case Predict():
                yield asked(block)
            case Check():
                yield from on_file(performance, block)
            case Diagnose():
                yield Shown("", symptoms(performance.result(block.run.number)))
                yield asked(block)


def told(performance: Performance, question: Question, chosen: int | None = None, hands: tuple[int, ...] = ()) -> Told:
    """The answer to a question, by what was measured; `chosen` is the number of the choice that was given."""
    right = question.choices.index(performance.answer(question))
    texts = tuple(choice.text for choice in question.choices)
    return Told(texts, right, chosen, tuple(choice.idea for choice in question.choices), hands)


def revealed(performance: Performance, question: Question) -> Iterator[Item]:
    """What is shown after the answer: of a fault, what its symptoms kept back: the line, and what it costs.

    Of a prediction nothing: the next step shows it.
    """
    if isinstance(question, Diagnose):
        page = shown(performance, question.run)
        known = {part.name for part in symptoms(page.result).parts}
        kept_back = tuple(part for part in page.result.parts if part.name not in known)
        yield replace(page, result=replace(page.result, parts=kept_back))


def question_of(step: Step) -> Question | None:
    """The question in which a step ends, if it does."""
    last = step.blocks[-1]
    return last if isinstance(last, Predict | Diagnose) else None
