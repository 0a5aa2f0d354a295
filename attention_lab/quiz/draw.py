"""Draw a quiz: unnamed faults to be told by their symptoms. A quiz is a lesson, drawn with a seed and not written.

Which answer is right is not decided here but measured when the quiz is taken, as in any lesson.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterable, Sequence

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.draws import fraction, ranked
from attention_lab.lesson.lesson import Choice, Diagnose, Lesson, Run, Step
from attention_lab.lesson.perform import NOTHING
from attention_lab.vitals import VITALS

Distractors = Callable[[Break, Sequence[Break]], list[Break]]  # faults to stand beside the right one, from those given
Key = tuple[str | int, ...]  # what a question is drawn from: level, seed, number

AFTER_ANSWER = ("diff", "cost", "next")  # parts of the page that are shown after the answer
LEVELS = {
    1: "faults in different parts of the model, with no symptom in common",
    2: "faults in one part of the model",
    3: "faults with nearly the same symptoms, or none at all",
}
LEAST, MOST = 1, 20  # questions
CLOSE = 8  # faults that count as nearest
HARMLESS = 0.2  # share of the questions of the last level in which nothing is broken
HERE = {"up": "rises", "down": "falls", "lost": "is lost", "": "stays"}
THERE = {"up": "rise", "down": "fall", "lost": "be lost", "": "stay"}


# ---- which faults stand beside each other ----


def signs(fault: Break) -> frozenset[str]:
    """Names of the vital signs that a break moves, whichever way."""
    return frozenset((*fault.up, *fault.down, *fault.lost))


def distinct(right: Break, faults: Iterable[Break]) -> list[Break]:
    """Faults whose symptoms differ from those of `right` and from each other's: of each signature the first."""
    first = {right.signature: right}
    for fault in faults:
        first.setdefault(fault.signature, fault)
    return list(first.values())[1:]


def unrelated_faults(right: Break, faults: Sequence[Break]) -> list[Break]:
    """Faults in other parts of the model, no vital sign of which moves in two of them."""
    chosen = [right]
    for fault in faults:
        if all(fault.part != other.part and not signs(fault) & signs(other) for other in chosen):
            chosen.append(fault)
    return chosen[1:]


def faults_of_part(right: Break, faults: Sequence[Break]) -> list[Break]:
    """Faults in the same part of the model, with distinct symptoms."""
    return distinct(right, (fault for fault in faults if fault.part == right.part))


def nearest_faults(right: Break, faults: Sequence[Break]) -> list[Break]:
    """Faults whose symptoms differ least from those of `right`; among equals, those of its part or its demo."""
    own, others = right.signature, distinct(right, faults)

    def distance(fault: Break) -> tuple[float, int, bool, bool]:
        moved = fault.signature
        unlike = len(moved ^ own)
        return unlike / len(moved | own), unlike, fault.part != right.part, fault.demo != right.demo

    closest = sorted(others, key=distance)[:CLOSE]
    return [fault for fault in others if fault in closest]


DISTRACTORS: dict[int, tuple[Distractors, int]] = {
    1: (unrelated_faults, 4),
    2: (faults_of_part, 4),
    3: (nearest_faults, 5),
}  # and faults


# ---- one question ----


def difference(right: Break | None, wrong: Break | None) -> str:
    """A sentence on a vital sign that separates two answers, preferably one that only the wrong one moves, or "".

    None is the answer that nothing is broken.
    """
    seen, other = (dict(answer.signature if answer else ()) for answer in (right, wrong))
    for vital in sorted(VITALS, key=lambda vital: vital.name in seen):
        here, there = seen.get(vital.name, ""), other.get(vital.name, "")
        if here != there:
            case = f"With {wrong.name}" if wrong else "Where nothing is broken"
            sign = f"{vital.name} ({vital.sentence.rstrip('.')})"
            return f"{case}, {sign} would {THERE[there]}; here it {HERE[here]}."
    return ""


def distractors(right: Break, level: int, key: Key, breaks: Sequence[Break] = BREAKS) -> list[Break]:
    """Faults to stand beside the right answer; an empty list where the catalogue has too few."""
    choose, names = DISTRACTORS[level]
    wanted = names if right.harmless else names - 1
    faults = [fault for fault in ranked(breaks, *key, "distractor") if not fault.harmless]
    chosen = choose(right, faults)[:wanted]
    return chosen if len(chosen) == wanted else []


def question(number: int, right: Break, others: Sequence[Break], level: int, key: Key) -> Diagnose:
    """A fault to name among others, in mixed order; that nothing is broken stands last."""
    answer = None if right.harmless else right
    answers: list[Break | None] = [*ranked([*others, answer] if answer else others, *key, "place")]
    answers += [None] if level == max(LEVELS) else []
    ideas = ["" if other is answer else difference(answer, other) for other in answers]
    names = [other.name if other else NOTHING for other in answers]
    choices = tuple(Choice(number, name, (), idea) for name, idea in zip(names, ideas, strict=True))
    ask = "what shows these symptoms?" if None in answers else "which fault shows these symptoms?"
    run = Run(number, number - 1, ("break", right.name), AFTER_ANSWER)
    return Diagnose(number, run, f"Question {number}: {ask}", choices)


# ---- the whole ----


def candidates(level: int, key: Key, breaks: Sequence[Break] = BREAKS) -> list[Break]:
    """The breaks in the order in which a question asks for them; harmless ones only where that is an answer."""
    order = ranked(breaks, *key, "answer")
    faults = [entry for entry in order if not entry.harmless]
    if level == max(LEVELS) and fraction(*key, "harmless") < HARMLESS:
        return [entry for entry in order if entry.harmless] + faults
    return faults


def draw_questions(level: int, count: int, seed: int, breaks: Sequence[Break] = BREAKS) -> list[Diagnose]:
    """So many questions, no two of them about faults with the same symptoms. Fewer questions are the first of more."""
    questions: list[Diagnose] = []
    asked: set[object] = set()  # symptoms of faults, names of harmless breaks
    for number in range(1, count + 1):
        key = ("quiz", level, seed, number)
        for right in candidates(level, key, breaks):
            symptoms = right.name if right.harmless else right.signature
            if symptoms not in asked and (others := distractors(right, level, key, breaks)):
                questions.append(question(number, right, others, level, key))
                asked.add(symptoms)
                break
    return questions


def quiz_command(level: int, count: int, seed: int) -> str:
    """The command that asks the same questions again."""
    return shlex.join(("attn-lab", "quiz", "--level", str(level), "--questions", str(count), "--seed", str(seed)))


def draw(level: int, count: int, seed: int) -> Lesson:
    """A quiz of so many questions. The same numbers give the same quiz."""
    questions = draw_questions(level, count, seed)
    steps = tuple(Step(f"Question {asked.line} of {len(questions)}", asked.line, (asked,)) for asked in questions)
    digest = hashlib.sha256(repr(questions).encode()).hexdigest()[:12]
    title, summary = f"Quiz: level {level}", f"Unnamed {LEVELS[level]}."
    return Lesson(f"quiz-{level}-{seed}", title, quiz_command(level, count, seed), summary, steps, digest)
