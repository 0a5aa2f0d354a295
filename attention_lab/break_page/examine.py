"""Examine a broken model beside a healthy one: what changed in the text, in the matrices, in the vital signs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_lab.break_page.pictures import PICTURES, Picture
from attention_lab.breaks.record import Break
from attention_lab.machine.time_limit import TookTooLong, time_limit
from attention_lab.result import Diff, DiffLine, Matrix, Note, Pair, Part, Result, Sign, Signs
from attention_lab.text import listed
from attention_lab.variants import Model, Source, unwritten_sentence
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Reading, Setting, take_sign, take_signs

PAIRS = 2  # pictures on a page: enough to see the fault, few enough to look at
USUAL = ("row-sums", "masked-row-sums", "output-shape", "nan", "repeat")  # what a test of attention usually checks


@dataclass(frozen=True)
class Case:
    """Two models to compare, and the two texts they were loaded from. `breaks` are those of the catalogue in it."""

    healthy: Model
    broken: Model
    before: Source
    after: Source
    breaks: tuple[Break, ...] = ()
    seconds: float | None = None  # how long each measurement of code that nobody has seen may take


# ---- the text ----


def signature_above(lines: list[str], index: int) -> int:
    """The index of the `def` line that a line stands under, or of the line itself if there is none."""
    return next((above for above in range(index, -1, -1) if lines[above].startswith("def ")), index)


def text_diff(before: str, after: str) -> Iterator[DiffLine]:
    """The lines that go and come, each under the signature of its function, numbered as in their own text."""
    old, new = before.splitlines(), after.splitlines()
    headed = -1
    for kind, i, i_end, j, j_end in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        head = signature_above(old, i)
        if head not in (i, headed):
            yield DiffLine(head + 1, " ", old[head])
        headed = head
        yield from (DiffLine(number + 1, "-", old[number]) for number in range(i, i_end))
        yield from (DiffLine(number + 1, "+", new[number]) for number in range(j, j_end))


def diff(before: Source, after: Source) -> Diff:
    """What a patch changed, in the model or in a person's own file; the file itself is not held against the model."""
    own = text_diff(before.own, after.own) if before.own else ()
    return Diff("diff", "What was changed", (*text_diff(before.model, after.model), *own))


# ---- the matrices ----


def cells_changed(left: Matrix, right: Matrix) -> tuple[tuple[bool, ...], ...]:
    """Which cells differ by what one would see in their digits, NaN being no different from NaN."""
    step = 0.5 * 10.0**-left.digits
    values = np.asarray(left.values), np.asarray(right.values)
    changed: list[list[bool]] = (~np.isclose(*values, rtol=0, atol=step, equal_nan=True)).tolist()
    return tuple(map(tuple, changed))


def pair(picture: Picture, case: Case, setting: Setting, words: Sequence[str]) -> Pair | None:
    """A picture of both models, or None where it shows no difference or cannot be drawn of the broken one."""
    try:
        with time_limit(case.seconds):
            left = picture.matrix(case.healthy, setting, words)
            right = picture.matrix(case.broken, setting, words)
    except (Exception, SystemExit):  # a model that raises has no picture; its vital signs say what
        return None
    if len(left.rows) != len(right.rows) or left.columns != right.columns:
        return None
    changed = cells_changed(left, right)
    left, right = replace(left, name=f"{left.name}-healthy"), replace(right, name=f"{right.name}-broken")
    return Pair(picture.name, picture.title, left, right, changed) if any(map(any, changed)) else None


def changed_pairs(case: Case, setting: Setting, words: Sequence[str]) -> tuple[Pair, ...]:
    """The first pictures, in order, in which the two models differ."""
    found: list[Pair] = []
    for picture in PICTURES:
        if len(found) == PAIRS:
            break
        seen = pair(picture, case, setting, words)
        if seen is not None:
            found.append(seen)
    return tuple(found)


# ---- the vital signs ----


def readings_of(case: Case, setting: Setting) -> tuple[Reading, ...]:
    """Every vital sign of the broken model at this setting."""
    return take_signs(VITALS, case.broken, setting, case.seconds)


def sign(case: Case, setting: Setting, broken: Reading) -> Sign:
    """A vital sign of the broken model beside the same of the healthy one, which is taken only for what is shown."""
    vital = broken.vital
    healthy = take_sign(vital, case.healthy, setting, case.seconds)
    return Sign(
        vital.name,
        vital.sentence,
        vital.unit,
        vital.low,
        vital.high,
        healthy.value,
        broken.value,
        broken.moved or "",
        broken.reason,
    )


def hidden_by_sizes(case: Case, setting: Setting) -> Note | None:
    """Where nothing moves at these sizes but something does at the usual ones: that is what to say."""
    usual = Setting(seed=setting.seed)
    moved = [seen.vital.name for seen in readings_of(case, usual) if seen.moved] if setting != usual else []
    if not moved:
        return None
    sizes = ("T", "d_k", "h", "B")
    here = listed(
        [f"{name} = {getattr(setting, name)}" for name in sizes if getattr(setting, name) != getattr(usual, name)]
    )
    there = listed([f"{name} = {getattr(usual, name)}" for name in sizes])
    return Note("hidden", f"At {here} nothing moves: these sizes hide the fault. At {there} it moves {listed(moved)}.")


def told(case: Case, moved: Sequence[Sign]) -> str:
    """The one sentence of consequence: the catalogue's, or what was measured where it is nobody's entry."""
    if case.breaks:
        return " ".join(one.consequence for one in case.breaks)
    if not moved:
        return f"None of {len(VITALS)} vital signs moved: for all that is measured here, nothing is broken."
    return f"{len(moved)} of {len(VITALS)} vital signs left their healthy range, first of all {moved[0].name}."


def examine(case: Case, setting: Setting, words: Sequence[str], command: str) -> Result:
    """The page of a break: the line, the matrices, what moved, what did not, what it costs, what to try next."""
    changed = diff(case.before, case.after)
    readings = readings_of(case, setting)
    expected = {name for one in case.breaks for name in one.still} or set(USUAL)
    moved = tuple(sign(case, setting, seen) for seen in readings if seen.moved)
    still = tuple(sign(case, setting, seen) for seen in readings if seen.vital.name in expected and not seen.moved)
    endless = any(seen.reason.startswith(TookTooLong.__name__) for seen in readings)
    unwritten = unwritten_sentence(case.after)
    parts: list[Part] = [
        *([Note("unwritten", unwritten)] if unwritten else []),
        *([changed] if changed.lines else []),
        *(() if endless else changed_pairs(case, setting, words)),
        *([Signs("moved", "Vital signs that moved", moved)] if moved else []),
    ]
    if moved and still:
        parts.append(Signs("still", "Still healthy: a test that checks only these passes", still))
    hidden = None if moved else hidden_by_sizes(case, setting)
    if hidden is not None:
        parts.append(hidden)
    parts.append(Note("cost", f"What it costs: {told(case, moved)}"))
    parts += [Note("next", f"Next: attn-lab demo {one.demo} --break {one.name}") for one in case.breaks[:1]]
    return Result(tuple(parts), command=command, seed=setting.seed)
