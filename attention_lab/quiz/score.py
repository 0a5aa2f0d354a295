"""What the answers to a quiz come to: points, and for each fault that was missed what to study next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.demo.registry import OURS
from attention_lab.lesson.answers import Answers
from attention_lab.lesson.lesson import Diagnose, Lesson, Run
from attention_lab.lesson.perform import Performance
from attention_lab.quiz.draw import LEVELS
from attention_lab.result import Note, Result
from attention_lab.text import count

AFTER_HINT = 0.5  # points for a right answer after a hint; without one it gives 1

Hints = Mapping[int, int]  # how many were shown, by the number of the question


def break_of(question: Diagnose) -> Break:
    """The break that a question is about."""
    return next(one for one in BREAKS if one.name == question.run.words[1])


def commands_in(lesson: Lesson) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every command that a lesson shows, with the number of its step."""
    for number, step in enumerate(lesson.steps, 1):
        yield from ((number, block.words) for block in step.blocks if isinstance(block, Run))


def taught(one: Break, lessons: Sequence[Lesson]) -> str:
    """The command for the step of a lesson that shows this break, or its demo, or for the lesson that it belongs to.

    Empty where there is none.
    """
    shown = [(f"{lesson.name} --from {number}", words) for lesson in lessons for number, words in commands_in(lesson)]
    itself = [place for place, words in shown if one.name in words]
    demo = [place for place, words in shown if words[:2] == ("demo", one.demo)]
    document = [lesson.name for lesson in lessons if lesson.name.upper() in OURS[one.demo].documents]
    return next((f"attn-lab walk {place}" for place in itself + demo + document), "")


def study(one: Break, lessons: Sequence[Lesson]) -> str:
    """Where a break is told, seen and taught."""
    commands = (f"attn-lab explain {one.name}", f"attn-lab demo {one.demo} --break {one.name}", taught(one, lessons))
    return "\n".join(f"'{command}'" for command in commands if command)


def lessons_to_study(
    quiz: Lesson, missed: Iterable[int], answers: Answers, lessons: Sequence[Lesson]
) -> Iterator[Note]:
    """For each question that was missed which fault it was, and where to study it."""
    for number in missed:
        question = quiz.questions[number]
        if isinstance(question, Diagnose):
            one, chosen = break_of(question), answers.chosen(number)
            was = f"{one.name}, which is harmless" if one.harmless else one.name
            instead = "" if chosen is None else f"; you chose: {question.choices[chosen].text}"
            told = f"Question {number + 1} was {was}{instead}. Study:\n{study(one, lessons)}"
            yield Note(f"study-{number + 1}", told)


def marked(performance: Performance, answers: Answers, hints: Hints, seen: int, lessons: Sequence[Lesson]) -> Result:
    """The points of one person and what to study, after the first `seen` questions."""
    quiz = performance.lesson
    rights = [question.choices.index(performance.answer(question)) for question in quiz.questions[:seen]]
    right = {number for number, place in enumerate(rights) if answers.chosen(number) == place}
    helped = sum(hints.get(number, 0) > 0 for number in right)
    points = len(right) - helped + AFTER_HINT * helped
    after = f", {helped} of them after a hint, for {AFTER_HINT:g} points each" if helped else ""
    told = f"{points:g} of {count(len(rights), 'point')}: {len(right)} right{after}."
    left = f" Not asked: {len(quiz.questions) - seen}." if seen < len(quiz.questions) else ""
    missed = [number for number in range(seen) if number not in right]
    notes = [Note("score", told + left), *lessons_to_study(quiz, missed, answers, lessons)]
    if not missed:
        notes.append(Note("study", f"You missed nothing. More levels: {', '.join(map(str, LEVELS))}, by --level."))
    return Result((*notes, Note("again", f"The same questions again: '{quiz.path}'.")))
