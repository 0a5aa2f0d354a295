"""What a command comes to. A command returns it; the exit shows it and chooses the exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attention_lab.commands.views import Views
    from attention_lab.errors import PartlyFailed
    from attention_lab.result import Result


@dataclass(frozen=True)
class Outcome:
    """A result to show, and what failed although there is a result.

    `chosen` holds values that the command chose itself, a seed for instance, by the name of the option: with them the
    echoed command gives the same result again. With `output` the result goes to that file as text. `own_page` says
    that the command has written the file of --html itself.
    """

    result: Result
    failure: PartlyFailed | KeyboardInterrupt | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    output: str | None = None
    own_page: bool = False


@dataclass(frozen=True)
class Document:
    """Text in a form that other programs read, in place of a result: for standard output, or for files by name."""

    text: str = ""
    files: tuple[tuple[str, str], ...] = ()
    failure: PartlyFailed | KeyboardInterrupt | None = None


@dataclass(frozen=True)
class Live:
    """A screen that lives while somebody reads or types.

    `run` takes the views that were asked for and the folder in which progress is kept. It raises KeyboardInterrupt
    where it is interrupted, PartlyFailed where something is left wrong.
    """

    run: Callable[[Views, Path], None]


Ending = Outcome | Document | Live
