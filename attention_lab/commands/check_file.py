"""One check of a file: what was asked for, and a run of the checker on a file's process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.errors import BadInput, LabError
from attention_lab.text import listed

if TYPE_CHECKING:
    from attention_lab.check.survey import Survey
    from attention_lab.sandbox.parent import Child


class CheckerFailed(LabError):
    """The check itself failed, which says nothing about the code that was checked."""

    kind = "checker-failed"
    exit_code = 3


@dataclass(frozen=True)
class CheckRequest:
    """What was asked for: FILE:FUNCTION as typed, and how the function is to be called."""

    target: str
    call: str = ""
    mask: str = ""
    layout: str = ""
    seed: int | None = None

    @property
    def parts(self) -> tuple[Path, str]:
        """File and function of FILE:FUNCTION; a colon in the name of a file that exists is part of it."""
        file, colon, function = self.target.rpartition(":")
        if not colon or Path(self.target).exists() or not function.replace(".", "_").isidentifier():
            return Path(self.target), ""
        return Path(file), function

    @property
    def path(self) -> Path:
        """The file that is checked."""
        return self.parts[0]


@contextmanager
def as_checker_failure() -> Iterator[None]:
    """Where something fails here that no person has caused, CheckerFailed is raised in its place."""
    try:
        yield
    except LabError:
        raise
    except Exception as error:
        what = f"The check itself failed: {type(error).__name__}: {error}."
        raise CheckerFailed(what, "This says nothing about your code. Please report it, with the file.") from error


def called_with(request: CheckRequest) -> tuple[str, ...]:
    """What --call says that the function's parameters take, in their order. Raises BadInput."""
    from attention_lab.check.roles import ROLES

    if not request.call:
        return ()
    if not request.parts[1]:
        raise BadInput("--call is about one function.", "Name it: FILE:FUNCTION.")
    names = tuple(name.strip() for name in request.call.split(","))
    known = dict.fromkeys(name for role in ROLES for name in role.parameters)
    strange = next((name for name in names if name not in known or names.count(name) > 1), None)
    if strange is not None:
        what = f"--call names {strange!r}, which {'stands there twice' if strange in known else 'no function takes'}."
        raise BadInput(what, f"There are {listed(known)}.")
    return names


def survey_file(child: Child, request: CheckRequest, seed: int) -> Survey:
    """What the file of a process has, and what each function computes. Raises BadInput, RunFailed, CheckerFailed."""
    from attention_lab.check.calls import outline
    from attention_lab.check.recognition import Asked
    from attention_lab.check.survey import survey
    from attention_lab.sandbox.submission import learner_text

    path, function = request.parts
    names = [definition.name for definition in child.definitions]
    if function and function not in (*names, *(code_error.defines for code_error in child.code_errors)):
        raise BadInput(f"{path} has no function {function!r}.", f"It has {listed(names) or 'none at all'}.")
    out = outline(learner_text(path))
    left_out = frozenset((*out.unwritten, *out.waiting))
    asked = Asked(function, request.mask, request.layout, left_out, called_with(request), out.calls)
    with as_checker_failure():
        return replace(survey(child, seed, asked), outline=out)
