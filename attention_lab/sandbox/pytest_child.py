"""Runs a learner's tests on one model after the other, in a process that `parent.py` starts; `kill/runs.py` asks it.

    parent ── requests, replies ── supervisor ── this process ── one for each model, behind the walls

It imports numpy and pytest once. For every model it forks, so that no test sees what an earlier run has left behind,
and only in there a line of the learner's runs. What happened comes back as lines of JSON, through a pipe of their own.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import child, isolation, probes

MOST = 2**21  # bytes that one run may report
PATIENCE = 0.5  # seconds after which a caller hears that nothing has ended yet
PIPE = 3  # the one descriptor that a run keeps

Settings = dict[str, Any]
Job = dict[str, Any]


class ModelRun:
    """The tests on one model, in a process of their own; `said` is what came back so far."""

    def __init__(self, settings: Settings, job: Job) -> None:
        self.folder = tempfile.mkdtemp(dir=settings["folder"])
        self.ends = time.monotonic() + job["deadline"]
        self.said, self.late = b"", False
        self.back, to = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                os.dup2(to, PIPE)
                os.closerange(PIPE + 1, settings["limits"]["files"])
                self.inside(settings | {"folder": self.folder}, job)
            finally:
                os._exit(0)
        os.close(to)
        os.set_blocking(self.back, False)

    def inside(self, settings: Settings, job: Job) -> None:
        """What the new process does: run the tests."""
        from .pytest_run import run_tests

        confine(settings)
        run_tests(job, lambda line: write(PIPE, json.dumps(line).encode() + b"\n"))

    def take(self) -> None:
        """Take what has come."""
        with suppress(BlockingIOError):
            while len(self.said) <= MOST and (part := os.read(self.back, 2**16)):
                self.said += part

    def ended(self) -> bool:
        """Whether the run has ended, by itself or because it must; then all that it said is here."""
        self.take()
        self.late = time.monotonic() > self.ends
        if self.late or len(self.said) > MOST:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        elif os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            return False
        self.take()  # what came between the last look and its end
        os.close(self.back)
        isolation.remove_tree(self.folder)
        return True


class ProtectionRun(ModelRun):
    """A process like that of a run, in which no test runs: each protection is tried."""

    def inside(self, settings: Settings, job: Job) -> None:  # noqa: ARG002 (of a run)
        """What the new process does: try what holds, and say so."""
        settings["orphan"] = probes.start_orphan(settings)
        confine(settings)
        write(PIPE, json.dumps(probes.try_protections(settings)).encode())


def confine(settings: Settings) -> None:
    """Put up the walls around this process, in a folder of its own; what could not be put up is kept as `failed`."""
    os.chdir(settings["folder"])
    isolation.set_limits(settings["limits"], settings["without"], settings["namespaces"])
    settings["failed"] = isolation.put_up_walls(settings)


def write(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def next_finished(runs: dict[int, ModelRun]) -> tuple[int, str, bool] | None:
    """A run that has ended: its number, what it said, whether its time was up. None if none has after a while."""
    start = time.monotonic()
    while time.monotonic() < start + PATIENCE:
        select.select([run.back for run in runs.values()], [], [], 0.02)
        for number, run in runs.items():
            if run.ended():
                del runs[number]
                return number, run.said[:MOST].decode("utf-8", "replace"), run.late
    return None


def try_protections(settings: Settings) -> list[probes.Outcome]:
    """Every protection of a run, whether it holds, and why not; none where nothing forks, which is said of each."""
    if not hasattr(os, "fork"):
        return probes.try_protections(settings | {"orphan": -1, "failed": isolation.put_up_walls(settings)})
    trial = ProtectionRun(settings, {"deadline": settings["limits"]["loading"] / 2})
    while not trial.ended():
        select.select([trial.back], [], [], 0.02)
    return list(json.loads(trial.said)) if trial.said else []


def run_in_process(settings: Settings, job: Job) -> str:
    """What one run said, in this very process, where nothing forks: whoever asked for it takes a new one next time."""
    from .pytest_run import run_tests

    lines: list[str] = []
    confine(settings)
    run_tests(job, lambda line: lines.append(json.dumps(line)))
    return "\n".join(lines)


def preload(packages: list[str]) -> str | Job:
    """Import pytest, and what the tests will import: what there is not, they will say. If there is no pytest: why."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        from .pytest_run import preload_pytest
    except ImportError as reason:
        return str(reason)
    preload_pytest()
    for name in packages:
        with suppress(BaseException):
            importlib.import_module(name)
    gc.freeze()  # what is here by now need not be looked through by every run
    return {}


def answer_all(settings: Settings, requests: int, replies: int) -> None:
    """Answer requests until there are no more."""
    sys.path += settings["path"]
    sys.dont_write_bytecode = True
    os.chdir(settings["folder"])
    from .frames import pack_message, read_message

    source = os.fdopen(requests, "rb")
    runs: dict[int, ModelRun] = {}

    def take(size: int) -> bytes:
        data = source.read(size)
        if len(data) < size:
            os._exit(0)
        return data

    answers: dict[str, Callable[[Job], Any]] = {
        "probe": lambda _: try_protections(settings),
        "load": lambda _: {"definitions": [], "errors": [], "imports": []},
        "ready": lambda it: preload(it["packages"]),
        "begin": lambda it: runs.update({it["number"]: ModelRun(settings, it)}),
        "next": lambda _: next_finished(runs),
        "run": lambda it: run_in_process(settings, it),
    }
    while True:
        nonce, request = read_message(take, 2**40)
        write(replies, pack_message(nonce, {"value": answers[request["do"]](request)}))


def start() -> None:
    """What the interpreter is started with."""
    child.start(answer_all)
