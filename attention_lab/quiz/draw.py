"""Draw a quiz: unnamed faults to be told by their symptoms. It is a lesson, drawn with a seed and not written.

Which answer is right is not decided here but measured when the quiz is taken, as in any lesson.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.lesson.lesson import Choice, Diagnose, Lesson, Run, Step
from attention_lab.lesson.perform import NOTHING, signature
from attention_lab.vitals import VITALS

Others = Callable[[Break, Sequence[Break]], list[Break]]  # the faults that may stand beside one, from those in order
TOLD = ("diff", "cost", "next")  # parts of the page that are told after the answer
LEVELS = {
    1: "faults in different parts of the model, with no symptom in common",
    2: "faults in one part of the model",
    3: "faults with nearly the same symptoms, or none at all",
}
LEAST, MOST = 1, 20  # questions
CLOSE = 8  # so many faults count as nearest
HARMLESS = 0.2  # share of questions in which nothing is broken, where that is an answer
HERE = {"up": "rises", "down": "falls", "lost": "is lost", "": "stays"}
THERE = {"up": "rise", "down": "fall", "lost": "be lost", "": "stay"}


# ---- which faults stand beside each other ----


def signs(one: Break) -> frozenset[str]:
    """The vital signs that a break moves, whichever way."""
    return frozenset((*one.up, *one.down, *one.lost))


def told_apart(right: Break, faults: Iterable[Break]) -> list[Break]:
    """Those that look different from this break and from each other: of each signature the first."""
    first = {signature(right.name): right}
    for one in faults:
        first.setdefault(signature(one.name), one)
    return list(first.values())[1:]


def far(right: Break, faults: Sequence[Break]) -> list[Break]:
    """Faults in other parts of the model, no vital sign of which moves in two of them."""
    chosen = [right]
    for one in faults:
        if all(one.part != other.part and not signs(one) & signs(other) for other in chosen):
            chosen.append(one)
    return chosen[1:]


def beside(right: Break, faults: Sequence[Break]) -> list[Break]:
    """Faults in the same part of the model."""
    return told_apart(right, (one for one in faults if one.part == right.part))


def near(right: Break, faults: Sequence[Break]) -> list[Break]:
    """The faults whose symptoms differ least from those of this break; among equals, those of its part or its demo."""
    own, others = signature(right.name), told_apart(right, faults)

    def distance(one: Break) -> tuple[float, int, bool, bool]:
        moved = signature(one.name)
        unlike = len(moved ^ own)
        return unlike / len(moved | own), unlike, one.part != right.part, one.demo != right.demo

    closest = sorted(others, key=distance)[:CLOSE]
    return [one for one in others if one in closest]


OTHERS: dict[int, tuple[Others, int]] = {1: (far, 4), 2: (beside, 4), 3: (near, 5)}  # and how many names there are


# ---- one question ----


def difference(right: str, wrong: str) -> str:
    """A vital sign that tells two answers apart, rather one that only the wrong one moves; empty where none does."""
    seen, other = dict(signature(right)), dict(signature(wrong))
    for vital in sorted(VITALS, key=lambda vital: vital.name in seen):
        here, there = seen.get(vital.name, ""), other.get(vital.name, "")
        if here != there:
            case = "Where nothing is broken" if wrong == NOTHING else f"With {wrong}"
            sign = f"{vital.name} ({vital.sentence.rstrip('.')})"
            return f"{case}, {sign} would {THERE[there]}; here it {HERE[here]}."
    return ""


def question(number: int, right: Break, others: Sequence[Break], level: int, rng: np.random.Generator) -> Diagnose:
    """A fault to name among others, in mixed order; that nothing is broken stands last."""
    names = [one.name for one in others] + ([] if right.harmless else [right.name])
    names = [names[place] for place in rng.permutation(len(names))] + ([NOTHING] if level == max(LEVELS) else [])
    answer = NOTHING if right.harmless else right.name
    choices = tuple(Choice(number, name, (), "" if name == answer else difference(answer, name)) for name in names)
    ask = "what shows these symptoms?" if NOTHING in names else "which fault shows these symptoms?"
    run = Run(number, number - 1, ("break", right.name), TOLD)
    return Diagnose(number, run, f"Question {number}: {ask}", choices)


# ---- the whole ----


def in_turn(level: int, rng: np.random.Generator) -> list[Break]:
    """The breaks in the order in which they are asked for; harmless ones only where that is an answer."""
    pool = [one for one in BREAKS if level == max(LEVELS) or not one.harmless]
    harmless = sum(one.harmless for one in pool)
    share = [HARMLESS / harmless if one.harmless else (1 - HARMLESS) / (len(pool) - harmless) for one in pool]
    order = rng.choice(len(pool), len(pool), replace=False, p=np.array(share) / sum(share))
    return [pool[place] for place in order]


def asked(level: int, count: int, rng: np.random.Generator) -> list[Diagnose]:
    """So many questions, no two of them about faults that look the same. Fewer questions are the first of more."""
    choose, answers = OTHERS[level]
    faults = [one for one in BREAKS if not one.harmless]
    found: list[Diagnose] = []
    known = set()
    for right in in_turn(level, rng):
        if len(found) == count:
            break
        mixed = [faults[place] for place in rng.permutation(len(faults))]
        wanted = answers if right.harmless else answers - 1
        others = choose(right, mixed)[:wanted]
        if len(others) == wanted and signature(right.name) not in known:
            found.append(question(len(found) + 1, right, others, level, rng))
            known |= set() if right.harmless else {signature(right.name)}
    return found


def command(level: int, count: int, seed: int) -> str:
    """The command that asks the same questions again."""
    return shlex.join(("attn-lab", "quiz", "--level", str(level), "--questions", str(count), "--seed", str(seed)))


def draw(level: int, count: int, seed: int) -> Lesson:
    """A quiz of so many questions. The same numbers, the same quiz."""
    questions = asked(level, count, np.random.default_rng((seed, level)))
    again = command(level, count, seed)
    steps = tuple(Step(f"Question {one.line} of {len(questions)}", one.line, (one,)) for one in questions)
    digest = hashlib.sha256(repr(questions).encode()).hexdigest()[:12]
    title, summary = f"Quiz: level {level}", f"Unnamed {LEVELS[level]}."
    return Lesson(f"quiz-{level}-{seed}", title, again, summary, steps, digest)
