"""Every fault in every spelling: what is said of each, and whether that is right."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
from check.faults import Fault, faults, sound
from check.inprocess import InProcess
from check.meaning import shown
from check.spellings import SPELLINGS, Spelling, spells
from check.written import wrapped

from attention_lab.breaks import BREAKS
from attention_lab.check.match import Finding
from attention_lab.check.recognition import Asked, Benches
from attention_lab.check.survey import survey

TWINS = {one.name: {one.name, *one.same_as} for one in BREAKS}
SEED = 5


@dataclass(frozen=True)
class Cell:
    """One fault in one spelling."""

    fault: Fault
    spelling: Spelling

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{self.fault.name}, {self.spelling.name}"

    @property
    def text(self) -> str:
        """The file."""
        return wrapped(self.fault, self.spelling)

    @property
    def visible(self) -> tuple[str, ...]:
        """The faults that must be named; with none of them nothing may be called wrong."""
        return () if self.fault.harmless else shown(self.fault, self.spelling)


@cache
def everything() -> tuple[Fault, ...]:
    """Every break, every declared pair, and the model itself in every role."""
    return (*faults(), *sound())


def cells_of(fault: Fault) -> list[Cell]:
    """A fault in each of its spellings."""
    return [Cell(fault, one) for one in SPELLINGS if spells(one, fault)]


def cell_of(fault: str, spelling: str) -> Cell:
    """The cell of these names."""
    return Cell(
        next(one for one in everything() if one.name == fault),
        next(one for one in SPELLINGS if one.name == spelling),
    )


@cache
def benches() -> Benches:
    """The inputs, and what the references compute on them, for everything in this process."""
    return Benches(SEED)


def judged(text: str, **asked: str) -> tuple[Finding, ...]:
    """What is found in a file; what it prints is lost."""
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        return survey(InProcess(text), SEED, Asked(**asked), benches()).findings


def named(findings: tuple[Finding, ...]) -> set[str]:
    """All faults that are named."""
    return {name for one in findings for name in (*one.breaks, *one.otherwise)}


def complaint(cell: Cell) -> str:
    """What is wrong with what is said of a cell; nothing where it is right."""
    findings, visible = judged(cell.text), cell.visible
    if not findings:
        return "nothing was found"
    if not visible:
        return f"called wrong: {sorted(named(findings))}" if any(one.alarming for one in findings) else ""
    missing = [name for name in visible if not TWINS[name] & named(findings)]
    said = sorted(named(findings)) or [one.verdict for one in findings]
    return f"{missing[0]} is not named, but {said}" if missing else ""


def page_complaint(cell: Cell, code: int, page: str) -> str:
    """What is wrong with the page, in JSON, and the exit code of a check of a cell; nothing where both are right."""
    if code not in (0, 1):
        return f"exit code {code}: {page.strip()}"
    told = json.loads(page)
    rows = next(table for table in told["tables"] if table["name"] == "functions")["rows"]
    otherwise = [one["text"] for one in told["notes"] if one["name"].endswith("-otherwise")]
    said = " ".join([*(str(row[-1]) for row in rows), *(one["measured"] for one in told["statements"]), *otherwise])
    names = set(re.findall(r"[\w-]+", said))
    missing = [name for name in cell.visible if not TWINS[name] & names]
    if missing:
        return f"{missing[0]} is not named, but {said}"
    return f"called wrong: {said}" if code and not cell.visible else ""


def sample() -> list[Cell]:
    """Every fault in one spelling, and every spelling about as often: the one that was needed least so far."""
    used = Counter[Spelling]()
    chosen = []
    for fault in everything():
        seldom = sorted(SPELLINGS, key=lambda one: used[one])
        cell = Cell(fault, next(one for one in seldom if spells(one, fault)))
        used[cell.spelling] += 1
        chosen.append(cell)
    return chosen


def shape(cell: Cell) -> str:
    """A file without its names: two that only call things otherwise are the same."""
    numbers: dict[str, int] = {}
    code = "\n".join(line.partition("  #")[0] for line in cell.text.splitlines())
    return re.sub(r"[^\W\d]\w*", lambda word: f"_{numbers.setdefault(word[0], len(numbers))}", code)
