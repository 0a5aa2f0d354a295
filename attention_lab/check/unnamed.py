"""What is wrong with a person's file, for somebody who wants to find the fault: its symptoms, and never its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.check_page import code_errors, measured, smallest, unwritten_parts
from attention_lab.check.evidence import moved_in, vital_signs
from attention_lab.result import Note, Part, Result, Signs, Statement
from attention_lab.sandbox.submission import as_one_line
from attention_lab.text import count, listed

if TYPE_CHECKING:
    from attention_lab.breaks.record import Break
    from attention_lab.check.match import Finding
    from attention_lab.check.roles import Role
    from attention_lab.check.survey import Survey
    from attention_lab.sandbox.parent import Child

MOST = 4  # vital signs of one fault: enough to think about


def culprits(found: Survey) -> tuple[tuple[Finding, tuple[str, ...]], ...]:
    """The wrong functions that call no other wrong one, or only in a ring, each with the wrong ones that call it."""
    wrong = {one.definition.name: one for one in found.findings if one.alarming}
    calls = {name: found.outline.calls.get(name, frozenset()) - {name} for name in wrong}
    first = [name for name in wrong if all(name in calls[other] for other in calls[name] & wrong.keys())]
    later = [name for name in wrong if name not in first]
    return tuple((wrong[name], tuple(one for one in later if name in calls[one])) for name in first)


def breaks_of(finding: Finding) -> tuple[Break, ...]:
    """The entries of the catalogue that a function equals: one or a pair, and the first of those that are the same."""
    from attention_lab.breaks import BREAKS

    names = finding.matches[0].faults if finding.matches and finding.matches[0].faults else finding.breaks[:1]
    return tuple(one for one in BREAKS if one.name in names)


def tells(sign: str, faults: Iterable[str], role: Role) -> bool:
    """Whether a vital sign is called by a word of the fault's own name, which the function's name does not say already.

    "furthest-ahead" tells of "one-step-ahead"; of "norm-not-centred" in a layer_norm "norm-mean" tells nothing new.
    """
    words = {word for fault in faults for word in fault.split("-")} - set(role.name.split("_"))
    return bool(words & set(sign.split("-")))


def quiet_signs(breaks: Iterable[Break], role: Role) -> frozenset[str]:
    """Vital signs these breaks move, without signs whose name gives the break away, unless no other is left."""
    breaks = tuple(breaks)
    expected = frozenset(name for one in breaks for name in (*one.up, *one.down, *one.lost))
    faults = [one.name for one in breaks]
    return frozenset(name for name in expected if not tells(name, faults, role)) or expected


def signs(finding: Finding) -> Iterator[Signs]:
    """The vital signs that move in a model with this function in it, measured now, beside a healthy one's."""
    from attention_lab.vitals import VITALS

    if finding.verdict in ("break", "several"):
        expected = quiet_signs(breaks_of(finding), finding.role)
        moved = moved_in(finding.matches[0].model, (one for one in VITALS if one.name in expected), MOST)
    else:
        moved = vital_signs(finding, MOST) if finding.verdict == "unknown" else ()
    if moved:
        yield Signs(f"{finding.definition.name}-moved", "What moves in a model with it", moved)


def said(finding: Finding) -> str:
    """What this run saw of one function, without the name of a fault."""
    if finding.verdict == "edges":
        return f"On ordinary data it does; not with {listed(edge for edge, _ in finding.edges)}."
    if finding.verdict == "unknown":
        return "It computes something else, and no break of the catalogue does the same."
    return "It computes something else." if finding.verdict in ("break", "several") else measured(finding)


def symptoms(finding: Finding, behind: Iterable[str]) -> Iterator[Part]:
    """All that is said about one wrong function."""
    name = finding.definition.name
    yield Statement(
        name, f"{name} (line {finding.definition.line}) computes {finding.role.name}.", said(finding), False
    )
    yield from smallest(finding)
    yield from signs(finding)
    also = list(behind)
    if also:
        yield Note(f"{name}-behind", f"Also wrong, but they call {name}: {listed(also)}.")


def standing(found: Survey) -> Statement:
    """How much of the file is right; what is still to be written is not."""
    right = sum(not one.alarming for one in found.findings)
    there = len((*found.findings, *found.late, *found.outline.unwritten, *found.outline.waiting))
    return Statement("right", "Every function is right.", f"{right} of {count(there, 'function')}.", 0 < right == there)


@np.errstate(all="ignore")
def unnamed(found: Survey, child: Child, seed: int, command: str) -> Result:
    """The whole page."""
    parts: list[Part] = [standing(found)]
    parts += [part for finding, behind in culprits(found) for part in symptoms(finding, behind)]
    parts += unwritten_parts(found)
    parts += code_errors(child)
    return Result(tuple(parts), title=as_one_line(child.file.name), seed=seed, command=command)
