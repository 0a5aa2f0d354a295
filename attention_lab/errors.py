"""One family of errors: what happened and what was seen, then what to do. The command prints both and exits."""

import os
import traceback
from collections.abc import Iterable
from difflib import get_close_matches


class LabError(Exception):
    """What a person is told instead of a traceback.

    `what` is one sentence that names what happened and the value that was seen; `advice` is what to do about it.
    """

    kind = "error"
    exit_code = 2

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what} {advice}".strip())
        self.what = what
        self.advice = advice


class BadInput(LabError):
    """An option, a sentence, a size or a file that nothing sensible can be done with."""

    kind = "bad-input"


class UnknownName(LabError):
    """A name that is in no catalogue; the advice holds the nearest ones."""

    kind = "unknown-name"


class BadPatch(LabError):
    """A patch that does not name exactly one place in the source; the advice holds the lines in question."""

    kind = "bad-patch"


class TooLarge(LabError):
    """Work that would need more memory than the machine has."""

    kind = "too-large"


class RunFailed(LabError):
    """A person's own file was found and started, and then failed."""

    kind = "run-failed"
    exit_code = 1


class PartlyFailed(RunFailed):
    """The result has been shown, as far as it could be measured; this says on standard error what is missing."""

    kind = "partly-failed"


def unknown(kind: str, name: str, names: Iterable[str], listing: str) -> UnknownName:
    """The error for a name that does not exist: the names that look like it, or the command that lists them all."""
    alike = get_close_matches(name, list(names), n=3, cutoff=0.5)
    advice = f"Did you mean {' or '.join(alike)}?" if alike else f"'{listing}' lists them all."
    return UnknownName(f"There is no {kind} {name!r}.", advice)


def complaint(origin: str, error: BaseException) -> str:
    """One sentence on what a person's own code raised: the error and the last line of theirs that led to it."""
    if isinstance(error, SyntaxError):
        return f"Line {error.lineno} of {origin} is not valid Python: {error.msg}."
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in (origin, os.path.abspath(origin))
    ]
    where = f"Line {lines[-1]} of {origin}" if lines else origin
    return f"{where} raised {type(error).__name__}: {str(error).rstrip('.')}."
