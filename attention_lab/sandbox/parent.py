"""A learner's code in a process of its own, from the parent's side: start, ask, check what comes back, end it all."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from attention_lab.errors import LabError, RunFailed
from attention_lab.machine.memory import THREADS
from attention_lab.sandbox.channel import Channel
from attention_lab.sandbox.frames import NOT_IMPORTED, BadFrame, Value
from attention_lab.sandbox.isolation import remove_tree
from attention_lab.sandbox.records import (
    LEVELS,
    BadReply,
    CodeError,
    Definition,
    Died,
    Limits,
    NotSealed,
    NotStarted,
    Parameter,
    Protection,
    Raised,
    TimedOut,
)
from attention_lab.sandbox.submission import as_one_line, cell_lengths, learner_cells, notebook_line
from attention_lab.text import spell_out_controls

HERE = Path(__file__).parent
START = (
    "import sys; p = type(sys)('sandbox'); p.__path__ = [sys.argv[1]]; sys.modules['sandbox'] = p; "
    "from sandbox.{program} import start; start()"
)
OF_PYTHON = ("SyntaxError", "IndentationError", "ImportError")  # errors whose messages may name a line
PYTHONS_LINE = re.compile(rf"\bline (\d{{1,9}})(?=$| {NOT_IMPORTED}$)")
Convert = Literal["numpy", "list", "torch", "jax"]
Make = tuple[Sequence[Value], Mapping[str, Value]]


def _environment(work: Path) -> dict[str, str]:
    """The whole environment of the process."""
    own = {"HOME": str(work), "TMPDIR": str(work), "PATH": os.defpath, "LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
    own |= {"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {}  # Windows starts none without
    return own | dict.fromkeys(THREADS, "1")


def own_network() -> int:
    """Id of this process's network namespace; 0 where the system has none."""
    try:
        return os.stat("/proc/self/ns/net").st_ino
    except OSError:
        return 0


def ended_by(code: int) -> str:
    """The signal that ended a process, from its exit code as the supervisor tells it; "" where it left by itself."""
    with contextlib.suppress(ValueError):
        return signal.Signals(256 - code if code > 128 else -code).name
    return ""


