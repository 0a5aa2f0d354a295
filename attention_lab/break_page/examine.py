"""Compare a broken model with a healthy one: changes in the text, in the matrices and in the vital signs."""

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
USUAL = (
    "row-sums",
    "masked-row-sums",
    "output-shape",
    "nan",
    "repeat",
)  # signs that a test of attention usually checks


@dataclass(frozen=True)
class Case:
    """Two models to compare, and their source texts. `breaks` are the catalogue entries in the broken model."""

    healthy: Model
    broken: Model
    before: Source
    after: Source
    breaks: tuple[Break, ...] = ()
    seconds: float | None = None  # time limit of each measurement, for code outside the catalogue


# ---- the text ----


def signature_above(lines: list[str], index: int) -> int:
    """Index of the `def` line above a line, or of the line itself if there is none."""
    return next((above for above in range(index, -1, -1) if lines[above].startswith("def ")), index)


def text_diff(before: str, after: str) -> Iterator[DiffLine]:
    """Removed and added lines under the signature of their function, numbered as in their own text."""
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


def source_diff(before: Source, after: Source) -> Diff:
    """Lines changed in the model and in a person's own file; the file is not compared with the model."""
    own = text_diff(before.own, after.own) if before.own else ()
    return Diff("diff", "What was changed", (*text_diff(before.model, after.model), *own))


# ---- the matrices ----


def changed_cells(left: Matrix, right: Matrix) -> tuple[tuple[bool, ...], ...]:
    """Cells that differ by at least half a unit of their last digit; NaN equals NaN."""
    step = 0.5 * 10.0**-left.digits
    values = np.asarray(left.values), np.asarray(right.values)
    changed: list[list[bool]] = (~np.isclose(*values, rtol=0, atol=step, equal_nan=True)).tolist()
    return tuple(map(tuple, changed))


def picture_pair(picture: Picture, case: Case, setting: Setting, words: Sequence[str]) -> Pair | None:
    """A picture of both models; None if the two are equal or cannot be drawn and compared."""
    try:
        with time_limit(case.seconds):
            left = picture.matrix(case.healthy, setting, words)
            right = picture.matrix(case.broken, setting, words)
    except (Exception, SystemExit):  # a model that raises has no picture; its vital signs say what
        return None
    if len(left.rows) != len(right.rows) or left.columns != right.columns:
        return None
    changed = changed_cells(left, right)
    left, right = replace(left, name=f"{left.name}-healthy"), replace(right, name=f"{right.name}-broken")
    return Pair(picture.name, picture.title, left, right, changed) if any(map(any, changed)) else None


def changed_pairs(case: Case, setting: Setting, words: Sequence[str]) -> tuple[Pair, ...]:
    """The first PAIRS pictures in which the two models differ."""
    pairs: list[Pair] = []
    for picture in PICTURES:
        if len(pairs) == PAIRS:
            break
        pair = picture_pair(picture, case, setting, words)
        if pair is not None:
            pairs.append(pair)
    return tuple(pairs)


# ---- the vital signs ----


def broken_readings(case: Case, setting: Setting) -> tuple[Reading, ...]:
    """Every vital sign of the broken model at this setting."""
    return take_signs(VITALS, case.broken, setting, case.seconds)


def compare_sign(case: Case, setting: Setting, broken: Reading) -> Sign:
    """A vital sign of both models. The healthy model is measured here, only for signs that are shown."""
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


def sizes_note(case: Case, setting: Setting) -> Note | None:
    """A note if no sign moves at these sizes but some do at the usual ones; else None."""
    usual = Setting(seed=setting.seed)
    moved = [seen.vital.name for seen in broken_readings(case, usual) if seen.moved] if setting != usual else []
    if not moved:
        return None
    sizes = ("T", "d_k", "h", "B")
    here = listed(
        [f"{name} = {getattr(setting, name)}" for name in sizes if getattr(setting, name) != getattr(usual, name)]
    )
    there = listed([f"{name} = {getattr(usual, name)}" for name in sizes])
    return Note("hidden", f"At {here} nothing moves: these sizes hide the fault. At {there} it moves {listed(moved)}.")


def consequence_sentence(case: Case, moved: Sequence[Sign]) -> str:
    """Consequence of the fault: from the catalogue, or a count of moved signs for faults outside it."""
    if case.breaks:
        return " ".join(entry.consequence for entry in case.breaks)
    if not moved:
        return f"None of {len(VITALS)} vital signs moved: for all that is measured here, nothing is broken."
    return f"{len(moved)} of {len(VITALS)} vital signs left their healthy range, first of all {moved[0].name}."


def break_result(case: Case, setting: Setting, words: Sequence[str], command: str) -> Result:
    """The page of a break: line, matrices, moved signs, signs that stay healthy, cost, and a next command."""
    changed = source_diff(case.before, case.after)
    readings = broken_readings(case, setting)
    expected = {name for entry in case.breaks for name in entry.still} or set(USUAL)
    moved = tuple(compare_sign(case, setting, seen) for seen in readings if seen.moved)
    still = tuple(
        compare_sign(case, setting, seen) for seen in readings if seen.vital.name in expected and not seen.moved
    )
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
    hidden = None if moved else sizes_note(case, setting)
    if hidden is not None:
        parts.append(hidden)
    parts.append(Note("cost", f"What it costs: {consequence_sentence(case, moved)}"))
    parts += [Note("next", f"Next: attn-lab demo {entry.demo} --break {entry.name}") for entry in case.breaks[:1]]
    return Result(tuple(parts), command=command, seed=setting.seed)
