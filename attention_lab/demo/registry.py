"""Find a demo: by its name in the catalogue, by the path of a file, or as another package registered it.

A package offers demos of its own under the entry-point group `attention_lab.demos`; each entry names a module like the
files in `demos/`: a docstring whose first line is the summary, and a function `run`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import attention_lab.demos as demos
from attention_lab.claims.documents import DOCUMENTS
from attention_lab.demo.record import Demo, Run, options_of
from attention_lab.errors import BadInput, complaint, unknown
from attention_lab.machine.time_limit import remind_when_slow
from attention_lab.result import Note, Result, table
from attention_lab.variants import regular_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "attention_lab.demos"
OURS: dict[str, Demo] = {demo.name: demo for demo in demos.DEMOS}


@dataclass(frozen=True)
class Found:
    """A demo that can be run: its record, its `run`, and where it came from ("" for one of ours)."""

    demo: Demo
    run: Run
    origin: str = ""


def registered() -> dict[str, EntryPoint]:
    """The demos that other packages offer, by name. Ours win over theirs of the same name."""
    from importlib.metadata import entry_points  # slow to import, and needed only for names that are not ours

    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in OURS}


def from_module(module: ModuleType, name: str, origin: str) -> Found:
    """A demo from a module that is not in our catalogue; its docstring's first line is the summary."""
    run = getattr(module, "run", None)
    if not callable(run):
        raise BadInput(
            f"{origin} is not a demo: it has no function run(model).",
            "Write 'def run(model, *, seed: int = 0) -> Result'; demos/scaling.py is one to copy.",
        )
    try:
        options_of(run)
    except TypeError as reason:
        raise BadInput(
            f"{origin} is not a demo: {reason}.", "Options are keyword parameters with a default."
        ) from reason
    summary = (module.__doc__ or "").strip().partition("\n")[0] or f"A demo from {origin}."
    return Found(Demo(name, (), summary), run, origin)


def from_file(path: Path) -> Found:
    """The demo in a person's own file, which is executed as `python FILE` would. A copy of one of ours is that one."""
    origin = str(regular_file(path))
    ours = Path(demos.__file__).with_name(f"{path.stem}.py")
    if path.stem in OURS and path.read_bytes() == ours.read_bytes():
        return from_catalogue(path.stem)
    spec = importlib.util.spec_from_file_location(f"demo_{path.stem}", origin)
    if spec is None or spec.loader is None:
        raise BadInput(f"{origin} is not a demo: its name does not end in .py.", "Give a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses in the file look up their module here
    try:
        with redirect_stdout(sys.stderr), remind_when_slow():  # what it prints is no part of a result
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(complaint(origin, error), "Correct that line; a demo file must load without it.") from error
    return from_module(module, origin, origin)


def from_catalogue(name: str) -> Found:
    """One of our own demos; the file is imported only now."""
    run: Run = importlib.import_module(f"attention_lab.demos.{name}").run
    return Found(OURS[name], run)


def from_package(entry: EntryPoint) -> Found:
    """A demo that another package registered."""
    origin = f"{entry.name} ({entry.value})"
    try:
        with redirect_stdout(sys.stderr), remind_when_slow():
            module = entry.load()
    except (Exception, SystemExit) as error:
        raise BadInput(
            complaint(origin, error), "That package is broken or half installed: install it again."
        ) from error
    return from_module(module, entry.name, origin)


def find(name: str) -> Found:
    """The demo of this name or path. Raises UnknownName with the nearest names, BadInput for a file that is none."""
    if name in OURS:
        return from_catalogue(name)
    if name.endswith(".py") or "/" in name or "\\" in name:
        return from_file(Path(name))
    theirs = registered()
    if name in theirs:
        return from_package(theirs[name])
    raise unknown("demo", name, [*OURS, *theirs], "attn-lab demo")


def listing() -> Result:
    """Every demo with its documents and its summary, in the order of the catalogue, and then other packages'."""
    ours = [(demo.name, ", ".join(demo.documents), demo.summary) for demo in OURS.values()]
    theirs = [(name, "", f"registered by {entry.value}") for name, entry in registered().items()]
    columns = ("demo", "document", "what it shows")
    how = Note("how", "Run one with 'attn-lab demo NAME'. 'attn-lab demo NAME --help' shows its options.")
    documents = [(document.name, document.title, document.content) for document in DOCUMENTS]
    parts = (
        table("demos", "Experiments", columns, ours + theirs),
        table("documents", "Documents", ("name", "title", "what it holds"), documents),
        how,
    )
    return Result(parts, command="attn-lab demo")
