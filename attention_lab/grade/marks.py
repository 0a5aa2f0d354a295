"""Marks of a submission, part by part, and faults of a class. Data only: views and files are made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from attention_lab.check.check_page import measured
from attention_lab.check.match import QUIET
from attention_lab.check.names import plain
from attention_lab.check.roles import ROLES

if TYPE_CHECKING:
    from attention_lab.check.match import Finding
    from attention_lab.check.references import Reference
    from attention_lab.sandbox.records import Definition, Protection

POINTS = {"right": 1.0, "inherited": 1.0, "edges": 0.5}  # every other verdict is worth nothing
RULE = (
    "A part is worth one point: 1 where it computes what the model's does (harmless differences are no faults), ½ "
    "where it does so on ordinary data and not at the edges, 0 where it is wrong, does not run, or is missing. A fault "
    "costs one part: who calls the function that has it, and is right but for that, keeps the point. Of several "
    "functions for one part, the one of its name counts, else the best."
)
SAID = {"unknown": "not in the catalogue", "does-not-run": "does not run", "edges": "right, but for edges"}
UNREAD = "cannot be read"

Fault = tuple[str, ...]  # names of breaks that cannot be told apart here


@dataclass(frozen=True)
class Mark:
    """Mark of one part of a submission: the verdict of the check, "missing", or "inherited".

    `said` is a sentence, safe to print. `file` and `line` are of the function that counted; line 0 is no line. `origin`
    is the function of that file from which it has all its faults.
    """

    part: str
    verdict: str
    said: str
    faults: tuple[Fault, ...] = ()
    function: str = ""
    file: str = ""
    line: int = 0
    seconds: float = 0.0
    origin: str = ""

    @property
    def points(self) -> float:
        """Between 0 and 1."""
        return POINTS.get(self.verdict, 0.0)

    @property
    def wrong(self) -> tuple[str, ...]:
        """Names of the faults, or a word for the verdict where they are unknown; () where the part is right."""
        named = tuple(" or ".join(fault) for fault in self.faults)
        return () if self.points == 1 else named or (SAID.get(self.verdict, self.verdict),)


@dataclass(frozen=True)
class Row:
    """One submission. `reason` says what kept it, or some of it, from being checked, "" where nothing did.

    `unreadable` where there was no Python to run; `failed` where the grader itself did, which is nobody's fault.
    `beside` is what is wrong in it and costs nothing, as it is no part of the grade.
    """

    name: str
    path: str
    marks: tuple[Mark, ...]
    reason: str = ""
    unreadable: bool = False
    failed: bool = False
    seconds: float = 0.0
    beside: tuple[Mark, ...] = ()

    @property
    def points(self) -> float:
        """The sum over its parts."""
        return sum(mark.points for mark in self.marks)

    @property
    def wrong(self) -> frozenset[str]:
        """Faults of all its parts, each once."""
        return frozenset({UNREAD} if self.unreadable else (what for mark in self.marks for what in mark.wrong))

    @property
    def unseen(self) -> bool:
        """Whether its reason says all there is to say: no part of it was found, so that nothing was judged."""
        return self.unreadable or (bool(self.reason) and not any(mark.function for mark in self.marks))

    @property
    def right(self) -> bool:
        """Whether it has every part, and each is right."""
        return bool(self.marks) and self.points == len(self.marks)


@dataclass(frozen=True)
class Grades:
    """A class. `chosen` says where its parts come from; `began` is the time, "2026-01-31T12:00:00"."""

    rows: tuple[Row, ...]
    parts: tuple[str, ...]
    chosen: str
    seed: int
    began: str
    left_out: tuple[str, ...] = ()
    held: tuple[Protection, ...] = ()

    @property
    def faults(self) -> list[tuple[str, int]]:
        """Faults with the number of submissions, the most frequent first, without anybody's name."""
        seen = Counter(what for row in self.rows for what in row.wrong)
        return sorted(seen.items(), key=lambda item: (-item[1], item[0]))


def joint_faults(matches: Sequence[Reference]) -> tuple[Fault, ...]:
    """Faults of the references that a function equals: one, or a pair; several candidates are alternatives."""
    each = dict.fromkeys(one.faults for one in matches if one.faults)
    if len({len(faults) for faults in each}) > 1:  # one fault, or else two
        return (tuple(" and ".join(faults) for faults in each),)
    return tuple(tuple(dict.fromkeys(names)) for names in zip(*each, strict=True))


def finding_faults(finding: Finding) -> tuple[Fault, ...]:
    """Faults of a function; indistinguishable ones count as one."""
    if finding.verdict == "edges":
        alike = [names for edge, names in finding.edges if edge not in QUIET and names]
        return tuple(dict.fromkeys(alike))
    return joint_faults(finding.matches) if finding.verdict in ("break", "several") else ()


def mark_of(finding: Finding, file: str, seconds: float, origin: str = "") -> Mark:
    """Mark of a function for its part; `origin` is the function in which its faults originate."""
    verdict = finding.verdict if finding.alarming else "right"
    said, definition = " ".join(measured(finding).split()), finding.definition
    faults = finding_faults(finding) if finding.alarming else ()
    return Mark(finding.role.name, verdict, said, faults, definition.name, file, definition.line, seconds, origin)


def unwritten_mark(part: str, definition: Definition, file: str) -> Mark:
    """Mark of a function that has no body yet."""
    return Mark(part, "missing", "It is still to be written.", (), definition.name, file, definition.line)


def late_mark(part: str, function: str, file: str) -> Mark:
    """Mark of a function that was not called before the time was up."""
    return Mark(part, "missing", "The time was up before it could be judged.", (), function, file)


def counting_mark(part: str, marks: Iterable[Mark]) -> Mark:
    """Mark that counts for a part: that of the function of its name, else the best."""

    def order(mark: Mark) -> tuple[bool, float]:
        return plain(mark.function) != plain(part), -mark.points

    missing = Mark(part, "missing", "It is missing.")
    return min((mark for mark in marks if mark.part == part), key=order, default=missing)


def charge_once(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks after charging each fault once: a caller of a function that pays for the fault keeps its point."""
    paying = {(mark.file, mark.function) for mark in marks if mark.points < 1 and not mark.origin}
    spared = (bool(mark.origin) and mark.points < 1 and (mark.file, mark.origin) in paying for mark in marks)
    return tuple(replace(mark, verdict="inherited") if it else mark for mark, it in zip(marks, spared, strict=True))


def wrong_beside(parts: Sequence[str], marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks of wrong functions outside these parts, without inherited faults."""
    judged = (mark for mark in marks if mark.part not in parts and mark.verdict != "missing")
    return tuple(mark for mark in judged if mark.points < 1 and not mark.origin)


def usual_parts(seen: Sequence[Sequence[Mark]]) -> tuple[str, ...]:
    """The parts that more than half of the submissions have, of those that have any; leaves first."""
    some = [{mark.part for mark in marks} for marks in seen if marks]
    return tuple(role.name for role in ROLES if 2 * sum(role.name in parts for parts in some) > len(some))
