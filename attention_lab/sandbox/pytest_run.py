"""One run of a learner's tests on one model. Pytest's events become lines that `kill/runs.py` reads.

Nothing of the package is here: the model is a text that was sent, under the names by which tests import it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import linecache
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from .alarm import OutOfTime, clear_alarm, set_alarm

FILE = "tests.py"  # name of the copy of the learner's file
MODEL = "transformer.py"  # name of the model in a traceback
LONGEST = 200  # characters kept of a name, and of an error's message
QUIET = (  # plugins of pytest without use here
    "terminal", "cacheprovider", "faulthandler", "junitxml", "stepwise", "pastebin", "doctest", "debugging",
    "unraisableexception", "threadexception",
)  # fmt: skip
WORDS = ["-c", "pytest.ini", "--noconftest", "--import-mode=importlib", "-s"]
WORDS += [word for name in QUIET for word in ("-p", f"no:{name}")]

Line = dict[str, Any]
Send = Callable[[Line], None]


# ---- the model, under the names by which tests import it ----


class ModelFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the model where a test imports its functions from a module that is not there: a learner's own name."""

    def __init__(self, model: ModuleType, names: Sequence[str]) -> None:
        self.model, self.names = model, names

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:  # noqa: ARG002
        """Spec of a module with one of the names, or of its package; else None."""
        package = any(other.startswith(f"{name}.") for other in self.names)
        if name not in self.names and not package:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=package)

    def exec_module(self, module: ModuleType) -> None:
        """Put the model in the place of the module."""
        if module.__name__ in self.names:
            sys.modules[module.__name__] = self.model


def model_of(text: str, names: Sequence[str], own_names: Sequence[str]) -> ModuleType:
    """The model with this text, to be imported by these names; by its own ones where there is no other such module."""
    model = ModuleType(names[0])
    model.__file__ = MODEL
    linecache.cache[MODEL] = (len(text), None, text.splitlines(keepends=True), MODEL)
    exec(compile(text, MODEL, "exec"), vars(model))  # noqa: S102 (running this text is the point)
    for name in names:
        sys.modules[name] = model
        package, _, inner = name.rpartition(".")
        if package:
            sys.modules[package] = ModuleType(package)
            vars(sys.modules[package]).update({"__path__": [], inner: model})
    sys.meta_path.append(ModelFinder(model, own_names))
    return model


# ---- one run of the tests ----


def error_line(error: BaseException) -> str:
    """Kind of an error and first line of its message."""
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, SyntaxError):
        text = f"SyntaxError: {error.msg}"
    text = "TimeoutError" + text.partition("OutOfTime")[2] if isinstance(error, OutOfTime) else text
    return text.partition("\n")[0][:LONGEST]


def failing_line(error: BaseException) -> int | None:
    """The innermost line of the learner's file that led to an error."""
    if isinstance(error, SyntaxError):
        return error.lineno
    frames = traceback.walk_tb(error.__traceback__)
    lines = [number for frame, number in frames if os.path.basename(frame.f_code.co_filename) == FILE]
    return lines[-1] if lines else None


class CallRecorder:
    """Records by a profile hook which functions of the model are called."""

    def __init__(self, model: ModuleType) -> None:
        functions = {name: value for name, value in vars(model).items() if isinstance(value, FunctionType)}
        self.codes: dict[CodeType, str] = {function.__code__: name for name, function in functions.items()}
        self.seen: set[str] = set()

    def start(self) -> None:
        """Begin to record."""
        sys.setprofile(self.note)

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Hook that Python calls for every call of a function."""
        if event == "call" and frame.f_code in self.codes:
            self.seen.add(self.codes[frame.f_code])

    def taken(self) -> list[str]:
        """Functions called since the last call of this method, sorted."""
        names = sorted(self.seen)
        self.seen.clear()
        return names


class Plugin:
    """Plugin that sends which test begins and how it ended, and gives tests the fixture `model`."""

    def __init__(self, send: Send, model: ModuleType, left_out: Sequence[str], seconds: float) -> None:
        self.send, self.module, self.left_out, self.seconds = send, model, left_out, seconds
        self.watch = CallRecorder(model)
        self.loading: list[str] = []  # the functions that are called when the file is loaded
        self.outcome, self.said = "passed", ""
        self.line: int | None = None

    @pytest.fixture(scope="session")
    def model(self) -> ModuleType:
        """The model: `model.attention(query, key, value)`."""
        return self.module

    def pytest_configure(self, config: pytest.Config) -> None:
        """Use native tracebacks: only their first line is sent, and pytest's own take time."""
        config.option.tbstyle = "native"

    def fail(self, error: BaseException) -> None:
        """Keep the first error of a test, or of the file."""
        if isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
            error = error.__cause__
        if not self.said:
            self.said, self.line = error_line(error), failing_line(error)

    def pytest_exception_interact(self, call: pytest.CallInfo[Any]) -> None:
        """An exception in a test or in the file; a skip is one, too."""
        if call.excinfo is not None:
            self.fail(call.excinfo.value)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Send why the file was not loaded, or that it skips itself."""
        if report.outcome != "passed":
            skipped = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self.send({"file": self.said or str(skipped)[:LONGEST], "line": self.line})
            self.said, self.line = "", None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drop the tests in `left_out`."""
        self.loading = self.watch.taken()
        items[:] = [item for item in items if test_name(item.nodeid) not in self.left_out]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.outcome, self.said, self.line = "passed", "", None
        self.send({"began": test_name(nodeid)})
        set_alarm(self.seconds, again=1.0)  # should the test have caught the first

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One of its three parts (setup, call, teardown) has ended."""
        if report.failed or self.outcome == "passed":
            self.outcome = report.outcome

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Send the outcome of the test."""
        clear_alarm()
        told = {"test": test_name(nodeid), "outcome": self.outcome, "said": self.said, "line": self.line}
        self.send(told | {"called": self.loading + self.watch.taken()})

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Send the exit code of the session."""
        self.send({"done": int(exitstatus)})


def test_name(nodeid: str) -> str:
    """Name of a test without its file, at most LONGEST characters."""
    return nodeid.partition("::")[2][:LONGEST]


def preload_pytest() -> None:
    """Import all of pytest by a run without tests, so that forked processes have it already."""
    pytest.main([*WORDS[2:], "--version"])


def run_tests(job: Line, send: Send) -> None:
    """Run the tests on a model, in the working folder, and send pytest's events.

    A job has `tests` and `model` (texts), `names` and `own_names` (of the model), `left_out` (tests), `each` (seconds
    that one test may take), and `watched` (whether to note which functions are called).
    """
    folder = os.getcwd()
    os.environ.update(TMPDIR=folder, HOME=folder)
    tempfile.tempdir = None
    for name, text in ((FILE, job["tests"]), ("pytest.ini", "[pytest]\n")):
        with open(name, "w", encoding="utf-8") as stream:
            stream.write(text)
    sys.stdout, sys.stderr, sys.argv = sys.__stdout__, sys.__stderr__, ["pytest"]
    random.seed(0)
    np.random.seed(0)
    plugin = Plugin(send, model_of(job["model"], job["names"], job["own_names"]), job["left_out"], job["each"])
    if job["watched"]:
        plugin.watch.start()
    pytest.main([*WORDS, f"--basetemp={os.path.join(folder, 'temporary')}", FILE], plugins=[plugin])
