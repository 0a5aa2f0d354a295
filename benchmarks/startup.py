"""Time of the whole command relative to an interpreter that only imports its dependencies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from side_by_side import Finding, ratio, report

REPEATS = 41
COMMAND = Path(sys.executable).with_name("attn-lab")
QUICK = """
from attention_lab.commands.results import result_of
from attention_lab.lesson.library import find_lesson
for words in dict.fromkeys(run.words for run in find_lesson("quick").runs):
    result_of(words)
"""


def process(*words: str | Path) -> Callable[[], object]:
    """Run a command to its end; what it prints is thrown away, what it complains about is not."""
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def against_imports(words: tuple[str, ...], imports: str, target: float) -> Finding:
    figure = ratio(process(COMMAND, *words), process(sys.executable, "-c", f"import {imports}"), REPEATS)
    return Finding(f"attn-lab {' '.join(words)}: seconds ÷ those of its imports", figure, target)


def findings() -> Iterator[Finding]:
    yield against_imports(("--help",), "typer, rich.console, rich.table", 1.15)
    yield against_imports(("demo", "scaling"), "numpy, typer, rich.console, rich.table", 1.25)
    walk = ratio(process(COMMAND, "walk", "quick", "--no-pause"), process(sys.executable, "-c", QUICK), 11)
    yield Finding("attn-lab walk quick --no-pause: seconds ÷ its commands, each once", walk, 3)


if __name__ == "__main__":
    if not COMMAND.exists():
        sys.exit(f"There is no {COMMAND}: pip install . with this interpreter.")
    sys.exit(report(findings()))
