"""How many faults `attn-lab check` names in strangers' spellings, and what one file costs.

Every break of the catalogue, harmless or not, every declared pair, and every function of the model as it is, in every
spelling that makes sense for it (tests/check/spellings.py). Each spelling is first shown to keep the meaning. A fault
is named right if its name, or that of a declared twin, is told; what cannot be seen through an interface, and what is
harmless, must not be called wrong. One spelling of each, drawn anew every time, also goes the whole way: the command,
the walled process, JSON. The cost is processor time, against starting Python with NumPy twice, and seconds.
"""

from __future__ import annotations

import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from check.faults import Fault
from check.grid import Cell, cells_of, complaint, everything, page_complaint, shape
from check.meaning import difference
from check.test_match import body

MOST = 4.0  # starts of Python with NumPy, twice
ENOUGH = 20  # spellings of each
CORES = 2


@dataclass(frozen=True)
class Told:
    """What came of one cell: whether anything was to be seen, and what is wrong with what was said."""

    role: str
    fault: str
    spelling: str
    visible: bool
    shape: str
    complaint: str


# ---- every cell, in this process ----


def told(cell: Cell) -> Told:
    """What is said of a cell, if it means what it is to mean."""
    changed = difference(cell.fault, cell.spelling)
    wrong = f"the spelling computes something else: {changed}" if changed else complaint(cell)
    fault = cell.fault
    return Told(fault.home, fault.name, cell.spelling.name, bool(cell.visible), shape(cell), wrong)


def every(fault: Fault) -> list[Told]:
    """One fault in every spelling."""
    return [told(cell) for cell in cells_of(fault)]


def grid() -> list[Told]:
    """All faults in all spellings."""
    with ProcessPoolExecutor(CORES) as pool:
        return [one for found in pool.map(every, everything(), chunksize=4) for one in found]


def shares(outcomes: Iterable[Told]) -> str:
    """How many of the faults that are to be seen are named, and how many of the rest are called wrong."""
    some = list(outcomes)
    seen = [one for one in some if one.visible]
    alarms = [one for one in some if not one.visible and one.complaint]
    named = sum(not one.complaint for one in seen)
    return f"named right {named:4d} of {len(seen):4d}, false alarms {len(alarms)} of {len(some) - len(seen)}"


def least(outcomes: list[Told]) -> int:
    """The least number of spellings of one fault in which it is to be seen, and which differ in more than names."""
    told = (one for one in outcomes if one.visible)
    groups = groupby(sorted(told, key=lambda one: one.fault), key=lambda one: one.fault)
    return min((len({one.shape for one in group}) for _, group in groups), default=0)


def of_roles(outcomes: list[Told]) -> Iterator[str]:
    """One line for each role."""
    for role in dict.fromkeys(one.role for one in outcomes):
        own = [one for one in outcomes if one.role == role]
        faults = len({one.fault for one in own if one.visible})
        most = f"{faults:2d} faults, {least(own)} spellings or more" if faults else "no fault of its own"
        yield f"{role:20s} {most:34s} {shares(own)}"


# ---- one spelling of each, the whole way ----


def by_command(cell: Cell) -> str:
    """What is wrong with what `attn-lab check FILE --json` says, and with its exit code; nothing where all is right."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.py"
        path.write_text(cell.text, encoding="utf-8")
        words = [sys.executable, "-m", "attention_lab", "check", str(path), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    return page_complaint(cell, done.returncode, done.stdout or done.stderr)


def whole_way(seed: int) -> list[tuple[Cell, str]]:
    """Every fault in one spelling, drawn by this seed, and what is wrong with what was said."""
    rng = np.random.default_rng(seed)
    drawn = [cells[rng.integers(len(cells))] for cells in map(cells_of, everything())]
    with ThreadPoolExecutor(CORES) as pool:
        return list(zip(drawn, pool.map(by_command, drawn), strict=True))


# ---- what one file costs ----


def spent(words: list[str]) -> tuple[float, float]:
    """Processor time and time on the clock of a process and those below it."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - start


def costs(text: str, rounds: int = 7) -> tuple[float, float]:
    """The median cost of checking a file, in starts of Python with NumPy twice: processor, clock."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.py"
        path.write_text(text, encoding="utf-8")
        numpy = [spent([sys.executable, "-c", "import numpy"]) for _ in range(rounds)]
        checks = [spent([sys.executable, "-m", "attention_lab", "check", str(path)]) for _ in range(rounds)]
    ratios = [float(np.median([one[i] for one in checks]) / np.median([one[i] for one in numpy]) / 2) for i in (0, 1)]
    return ratios[0], ratios[1]


def show_costs() -> bool:
    """Print what one file costs; whether that is too much."""
    slow = False
    for scale in ("right", "no-scale"):
        cpu, clock = costs(body("matmul", scale, "right", "right"))
        slow = slow or cpu > MOST
        print(f"one file, {scale}: {cpu:.1f} × Python with NumPy twice, at most {MOST:g} ({clock:.1f} × on the clock)")
    return slow


def main() -> None:
    """Print the figures; exit code 1 where one does not reach what it must. The seed may be given."""
    slow = show_costs()
    start = time.perf_counter()
    outcomes = grid()
    print(*of_roles(outcomes), sep="\n")
    few, missed = least(outcomes), [one for one in outcomes if one.complaint]
    print(f"in all {len(outcomes)} cells, each fault in {few} spellings or more: {shares(outcomes)}")
    print(f"in {time.perf_counter() - start:.0f} seconds")
    for one in missed:
        print(f"  {one.fault}, {one.spelling}: {one.complaint}")
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else secrets.randbelow(2**32)
    drawn = whole_way(seed)
    wrong = [(cell, what) for cell, what in drawn if what]
    print(f"by the command, in its walled process, seed {seed}: right {len(drawn) - len(wrong)} of {len(drawn)}")
    for cell, what in wrong:
        print(f"  {cell.name}: {what}")
    sys.exit(int(slow or bool(missed) or bool(wrong) or few < ENOUGH))


if __name__ == "__main__":
    main()
