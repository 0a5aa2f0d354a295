"""Runs of a learner's tests on one model after the other, in a process of their own, whose replies are checked.

The tests must see the broken model, so nothing that they can read is a secret. Their texts are made safe to print.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from attention_lab.check.references import Reference
from attention_lab.errors import BadInput, RunFailed
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import CallFailed, Limits, TimedOut
from attention_lab.sandbox.submission import NO_CODE, parse_silently
from attention_lab.text import spell_out_controls
from attention_lab.variants import model_functions

NAMES = ("attention_lab.transformer", "transformer", "model")  # modules by which tests import the model
LONGEST = 200  # characters of the reason why something cannot be imported
AT_ONCE = 2  # models that are tested at the same time
EACH = 10.0  # seconds that one test may take
SLOW = frozenset({"hypothesis", "jax", "matplotlib", "pandas", "scipy", "sklearn", "sympy", "torch"})
FORKS = hasattr(os, "fork")
LIMITS = Limits(seconds=30, loading=60)  # of a request; of starting
FUNCTIONS = frozenset(model_functions())
FORMS: dict[str, tuple[type, ...]] = {  # keys of a line of a run, and types of their values
    "began": (str,),
    "test": (str,),
    "outcome": (str,),
    "said": (str,),
    "line": (int, type(None)),
    "called": (list,),
    "file": (str,),
    "done": (int,),
}
LINES = ({"began"}, {"test", "outcome", "said", "line", "called"}, {"file", "line"}, {"done"})

Progress = Callable[[str], None]
Job = dict[str, Any]


@dataclass(frozen=True)
class Fate:
    """How one test ended on one model: "passed", "failed" or "skipped", with the first line of its error.

    `called` are the functions of the model that it called; they are noted on the healthy model only.
    """

    name: str
    outcome: str
    said: str = ""
    line: int | None = None
    called: frozenset[str] = frozenset()


@dataclass
class RunReport:
    """Report of one run. `last` is the test that began and did not end; `done` is pytest's exit code.

    `file` holds the error that kept the file from loading; `late` says that the time was up.
    """

    fates: dict[str, Fate] = field(default_factory=dict)
    last: str = ""
    file: Fate | None = None
    done: int | None = None
    late: bool = False

    @property
    def whole(self) -> bool:
        """Whether every test was run."""
        return self.done in (0, 1)  # pytest's exit codes


# ---- the learner's file ----


def parse_tests(text: str, name: str) -> ast.Module:
    """The file as a tree. Raises RunFailed where it is no Python."""
    try:
        return parse_silently(text)
    except NO_CODE as reason:
        line = f"Line {reason.lineno} of {name}" if isinstance(reason, SyntaxError) else name
        said = reason.msg if isinstance(reason, SyntaxError) else str(reason)
        raise RunFailed(f"{line} is not valid Python: {spell_out_controls(said)}.", "Correct that line.") from reason


def imported_modules(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Every module that the file imports, and the names that it takes from it; none where it takes the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, frozenset()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, frozenset(alias.name for alias in node.names)


def stand_in_modules(tree: ast.Module) -> list[str]:
    """Modules from which only functions of the model are imported: they stand for the model where they do not exist."""
    return sorted({module for module, names in imported_modules(tree) if names and names <= FUNCTIONS})


def slow_packages(tree: ast.Module) -> list[str]:
    """Slow packages that the file imports: they are imported once for all runs, before the isolation."""
    return sorted({module.partition(".")[0] for module, _ in imported_modules(tree)} & SLOW)


# ---- what a run says ----


def read_line(text: str) -> Job:
    """Parse one line of a run. Raises ValueError on any other text."""
    line = json.loads(text)
    if not isinstance(line, dict) or set(line) not in LINES:
        raise ValueError("no line of a run")
    for key, value in line.items():
        if type(value) not in FORMS[key]:
            raise ValueError(f"{key} is {value!r}")
    if line.get("outcome", "passed") not in ("passed", "failed", "skipped"):
        raise ValueError("no outcome of a test")
    return line


def read_report(text: str, late: bool) -> RunReport:
    """Report of the lines of a run. Lines after an invalid one are ignored, and the report is not whole."""
    told = RunReport(late=late)
    try:
        for line in map(read_line, text.splitlines()):
            if "began" in line:
                told.last = spell_out_controls(line["began"])
            elif "test" in line:
                called = FUNCTIONS.intersection(filter(FUNCTIONS.__contains__, map(str, line["called"])))
                fate = Fate(
                    spell_out_controls(line["test"]),
                    line["outcome"],
                    spell_out_controls(line["said"]),
                    line["line"],
                    called,
                )
                told.fates[fate.name], told.last = fate, ""
            elif "file" in line:
                told.file = told.file or Fate("", "failed", spell_out_controls(line["file"]), line["line"])
            else:
                told.done = line["done"]
    except (ValueError, RecursionError):
        told.done = None
    return told


# ---- the process ----


class Runner(Child):
    """A learner's tests in a process of their own, to be run on one model after the other."""

    program = "pytest_child"

    def __init__(self, file: Path, seconds: float = LIMITS.seconds) -> None:
        super().__init__(file, replace(LIMITS, seconds=seconds))
        try:
            self.tree = parse_tests(self._text, self._name)
        except RunFailed:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The name of the file, safe to print."""
        return self._name

    def prepare(self) -> None:
        """Import pytest and the packages of the tests, in the process. Raises BadInput without pytest."""
        answer = self._ask({"do": "ready", "packages": slow_packages(self.tree)})
        if answer != {}:
            said = spell_out_controls(str(answer)[:LONGEST])
            raise BadInput(f"'attn-lab kill' needs pytest, and it cannot be imported: {said}.", "pip install pytest")

    def job(self, reference: Reference, deadline: float, left_out: Iterable[str] = (), watched: bool = False) -> Job:
        """Request of one run: the model, seconds allowed, tests left out, whether to record calls."""
        return {
            "tests": self._text,
            "model": reference.text,
            "names": NAMES,
            "own_names": stand_in_modules(self.tree),
            "left_out": list(left_out),
            "watched": watched,
            "each": EACH,
            "deadline": deadline,
        }

    def forked(self, jobs: Sequence[Job]) -> Iterator[tuple[int, RunReport]]:
        """Report of each job with its number, in the order in which jobs end."""
        waiting, running = iter(enumerate(jobs)), 0
        while True:
            for number, job in islice(waiting, AT_ONCE - running):
                self._ask({"do": "begin", "number": number, **job})
                running += 1
            if not running:
                return
            answer = self._ask({"do": "next"})
            if answer is not None:
                running -= 1
                yield int(answer[0]), read_report(str(answer[1]), bool(answer[2]))

    def started(self, jobs: Sequence[Job]) -> Iterator[tuple[int, RunReport]]:
        """Report of each job with its number, on systems without fork: each job starts a process."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from enumerate(pool.map(lambda job: run_in_own_process(self.file, job), jobs))

    def run(self, jobs: Sequence[Job], progress: Callable[[int], None] = lambda _: None) -> list[RunReport]:
        """Reports in the order of the jobs; `progress` gets the number of ended jobs."""
        reports: dict[int, RunReport] = {}
        for number, told in (self.forked if FORKS else self.started)(jobs):
            reports[number] = told
            progress(len(reports))
        return [reports[number] for number in range(len(jobs))]


def run_in_own_process(file: Path, job: Job) -> RunReport:
    """Report of one job in a process of its own."""
    with Runner(file, job["deadline"]) as runner:
        runner.prepare()
        try:
            return read_report(str(runner._ask({"do": "run", **job})), late=False)
        except CallFailed as reason:
            return RunReport(late=isinstance(reason, TimedOut))
