"""Runs a learner's tests on one model after the other, in a process that `parent.py` starts; `kill/runs.py` asks it.

    parent ── requests, replies ── supervisor ── this process ── one for each model, behind the walls

NumPy and pytest are imported once. Each model gets a forked process, so that no test sees leftovers of an earlier run;
only there do lines of the learner run. Events come back as lines of JSON, through a pipe of their own.
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
PATIENCE = 0.5  # seconds after which a caller is told that no run has ended yet
PIPE = 3  # the one descriptor that a run keeps

Settings = dict[str, Any]
Job = dict[str, Any]


class ModelRun:
    """The tests on one model, in a process of their own; `said` holds the bytes received so far."""

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
        """Run the tests; body of the new process."""
        from .pytest_run import run_tests

        confine(settings)
        run_tests(job, lambda line: write(PIPE, json.dumps(line).encode() + b"\n"))

    def take(self) -> None:
        """Read the bytes that have arrived."""
        with suppress(BlockingIOError):
            while len(self.said) <= MOST and (part := os.read(self.back, 2**16)):
                self.said += part

    def ended(self) -> bool:
        """Whether the run has ended, by itself or by its limits; then all its bytes are read."""
        self.take()
        self.late = time.monotonic() > self.ends
        if self.late or len(self.said) > MOST:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        elif os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            return False
        self.take()  # bytes sent between the last read and its end
        os.close(self.back)
        isolation.remove_tree(self.folder)
        return True


class ProtectionRun(ModelRun):
    """A process like that of a run, which tries each protection and runs no test."""

    def inside(self, settings: Settings, job: Job) -> None:  # noqa: ARG002 (of a run)
        """Try each protection and send the outcomes; body of the new process."""
        settings["orphan"] = probes.start_orphan(settings)
        confine(settings)
        write(PIPE, json.dumps(probes.try_protections(settings)).encode())


def confine(settings: Settings) -> None:
    """Enter the folder and restrict this process; settings["failed"] lists restrictions that the system lacks."""
    os.chdir(settings["folder"])
    isolation.set_limits(settings["limits"], settings["without"], settings["namespaces"])
    settings["failed"] = isolation.put_up_walls(settings)


def write(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def next_finished(runs: dict[int, ModelRun]) -> tuple[int, str, bool] | None:
    """An ended run: number, text, whether its time was up. None if none has ended after PATIENCE seconds."""
    start = time.monotonic()
    while time.monotonic() < start + PATIENCE:
        select.select([run.back for run in runs.values()], [], [], 0.02)
        for number, run in runs.items():
            if run.ended():
                del runs[number]
                return number, run.said[:MOST].decode("utf-8", "replace"), run.late
    return None


def try_protections(settings: Settings) -> list[probes.Outcome]:
    """Each protection of a run: name, whether it holds, and why not. Without fork, it is tried in this process."""
    if not hasattr(os, "fork"):
        return probes.try_protections(settings | {"orphan": -1, "failed": isolation.put_up_walls(settings)})
    trial = ProtectionRun(settings, {"deadline": settings["limits"]["loading"] / 2})
    while not trial.ended():
        select.select([trial.back], [], [], 0.02)
    return list(json.loads(trial.said)) if trial.said else []


def run_in_process(settings: Settings, job: Job) -> str:
    """Text of one run in this process, for systems without fork; the caller starts a new process for the next."""
    from .pytest_run import run_tests

    lines: list[str] = []
    confine(settings)
    run_tests(job, lambda line: lines.append(json.dumps(line)))
    return "\n".join(lines)


def preload(packages: list[str]) -> str | Job:
    """Import pytest and the packages of the tests; {} on success, else why pytest is missing. Others may fail."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        from .pytest_run import preload_pytest
    except ImportError as reason:
        return str(reason)
    preload_pytest()
    for name in packages:
        with suppress(BaseException):
            importlib.import_module(name)
    gc.freeze()  # objects up to here need no collection in every run
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
    """Entry point of the process."""
    child.start(answer_all)
