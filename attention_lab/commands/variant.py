"""The options that say on which model a command runs: --break, --edit and --with."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from attention_lab.commands.names import break_names
from attention_lab.errors import BadInput, RunFailed, complaint, unknown
from attention_lab.machine.time_limit import remind_when_slow
from attention_lab.options import Param, command_words, signature_options
from attention_lab.variants import Model, Patch, Source, healthy, own_source, source

if TYPE_CHECKING:
    from attention_lab.breaks.record import Break

GROUP = "on which model"
Breaks = Annotated[
    tuple[str, ...], Param("with this fault", flag="--break", metavar="NAME", names=break_names, group=GROUP)
]
OwnFile = Annotated[
    str | None,
    Param("with your own file's functions in place", flag="--with", metavar="FILE", files=(), group=GROUP),
]
Edits = Annotated[
    tuple[tuple[str, str], ...],
    Param("with a change of your own", flag="--edit", metavar="OLD NEW", group=GROUP),
]


@dataclass(frozen=True)
class Choice:
    """The model that was asked for: what it is made of, and what to type to get it again."""

    before: Source
    after: Source
    breaks: tuple[Break, ...]
    words: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name of the patched text in a traceback."""
        return " with ".join(["transformer.py", *filter(None, [" and ".join(entry.name for entry in self.breaks)])])

    @property
    def title(self) -> str:
        """The names of the breaks, as the title of a page; "" without any."""
        return " + ".join(entry.name for entry in self.breaks)

    def broken(self) -> Model:
        """The model with everything that was asked for."""
        return healthy() if self.after == source() else loaded(self.after, self.label)

    def healthy(self) -> Model:
        """The model to compare with: without breaks and edits, a person's own file as it is."""
        return healthy() if self.before == source() else loaded(self.before, "transformer.py")


@contextmanager
def aside(wanted: bool) -> Iterator[None]:
    """Let a person's own code run: what it prints goes to standard error, as standard output is the result's.

    A complex number that is taken for a real one is an error, since half of it would be lost without a word.
    """
    if not wanted:
        yield
        return
    with redirect_stdout(sys.stderr), remind_when_slow(), warnings.catch_warnings():
        warnings.filterwarnings("error", "Casting complex values to real")
        yield


def loaded(text: Source, label: str) -> Model:
    """Execute a source. What a patch or a person's file raises on the way is told in a sentence, exit code 1."""
    try:
        with aside(bool(text.own)):
            return text.load(label)
    except (Exception, SystemExit) as error:
        raise RunFailed(complaint(text.path or f"<{label}>", error, f"<{label}>"), "Correct that line.") from error


def find_break(name: str) -> Break:
    """The break of this name. Raises UnknownName with the nearest ones."""
    from attention_lab.breaks import BREAKS

    by_name = {entry.name: entry for entry in BREAKS}
    if name not in by_name:
        raise unknown("break", name, by_name, "attn-lab break")
    return by_name[name]


def choose(*, breaks: Breaks = (), edits: Edits = (), own: OwnFile = None) -> Choice:
    """The model with these breaks and edits, applied in this order, and a person's own file laid over it."""
    entries = tuple(find_break(name) for name in breaks)
    twice = [name for place, name in enumerate(breaks) if name in breaks[:place]]
    if twice:
        raise BadInput(f"The break {twice[0]!r} is named twice.", "Name it once.")
    patches = [*(patch for entry in entries for patch in entry.patches), *(Patch(*edit) for edit in edits)]
    after = own_source(Path(own)) if own is not None else source()
    before = after if patches else source()  # a file that is not broken further is compared with the model
    for patch in patches:
        after = after.patched(patch)
    if edits and after == before:
        raise BadInput("The edit changes nothing: OLD and NEW are the same.", "Give a NEW that differs.")
    words = command_words(VARIANT, {"breaks": breaks, "edits": edits, "own": own})
    return Choice(before, after, entries, tuple(words))


VARIANT = signature_options(choose)  # --break, --edit and --with
