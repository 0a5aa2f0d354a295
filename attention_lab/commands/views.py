"""How a result is shown: the options that every command with a result has."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Annotated

from attention_lab.errors import BadInput, CannotWrite
from attention_lab.options import Param, signature_options

GROUP = "how it is shown"


@dataclass(frozen=True, kw_only=True)
class Views:
    """The views that were asked for."""

    plain: Annotated[bool, Param("text only: no colour, no borders; for screen readers", group=GROUP)] = False
    json: Annotated[bool, Param("only JSON on standard output", group=GROUP, apart=("--plain",))] = False
    html: Annotated[
        str | None,
        Param("also write a page that loads nothing from elsewhere", metavar="FILE", files=(), group=GROUP),
    ] = None
    svg: Annotated[str | None, Param("also write a picture of the terminal", metavar="FILE", files=(), group=GROUP)] = (
        None
    )


VIEWS = signature_options(Views)


def check_writable(file: str | None) -> None:
    """Raise CannotWrite before the work is done, not after it, when its result could not be written."""
    if file is None:
        return
    folder = os.path.dirname(file) or "."
    if os.path.isdir(file):
        raise CannotWrite(file, "it is a folder")
    if os.path.exists(file) and stat.S_ISFIFO(os.stat(file).st_mode):
        raise CannotWrite(file, "it is a pipe")
    if not os.path.isdir(folder):
        raise CannotWrite(file, f"there is no folder {folder}")
    if not os.access(file if os.path.exists(file) else folder, os.W_OK):
        raise CannotWrite(file, "no permission")


def check_views(views: Views) -> None:
    """Raise CannotWrite when a view could not be written, BadInput when it would take the place of something."""
    targets = [file for file in (views.html, views.svg) if file is not None]
    for file in targets:
        if file.endswith((".py", ".npy", ".npz")):
            raise BadInput(f"{file} is not the name of a page or a picture.", "Name a file that ends in .html or .svg.")
    if len(targets) > 1 and os.path.abspath(targets[0]) == os.path.abspath(targets[1]):
        raise BadInput(f"--html and --svg are both {targets[0]}.", "Name two files.")
    check_writable(views.html)
    check_writable(views.svg)
