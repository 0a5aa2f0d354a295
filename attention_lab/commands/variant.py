"""The options that say on which model a command runs: --break, --edit and --with, and their sizes."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.commands.output import aside
from attention_lab.errors import BadInput, RunFailed, complaint, unknown
from attention_lab.options import named
from attention_lab.text import option_words
from attention_lab.variants import Model, Patch, Source, healthy, own_source, source

if TYPE_CHECKING:
    from attention_lab.breaks.record import Break
    from attention_lab.options import Parser


@dataclass(frozen=True)
class Choice:
    """The model that was asked for: what it is made of, and what to type to get it again."""

    before: Source
    after: Source
    breaks: tuple[Break, ...]
    words: tuple[str, ...]

    @property
    def label(self) -> str:
        """What a traceback calls the patched text."""
        return " with ".join(["transformer.py", *filter(None, [" and ".join(one.name for one in self.breaks)])])

    def broken(self) -> Model:
        """The model with everything that was asked for."""
        return healthy() if self.after == source() else loaded(self.after, self.label)

    def healthy(self) -> Model:
        """The model to compare with: without breaks and edits, a person's own file as it is."""
        return healthy() if self.before == source() else loaded(self.before, "transformer.py")


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

    by_name = {one.name: one for one in BREAKS}
    if name not in by_name:
        raise unknown("break", name, by_name, "attn-lab break")
    return by_name[name]


def add_variant(parser: Parser) -> None:
    """Give the parser the options that choose a model."""
    group = parser.add_argument_group("on which model")
    group.add_argument("--break", dest="breaks", metavar="NAME", action="append", default=[], help="with this fault")
    group.add_argument("--with", dest="own", metavar="FILE", type=named, help="with your own file's functions in place")


def choose(names: list[str], edits: list[tuple[str, str]], own: str | None) -> Choice:
    """The model with these breaks and edits, applied in this order, and a person's own file laid over it."""
    breaks = tuple(find_break(name) for name in names)
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise BadInput(f"The break {twice[0]!r} is named twice.", "Name it once.")
    patches = [*(patch for one in breaks for patch in one.patches), *(Patch(*edit) for edit in edits)]
    after = own_source(Path(own)) if own is not None else source()
    before = after if patches else source()  # a file that is not broken further is compared with the model
    for patch in patches:
        after = after.patched(patch)
    if edits and after == before:
        raise BadInput("The edit changes nothing: OLD and NEW are the same.", "Give a NEW that differs.")
    words = [word for one in breaks for word in ("--break", one.name)]
    words += [word for edit in edits for word in ("--edit", *edit)] + (
        [] if own is None else option_words("--with", own)
    )
    return Choice(before, after, breaks, tuple(words))


def chosen(arguments: Namespace) -> Choice:
    """The model that a command line asks for."""
    return choose(arguments.breaks, [], arguments.own)
