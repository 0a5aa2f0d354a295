"""How many faults `attn-lab check` names in strangers' spellings, and what one file costs.

Every break of the catalogue, harmless or not, and every declared pair, behind every interface that makes sense for it
(tests/check/spellings.py). A fault is named right if its name, or that of a declared twin, is told; what cannot be seen
through an interface, and what is harmless, must not be called wrong. The cost is processor time, against starting
Python with NumPy twice, and the same in seconds on the clock.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from check.inprocess import InProcess
from check.spellings import BY_NAME, SPELLINGS, Fault, Spelling, faults, fits, shown, wrapped
from check.test_match import TWINS, body, named

from attention_lab.check.survey import Asked, Benches, survey

Outcome = tuple[str, str, bool, bool]  # fault, spelling, harmless or not to be seen, told right
BENCHES = Benches(5)
MOST = 4.0  # starts of Python with NumPy, twice


def told_right(fault: Fault, spelling: Spelling) -> tuple[bool, bool]:
    """Whether nothing can be seen of a fault, and whether what was said of it is right."""
    visible = () if fault.harmless else shown(fault, spelling)
    with np.errstate(all="ignore"):
        findings = survey(InProcess(wrapped(fault, spelling)), 5, Asked(), BENCHES).findings
    if not findings:
        return not visible, False
    if not visible:
        return True, not any(one.alarming for one in findings)
    return False, all(TWINS[name] & named(findings) for name in visible)


def every(fault: Fault) -> list[Outcome]:
    """One fault in every spelling."""
    fitting = [one for one in SPELLINGS if fits(one, BY_NAME[fault.home])]
    return [("+".join(fault.names), one.name, *told_right(fault, one)) for one in fitting]


def grid() -> list[Outcome]:
    """All faults in all spellings, on two cores."""
    with ProcessPoolExecutor(2) as pool:
        return [one for found in pool.map(every, faults(), chunksize=4) for one in found]


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


def main() -> None:
    """Print the figures; exit code 1 where one does not reach what it must."""
    slow = False
    for scale in ("right", "no-scale"):
        cpu, clock = costs(body("matmul", scale, "right", "right"))
        slow = slow or cpu > MOST
        print(f"one file, {scale}: {cpu:.1f} × Python with NumPy twice, at most {MOST:g} ({clock:.1f} × on the clock)")
    outcomes = grid()
    for unseen, what in ((False, "faults named right"), (True, "harmless or not to be seen, and not called wrong")):
        some = [one for one in outcomes if one[2] == unseen]
        print(f"{what}: {sum(one[3] for one in some)} of {len(some)}")
    missed = [one for one in outcomes if not one[3]]
    for fault, spelling, _, _ in missed:
        print(f"  missed: {fault}, {spelling}")
    sys.exit(int(slow or bool(missed)))


if __name__ == "__main__":
    main()
