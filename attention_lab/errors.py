"""One family of errors: what happened and what was seen, then what to do. The command prints both and exits."""

import os
import traceback
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 200  # characters of somebody's error that are shown


class LabError(Exception):
    """An error that a person reads instead of a traceback.

    `what` is one sentence that names what happened and the value that was seen; `advice` is what to do about it.
    """

    kind = "error"
    exit_code = 2

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what} {advice}".strip())
        self.what = what
        self.advice = advice


class BadInput(LabError):
    """An option, a sentence, a size or a file that cannot be used."""

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
    """A result of which a part could not be measured: the rest is shown, and standard error names the missing part."""

    kind = "partly-failed"


class CannotWrite(PartlyFailed):
    """A file or a stream refused the output. The message goes to standard error."""

    kind = "cannot-write"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"Cannot write {where}: {reason}.", "Make room, or name a file that can be written.")


def unknown(kind: str, name: str, names: Iterable[str], listing: str) -> UnknownName:
    """Error for an unknown name: its advice holds up to three similar names, or the command that lists all."""
    alike = get_close_matches(name, list(names), n=3, cutoff=0.5)
    advice = f"Did you mean {' or '.join(alike)}?" if alike else f"'{listing}' lists them all."
    return UnknownName(f"There is no {kind} {name!r}.", advice)


def error_summary(error: BaseException) -> str:
    """Kind and message of an error as the end of a sentence: the first line, of at most LONGEST characters."""
    text = str(error).strip().partition("\n")[0].rstrip(".")
    text = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    return f"{type(error).__name__}: {text}." if text else f"{type(error).__name__}."


def spellings(files: tuple[str, ...]) -> dict[str, str]:
    """File names by the two forms in which a traceback holds them: as typed, and as absolute paths."""
    return {os.path.abspath(file): file for file in files} | {file: file for file in files}


def raised_at(error: BaseException, *files: str) -> tuple[str, int | None]:
    """File and number of the innermost line of these files in a traceback; the first file and None if there is none."""
    known = spellings(files)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in known]
    return (known[frames[-1].filename], frames[-1].lineno) if frames else (files[0], None)


def complaint(origin: str, error: BaseException, *others: str) -> str:
    """One sentence on an error of a person's own code, with the innermost line of these files that led to it."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        written = spellings((origin, *others)).get(error.filename, error.filename)
        if written in (origin, *others) or os.path.exists(written):  # else it is text that their code compiled
            return f"Line {error.lineno} of {written} is not valid Python: {error.msg}."
    file, line = raised_at(error, origin, *others)
    return f"{f'Line {line} of {file}' if line else file} raised {error_summary(error)}"