class Child:
    """A learner's file in a process of its own, started at once and awaited when first asked. A context manager.

    Every text that it returns is safe to print. Errors: BadInput where the file cannot be read, RunFailed where it is
    no Python, and the family of CallFailed. A process that died or ran out of time is started again at the next call.
    """

    program = "child"  # the module that answers in that process
    late = False  # whether calls have failed since the time for all of them was up

    def __init__(self, file: str | Path, limits: Limits | None = None, *, _without: Sequence[str] = ()) -> None:
        self.file, self.limits, self._without = Path(file), limits or Limits(), tuple(_without)
        self._name = as_one_line(self.file.name)
        code = learner_cells(self.file)
        self._text, self._lengths = "".join(code), cell_lengths(self.file, code)
        self._output = ""
        self._definitions: tuple[Definition, ...] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        """Start the process, and queue two requests: try the protections, load the file."""
        self._loaded: dict[str, Any] | None = None
        self._held: tuple[Protection, ...] | None = None
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="attn-lab-"))
            work, canary = self._folder / "work", self._folder / "canary"
            work.mkdir(mode=0o700)
            canary.write_text("not for the learner's eyes")
        except OSError as reason:
            what = f"There is no folder for temporary files: {as_one_line(str(reason.strerror))}."
            raise NotStarted(what, "Set TMPDIR to one in which there is room.") from reason
        environment = _environment(work)
        settings = {
            "name": self._name,
            "folder": str(work),
            "limits": asdict(self.limits),
            "path": [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")],
            "canary": str(canary),
            "environment": list(environment),
            "network": own_network(),
            "parent": os.getpid(),
            "without": self._without,
        }
        start = START.format(program=self.program)
        try:
            self._process = subprocess.Popen(  # noqa: S603 (this interpreter, our own words)
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", start, str(HERE), json.dumps(settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=os.environ if "environment" in self._without else environment,
                start_new_session=True,
            )
        except OSError as reason:
            remove_tree(self._folder)
            what = f"No process can be started: {reason.strerror}."
            raise NotStarted(what, "End other programs, or ask for fewer --jobs.") from reason
        to, back = (stream.fileno() for stream in (self._process.stdin, self._process.stdout) if stream)
        self._post = Channel(to, back, self.limits.reply)
        self._started = time.monotonic()
        self._asked = [
            self._post.send({"do": "probe"}),
            self._post.send({"do": "load", "text": self._text, "seconds": self.limits.loading / 4}),
        ]

    def _receive(self, nonce: bytes, seconds: float) -> dict[str, Any]:
        """The reply to a request. Raises TimedOut, Died or BadReply after ending the process."""
        try:
            body = self._post.receive(nonce, seconds)
            if not isinstance(body, dict):
                raise BadFrame("what is no answer")
        except queue.Empty:
            self._end()
            raise TimedOut(self._name, round(seconds, 1)) from None
        except EOFError:
            number = ended_by(self._end(after=0.5))
            if number == "SIGXCPU":
                raise TimedOut(self._name, self.limits.cpu) from None
            raise Died(self._name, number) from None
        except BadFrame as reason:
            self._end()
            raise BadReply(f"{self._name} sent {spell_out_controls(str(reason))}.") from None
        printed = body.pop("output", "")
        self._output = (self._output + spell_out_controls(printed if isinstance(printed, str) else ""))[
            : self.limits.output
        ]
        return body

    def _ready(self) -> dict[str, Any]:
        """The reply on the loaded file; waits for it, and starts the process again if it has ended."""
        if self._process is None:
            self._start()
        if self._loaded is None:
            left = self._started + self.limits.loading - time.monotonic()
            probe, load = self._asked
            self._held = tuple(Protection(*one) for one in self._receive(probe, left)["value"])
            left = self._started + self.limits.loading - time.monotonic()
            self._loaded = self._read_loaded(self._receive(load, left).get("value"))
        if "syntax" in self._loaded:
            it = self._code_error(self._loaded["syntax"])
            raise RunFailed(f"Line {it.line} of {self._name} is not valid Python: {it.message}.", it.text)
        return self._loaded

    def _read_loaded(self, value: Value) -> dict[str, Any]:
        """The checked reply on the loaded file: a syntax error, or definitions, errors and imports. Raises BadReply."""
        lists = ("definitions", "errors", "imports")
        if isinstance(value, dict) and ("syntax" in value or all(isinstance(value.get(one), list) for one in lists)):
            return value
        self._end()  # what else comes from there is no answer to what is asked next
        raise BadReply(f"{self._name} sent what is no list of functions.")

    def _code_error(self, record: Any) -> CodeError:
        """CodeError of a record that was sent. Raises BadReply on any other form."""
        try:
            line = notebook_line(record["line"], self._lengths) if type(record["line"]) is int else None
            kind, message, text = (
                " ".join(spell_out_controls(str(record[part])[:400]).split()) for part in ("kind", "message", "text")
            )
            if kind in OF_PYTHON:
                message = PYTHONS_LINE.sub(lambda found: f"line {notebook_line(int(found[1]), self._lengths)}", message)
            return CodeError(line, kind, message, text, as_one_line(str(record.get("defines", ""))))
        except (AttributeError, KeyError, TypeError) as reason:
            raise BadReply(f"{self._name} sent what is no error.") from reason

    def _ask(self, request: dict[str, Value]) -> Value:
        """Send a request and return its value. Raises a CallFailed."""
        self._ready()
        nonce = self._post.send(request | {"seconds": self.limits.seconds})
        body = self._receive(nonce, self.limits.seconds + 1)
        if "value" in body:
            return body["value"]
        if "raised" in body:
            raise Raised(self._name, self._code_error(body["raised"]))
        if "late" in body:
            raise TimedOut(self._name, self.limits.seconds, self._code_error(body["late"]))
        raise BadReply(f"{self._name} returned {spell_out_controls(str(body.get('bad', 'nothing'))[:200])}.")

    def _end(self, after: float = 0) -> int:
        """End the process, unless it ends within `after` seconds, and its descendants; its exit code.

        The folder is removed.
        """
        process = self._process
        if process is None:
            return 0
        self._process = None
        last = [threading.Timer(after, process.terminate), threading.Timer(after + 8, process.kill)]
        for resort in last:
            resort.start()
        code = process.wait()  # not with a timeout: that would look only every 50 ms
        for resort in last:
            resort.cancel()
        self._post.close()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()
        remove_tree(self._folder)
        return code

    def close(self) -> None:
        """End the process and everything below it; remove its folder."""
        self._end()

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """Functions, classes and methods of the file, in its order."""
        if self._definitions is None:  # a cached_property would make one child wait for another, in Python 3.11
            self._definitions = self._read_definitions()
        return self._definitions

    def _read_definitions(self) -> tuple[Definition, ...]:
        """Definitions in the reply on the loaded file. Raises BadReply."""
        try:
            return tuple(
                Definition(
                    as_one_line(str(record["name"])),
                    str(record["kind"]),
                    tuple(
                        Parameter(spell_out_controls(str(p["name"])), str(p["kind"]), bool(p["default"]))
                        for p in record["parameters"]
                    ),
                    notebook_line(int(record["line"]), self._lengths),
                )
                for record in self._ready()["definitions"]
            )
        except (KeyError, TypeError, ValueError, OverflowError) as reason:
            raise BadReply(f"{self._name} sent what is no list of functions.") from reason

    @property
    def code_errors(self) -> tuple[CodeError, ...]:
        """Errors of the statements of the file that raised; these were skipped."""
        return tuple(self._code_error(it) for it in self._ready()["errors"])

    @property
    def imports(self) -> frozenset[str]:
        """The packages that the file imports."""
        return frozenset(spell_out_controls(str(name)) for name in self._ready()["imports"])

    @property
    def output(self) -> str:
        """Output of the file so far, up to the limit."""
        self._ready()
        return self._output

    @property
    def held(self) -> tuple[Protection, ...]:
        """Protections, each tried in the process before the file was loaded."""
        if self._held is None:
            with contextlib.suppress(LabError):
                self._ready()
        return self._held or ()

    @property
    def folder(self) -> Path:
        """Private folder of the process, removed with it."""
        return self._folder

    def required(self, level: str) -> None:
        """Raise NotSealed unless every protection of a level held; levels are "process", "files" and "sealed"."""
        names = list(LEVELS)
        wanted = [name for one in names[: names.index(level) + 1] for name in LEVELS[one]]
        held = {one.name: one for one in self.held}
        missing = [name for name in wanted if name not in held or not held[name].held]
        if missing:
            reason = held[missing[0]].reason if missing[0] in held else "it could not be tried"
            what = f"This machine does not reach --require-sandbox {level}: {missing[0]} is not protected ({reason})."
            raise NotSealed(what, "'attn-lab doctor' shows what holds here.")

    def call(
        self,
        target: str,
        args: Sequence[Value] = (),
        kwargs: Mapping[str, Value] | None = None,
        *,
        make: Make | None = None,
        attributes: Mapping[str, Value] | None = None,
        convert: Convert = "numpy",
        after: bool = False,
    ) -> Value:
        """Call a function of the file; a method on an instance built from `make`, with `attributes` set.

        With `after`, a tuple: the result, and the arguments as they are after the call.
        """
        request: dict[str, Value] = {"do": "call", "target": target, "convert": convert, "after": after}
        request |= {"args": tuple(args), "kwargs": dict(kwargs or {}), "attributes": dict(attributes or {})}
        request["make"] = None if make is None else (tuple(make[0]), dict(make[1]))
        return self._ask(request)

    def attributes(self, target: str, make: Make | None = None, *, convert: Convert = "numpy") -> dict[str, np.ndarray]:
        """Arrays of an instance and of its parts ("norm.weight"); for target "", module-level arrays."""
        request: dict[str, Value] = {"do": "attributes", "target": target, "convert": convert}
        request["make"] = None if make is None else (tuple(make[0]), dict(make[1]))
        arrays = self._ask(request)
        if not (isinstance(arrays, dict) and all(isinstance(value, np.ndarray) for value in arrays.values())):
            raise BadReply(f"{self._name} sent what are no arrays.")
        return {spell_out_controls(name): value for name, value in arrays.items()}
