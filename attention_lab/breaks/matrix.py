"""What catches what: every break by every vital sign, and what a test that looks at a single vital sign would miss."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context

from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import moves
from attention_lab.breaks.record import Break
from attention_lab.result import Matrix, Note, Part, Result, matrix, table
from attention_lab.text import count, listed
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Setting, Vital

Moves = dict[str, dict[str, float]]  # for each break the vital signs that moved: 1 up, -1 down, NaN lost
VALUE = {"up": 1.0, "down": -1.0, "lost": float("nan")}


def moves_of(breaks: Sequence[Break]) -> Moves:
    """Which vital signs each break moves, taken in two spawned processes: a forked one could hang."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        taken = zip(breaks, pool.map(moves, breaks, chunksize=10), strict=True)
        return {fault.name: {name: VALUE[way] for name, way in moved.items()} for fault, moved in taken}


def part_matrix(part: str, breaks: Sequence[Break], seen: Moves) -> Matrix:
    """The breaks of one part by the vital signs that any of them moves; a dot is a vital sign that stays."""
    names = [fault.name for fault in breaks]
    columns = [vital.name for vital in VITALS if any(vital.name in seen[name] for name in names)]
    values = [[seen[name].get(column, 0.0) for column in columns] for name in names]
    moved = [[column in seen[name] for column in columns] for name in names]
    return matrix(part, part.capitalize(), values, names, columns, moved, 0, "break", "vital sign")


def fewest(seen: Moves, vitals: Sequence[Vital]) -> list[str]:
    """A short list of vital signs that together catch every break, greedily: the next catches most of the rest."""
    left, chosen = {name for name, moved in seen.items() if moved}, []
    while left:
        best = max(vitals, key=lambda vital: sum(vital.name in seen[name] for name in left)).name
        chosen.append(best)
        left = {name for name in left if best not in seen[name]}
    return chosen


def what_catches_what() -> Result:
    """The matrices, part by part, and then for each vital sign how many faults it sees and how many it misses."""
    faults = [entry for entry in BREAKS if not entry.harmless]
    seen = moves_of(faults)
    groups = groupby(faults, key=lambda fault: fault.part)
    matrices = [part_matrix(part, list(group), seen) for part, group in groups]
    caught = {vital.name: sum(vital.name in moved for moved in seen.values()) for vital in VITALS}
    rows = [(vital.name, vital.part, caught[vital.name], len(faults) - caught[vital.name]) for vital in VITALS]
    enough = fewest(seen, VITALS)
    parts: tuple[Part, ...] = (
        Note("legend", "1: the vital sign rises out of its healthy range; −1: falls; NaN: cannot be taken any more."),
        *(part for part in matrices if part.columns),
        table("checks", "What a test sees that looks at one only", ("vital sign", "part", "sees", "misses"), rows),
        Note("enough", f"{count(len(enough), 'vital sign')} together catch all of them: {listed(enough)}."),
    )
    title = f"{len(faults)} faults by {len(VITALS)} vital signs"
    return Result(parts, title=title, command="attn-lab break --matrix", seed=Setting().seed)
