"""Where the pages of a walk appear: below each other, or on a projector each one alone."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Protocol

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from attention_lab.show.glyphs import glyphs_for, spelled
from attention_lab.show.layout import shortened
from attention_lab.show.terminal import make_console
from attention_lab.show.theme import ASIDE
from attention_lab.show.walk import Block, Plain, Terminal, View, lines_of

FOOT = 2  # the line that says where one is, and an empty one above it
GAP = "   "
WIDE = 60  # columns from which on a projector has margins


def encoding_of(console: Console) -> str:
    """What the console can write."""
    return "ascii" if console.legacy_windows else console.encoding


def foot_text(foot: Sequence[str], width: int, encoding: str) -> str:
    """As much of a foot as fits on one line: the first piece, and then those for which there is room."""
    first, *more = (spelled(piece, encoding) for piece in foot)
    line = shortened(first, width, glyphs_for(encoding).cut)
    for piece in more:
        if cell_len(line + GAP + piece) <= width:
            line += GAP + piece
    return line


class Screen(Protocol):
    """Where pages appear."""

    def view(self) -> View:
        """How a lesson is put into words for it, as wide as it is now."""
        ...

    def room(self) -> int | None:
        """How many lines a page may have; None: as many as it likes."""
        ...

    def show(self, page: list[Block], foot: Sequence[str]) -> None:
        """A page, and below it where one is and what one can press."""
        ...

    def say(self, foot: Sequence[str]) -> None:
        """Another foot below the same page."""
        ...

    def wipe(self) -> None:
        """Take the foot away: something else writes there, such as the progress of a training."""
        ...


class Scroll:
    """One page below the other, as a terminal does it. Plain words are not cut into pages: they are heard."""

    def __init__(self, plain: bool, stream: IO[str]) -> None:
        self.stream = stream
        self.console = make_console(stream)
        self.plain = plain
        self.standing = False  # whether a foot is there that can be wiped away

    def view(self) -> View:
        """Words for the eye, or for the ear."""
        self.console = make_console(self.stream)  # the window may have changed its size
        encoding = encoding_of(self.console)
        return Plain(encoding) if self.plain else Terminal(self.console.width, encoding)

    def room(self) -> int | None:
        """The screen without the foot, where there is a screen."""
        return None if self.plain or not self.console.is_terminal else self.console.height - FOOT

    def wipe(self) -> None:
        """Take the foot away, where the terminal can do that."""
        if self.standing:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
        self.standing = False

    def show(self, page: list[Block], foot: Sequence[str]) -> None:
        """A page below what is there."""
        self.wipe()
        for line in lines_of(page):
            self.console.print(line, soft_wrap=True)
        self.console.print()
        self.say(foot)

    def say(self, foot: Sequence[str]) -> None:
        """Another foot, in place of the one before where the terminal can do that."""
        self.wipe()
        self.standing = self.console.is_terminal and not self.console.is_dumb_terminal and not self.plain
        text = foot_text(foot, self.console.width - 1, encoding_of(self.console))
        self.console.print(Text(text, ASIDE), end="" if self.standing else "\n", soft_wrap=True)
        self.stream.flush()


class Projector:
    """Each page alone on the screen, with room around it."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.console = make_console(stream)

    @property
    def margin(self) -> int:
        """The columns left free on either side."""
        return 4 if self.console.width >= WIDE else 1

    def view(self) -> View:
        """Words for the eye, between the margins."""
        self.console = make_console(self.stream)
        return Terminal(self.console.width - 2 * self.margin, encoding_of(self.console))

    def room(self) -> int:
        """The screen without the foot and a line at the top."""
        return self.console.height - FOOT - 1

    def show(self, page: list[Block], foot: Sequence[str]) -> None:
        """A page alone, its blocks as far apart as there is room for."""
        room = self.room()
        lines = list(lines_of(page, 2))
        lines = lines if len(lines) <= room else list(lines_of(page))
        self.console.clear()
        for line in [Text(), *lines, *(Text() for _ in range(room - len(lines))), Text()]:
            self.console.print(Text(" " * self.margin) + line if line else line, soft_wrap=True)
        self.say(foot)

    def say(self, foot: Sequence[str]) -> None:
        """Another foot in the last line."""
        text = foot_text(foot, self.console.width - 2 * self.margin, encoding_of(self.console))
        self.wipe()
        self.console.print(Text(" " * self.margin + text, ASIDE), end="", soft_wrap=True)
        self.stream.flush()

    def wipe(self) -> None:
        """Take the foot away; a terminal that cannot do that goes on in a new line."""
        able = self.console.is_terminal and not self.console.is_dumb_terminal
        self.stream.write("\r\x1b[2K" if able else "\n")
        self.stream.flush()


@contextmanager
def undisturbed() -> Iterator[None]:
    """No Ctrl-C meanwhile: after the first one, a second would leave the terminal as it is."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def screen(present: bool, plain: bool, stream: IO[str]) -> Iterator[Screen]:
    """Where pages appear: on this stream, whatever a command in another thread puts in the place of standard output.

    A projector's screen is given back as it was.
    """
    if not present:
        scroll = Scroll(plain, stream)
        try:
            yield scroll
        finally:
            with suppress(OSError):
                scroll.wipe()
        return
    projector = Projector(stream)
    alone = not projector.console.is_dumb_terminal and projector.console.set_alt_screen(True)
    projector.console.show_cursor(False)
    try:
        yield projector
    finally:
        with undisturbed(), suppress(OSError):
            projector.console.show_cursor(True)
            if alone:
                projector.console.set_alt_screen(False)
            else:  # the last page stays, and what follows begins below its foot
                projector.wipe()


def print_notice(text: str, plain: bool, stream: IO[str]) -> None:
    """A word about the walk after its end, where no page is any more."""
    where = Scroll(plain, stream)
    for line in where.view().notice(text):
        where.console.print(line, soft_wrap=True)
