"""Limits of a learner's process, definitions of its file, and failures of a call. Nothing heavy is imported."""

from __future__ import annotations

from dataclasses import dataclass

from attention_lab.errors import LabError, RunFailed


@dataclass(frozen=True)
class Limits:
    """Limits on a learner's code: seconds of wall and processor time, bytes, counts."""

    seconds: float = 10.0  # of one call
    loading: float = 20.0  # of running the file
    cpu: int = 120  # of processor time, in the whole life of the process
    memory: int = 2 * 2**30
    output: int = 64 * 2**10  # characters that are kept
    file: int = 16 * 2**20  # of one file that it writes
    files: int = 256  # open at once
    disk: int = 64 * 2**20  # of all files that it writes
    processes: int = 64  # and threads
    reply: int = 64 * 2**20


@dataclass(frozen=True)
class Protection:
    """One protection: whether it held in this process, tried before the learner's code was loaded, and the reason."""

    name: str
    held: bool
    reason: str = ""


LEVELS = {  # protections that a level needs, beside those of the levels before it
    "process": ("tree", "memory", "processor time", "processes", "file size", "environment", "folder"),
    "files": ("reading", "writing", "disk"),
    "sealed": ("network", "signals", "other memory"),
}


class NotSealed(LabError):
    """The machine lacks protections that were asked for: the checker does not run."""

    kind = "not-sealed"
    exit_code = 3


class NotStarted(LabError):
    """There is no room for another process, or for its folder. This says nothing about anybody's code."""

    kind = "not-started"
    exit_code = 3


@dataclass(frozen=True)
class Parameter:
    """One parameter of a learner's function: `kind` is "positional", "keyword", "rest" or "rest-keyword"."""

    name: str
    kind: str
    default: bool


@dataclass(frozen=True)
class Definition:
    """A callable that a learner's file defines: `kind` is "function", "class", "method", or "static".

    A "static" method needs no instance. `call` names the inputs of the parameters, in their order, where --call gives
    them.
    """

    name: str
    kind: str
    parameters: tuple[Parameter, ...]
    line: int
    call: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeError:
    """An error of a learner's code: kind, message, and its innermost line of the file, with its text.

    `defines` is the function or class that the failed statement would have defined, or "".
    """

    line: int | None
    kind: str
    message: str
    text: str
    defines: str = ""


class CallFailed(RunFailed):
    """A call of a learner's function that gave no value."""

    kind = "call-failed"


class Raised(CallFailed):
    """The call raised an error, which `code_error` describes."""

    kind = "raised"

    def __init__(self, file: str, code_error: CodeError) -> None:
        where = f"Line {code_error.line} of {file}" if code_error.line else file
        super().__init__(f"{where} raised {code_error.kind}: {code_error.message}")
        self.code_error = code_error


class TimedOut(CallFailed):
    """The call ran past its time limit; `code_error` holds the line in which it was stopped, if known."""

    kind = "timed-out"

    def __init__(self, file: str, seconds: float, code_error: CodeError | None = None) -> None:
        where = f"Line {code_error.line} of {file}" if code_error and code_error.line else file
        super().__init__(f"{where} was still running after {seconds:g} s.")
        self.code_error = code_error


class Died(CallFailed):
    """The process ended during the call: by a signal of this name, or by itself for ""."""

    kind = "died"

    def __init__(self, file: str, signal: str) -> None:
        how = f"was ended by {signal}" if signal else "has left"
        why = "memory that is not its own, say" if signal else "os._exit, or a library that ends the program"
        super().__init__(f"The process of {file} {how}.", f"Look in it for what does that: {why}.")


class BadReply(CallFailed):
    """The reply is no value: neither an array nor a number, or no message at all."""

    kind = "bad-reply"
