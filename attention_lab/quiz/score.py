"""The score of a quiz: points for the answers, and for each missed fault what to study next."""

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

Hints = Mapping[int, int]  # number of hints that were shown, by the number of the question


def break_of(question: Diagnose) -> Break:
    """The break that a question is about."""
    return next(entry for entry in BREAKS if entry.name == question.run.words[1])


def commands_in(lesson: Lesson) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Every command that a lesson shows, with the number of its step."""
    for number, step in enumerate(lesson.steps, 1):
        yield from ((number, block.words) for block in step.blocks if isinstance(block, Run))


def lesson_command(fault: Break, lessons: Sequence[Lesson]) -> str:
    """The command for the step of a lesson that shows this break, or its demo, or for the lesson on its document.

    An empty string where no lesson does.
    """
    steps = [(f"{lesson.name} --from {number}", words) for lesson in lessons for number, words in commands_in(lesson)]
    showing_break = [place for place, words in steps if fault.name in words]
    showing_demo = [place for place, words in steps if words[:2] == ("demo", fault.demo)]
    on_document = [lesson.name for lesson in lessons if lesson.name.upper() in OURS[fault.demo].documents]
    return next((f"attn-lab walk {place}" for place in showing_break + showing_demo + on_document), "")


def study_commands(fault: Break, lessons: Sequence[Lesson]) -> str:
    """The commands that explain, show and teach a break, one a line."""
    demo = f"attn-lab demo {fault.demo} --break {fault.name}"
    commands = (f"attn-lab explain {fault.name}", demo, lesson_command(fault, lessons))
    return "\n".join(f"'{command}'" for command in commands if command)


def lessons_to_study(
    quiz: Lesson, missed: Iterable[int], answers: Answers, lessons: Sequence[Lesson]
) -> Iterator[Note]:
    """For each missed question, which fault it was and where to study it."""
    for number in missed:
        question = quiz.questions[number]
        if isinstance(question, Diagnose):
            fault, chosen = break_of(question), answers.choice_of_one(number)
            answer = f"{fault.name}, which is harmless" if fault.harmless else fault.name
            instead = "" if chosen is None else f"; you chose: {question.choices[chosen].text}"
            text = f"Question {number + 1} was {answer}{instead}. Study:\n{study_commands(fault, lessons)}"
            yield Note(f"study-{number + 1}", text)


def quiz_score(
    performance: Performance, answers: Answers, hints: Hints, seen: int, lessons: Sequence[Lesson]
) -> Result:
    """The points of one person and what to study, after the first `seen` questions."""
    quiz = performance.lesson
    solutions = [question.choices.index(performance.right_choice(question)) for question in quiz.questions[:seen]]
    right = {number for number, place in enumerate(solutions) if answers.choice_of_one(number) == place}
    after_hint = sum(hints.get(number, 0) > 0 for number in right)
    points = len(right) - after_hint + AFTER_HINT * after_hint
    halved = f", {after_hint} of them after a hint, for {AFTER_HINT:g} points each" if after_hint else ""
    score = f"{points:g} of {count(len(solutions), 'point')}: {len(right)} right{halved}."
    left = f" Not asked: {len(quiz.questions) - seen}." if seen < len(quiz.questions) else ""
    missed = [number for number in range(seen) if number not in right]
    notes = [Note("score", score + left), *lessons_to_study(quiz, missed, answers, lessons)]
    if not missed:
        notes.append(Note("study", f"You missed nothing. More levels: {', '.join(map(str, LEVELS))}, by --level."))
    return Result((*notes, Note("again", f"The same questions again: '{quiz.path}'.")))
