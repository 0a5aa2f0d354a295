"""What is wrong with a person's file, for somebody who wants to find the fault: its symptoms, and never its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.match import CLOSE
from attention_lab.check.outcomes import Failed, apart, width_of
from attention_lab.check.page import measured, unwritten_parts
from attention_lab.check.references import HEALTHY
from attention_lab.result import Note, Part, Result, Sign, Signs, Statement
from attention_lab.text import count, listed

if TYPE_CHECKING:
    from attention_lab.breaks.record import Break
    from attention_lab.check.match import Finding
    from attention_lab.check.outcomes import Outcome
    from attention_lab.check.sandbox import Child
    from attention_lab.check.survey import Survey

MOST = 4  # vital signs of one fault: enough to think about


def culprits(found: Survey) -> tuple[tuple[Finding, tuple[str, ...]], ...]:
    """The wrong functions that call no other wrong one, each with those that are wrong and call it."""
    wrong = {one.offer.name: one for one in found.findings if one.alarming}
    calls = {name: found.outline.calls.get(name, frozenset()) - {name} for name in wrong}
    first = [name for name in wrong if not calls[name] & wrong.keys()] or list(wrong)  # all, where they form a ring
    later = [name for name in wrong if name not in first]
    return tuple((wrong[name], tuple(one for one in later if name in calls[one])) for name in first)


# ---- the smallest input ----


def numbers_in(value: Any) -> int:
    """How many numbers an argument is made of."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(numbers_in, value)) if isinstance(value, (list, tuple)) else 1


def told(arguments: dict[str, Any]) -> str:
    """The arguments of a call as one says them: shapes of arrays, and plain numbers; nothing of whole networks."""
    said = [
        f"{name} {value.shape}" if isinstance(value, np.ndarray) else f"{name} = {value}"
        for name, value in arguments.items()
        if isinstance(value, (np.ndarray, bool, int, float, str))
    ]
    return listed(said)


def difference(theirs: Outcome, ours: Outcome) -> str:
    """Where what came back is first not what should: a shape, a cell, or an error."""
    if isinstance(theirs, Failed):
        trouble = theirs.trouble
        return f"line {trouble.line} raises {trouble.kind}: {trouble.message}" if trouble else "no value comes back"
    if isinstance(ours, Failed):
        return "a value comes back, where the model refuses"
    for name, part in theirs.items():
        right = ours.get(name)
        if right is None:
            return f"there is more than {listed(ours)}"
        if part.shape != right.shape:
            return f"{name} has the shape {part.shape}, and should have {right.shape}"
        away = ~np.isclose(part, right, rtol=1e-6, atol=1e-9, equal_nan=True)
        if away.any():
            place = tuple(map(int, np.argwhere(away)[0])) if part.ndim else ()
            where = f"{name}[{', '.join(map(str, place))}]" if place else name
            return f"{where} is {part[place]:.6g}, and should be {right[place]:.6g}"
    return "what comes back differs"


def smallest(finding: Finding) -> Iterator[Note]:
    """Of the inputs that were tried, the smallest on which the function is not the model's."""
    trial = finding.trial
    if trial is None:
        return
    cuts = finding.plan.cuts
    by_size = sorted(trial.usable, key=lambda place: numbers_in(trial.bench.arguments(place, cuts) or {}))
    edges = {edge for edge, _ in finding.edges}
    for place in by_size:
        if trial.bench.drawn[place].edge not in (edges or {""}):
            continue
        theirs, ours = trial.outcome(place), trial.reference(place, HEALTHY)
        if apart(theirs, ours) > CLOSE[width_of([theirs])]:
            with_these = told(trial.bench.arguments(place, cuts) or {})
            sentence = f"The smallest input on which it shows: with {with_these}, {difference(theirs, ours)}."
            yield Note(f"{finding.offer.name}-smallest", sentence)
            return


# ---- the vital signs ----


def breaks_of(finding: Finding) -> tuple[Break, ...]:
    """The entries of the catalogue that a function equals: one or a pair, and the first of those that are the same."""
    from attention_lab.breaks import BREAKS

    names = finding.matches[0].faults if finding.matches and finding.matches[0].faults else finding.breaks[:1]
    return tuple(one for one in BREAKS if one.name in names)


def signs(finding: Finding) -> Iterator[Signs]:
    """The vital signs that move in a model with this function in it, measured now, beside a healthy one's."""
    from attention_lab.variants import healthy
    from attention_lab.vitals import VITALS
    from attention_lab.vitals.record import Setting, take

    if finding.verdict not in ("break", "several"):
        return
    expected = {name for one in breaks_of(finding) for name in (*one.up, *one.down, *one.lost)}
    model, setting, moved = finding.matches[0].model, Setting(), list[Sign]()
    for vital in (one for one in VITALS if one.name in expected):
        reading = take(vital, model, setting)
        if reading.moved and len(moved) < MOST:
            before = take(vital, healthy(), setting).value
            facts = (vital.name, vital.sentence, vital.unit, vital.low, vital.high, before, reading.value)
            moved.append(Sign(*facts, reading.moved, reading.reason))
    if moved:
        yield Signs(f"{finding.offer.name}-moved", "What moves in a model with it", tuple(moved))


# ---- the page ----


def said(finding: Finding) -> str:
    """What this run saw of one function, without the name of a fault."""
    if finding.verdict == "edges":
        return f"On ordinary data it does; not with {listed(edge for edge, _ in finding.edges)}."
    if finding.verdict == "unknown":
        return "It computes something else, and no break of the catalogue does the same."
    return "It computes something else." if finding.verdict in ("break", "several") else measured(finding)


def symptoms(finding: Finding, behind: Iterable[str]) -> Iterator[Part]:
    """All that is said about one wrong function."""
    name = finding.offer.name
    yield Statement(name, f"{name} (line {finding.offer.line}) computes {finding.role.name}.", said(finding), False)
    yield from smallest(finding)
    yield from signs(finding)
    also = list(behind)
    if also:
        yield Note(f"{name}-behind", f"Also wrong, but they call {name}: {listed(also)}.")


def standing(found: Survey) -> Statement:
    """How much of the file is right; what is still to be written is not."""
    right = sum(not one.alarming for one in found.findings)
    there = len(found.findings) + len(found.outline.unwritten) + len(found.outline.waiting)
    return Statement("right", "Every function is right.", f"{right} of {count(there, 'function')}.", 0 < right == there)


def unnamed(found: Survey, child: Child, seed: int, command: str) -> Result:
    """The whole page."""
    parts: list[Part] = [standing(found)]
    parts += [part for finding, behind in culprits(found) for part in symptoms(finding, behind)]
    parts += unwritten_parts(found)
    for trouble in child.trouble:
        said_of = f"Line {trouble.line} raised {trouble.kind}: {trouble.message} It was left out."
        parts.append(Note(f"line-{trouble.line}", said_of))
    return Result(tuple(parts), title=child.file.name, seed=seed, command=command)
