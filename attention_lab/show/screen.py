"""Screens for the pages of a walk: a terminal that scrolls, or a projector with one page at a time."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Protocol

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from attention_lab.show.glyphs import encodable_text, glyphs_for
from attention_lab.show.layout import truncate
from attention_lab.show.terminal import make_console
from attention_lab.show.theme import ASIDE
from attention_lab.show.walk import Block, PlainView, TerminalView, View, join_blocks

FOOT = 2  # lines of the foot: an empty one, and the place in the lesson
GAP = "   "
WIDE = 60  # least columns at which a projector has margins


def console_encoding(console: Console) -> str:
    """The encoding in which the console can write."""
    return "ascii" if console.legacy_windows else console.encoding


def foot_line(foot: Sequence[str], width: int, encoding: str) -> str:
    """One line with the first piece of a foot, and the others that have room."""
    first, *more = (encodable_text(piece, encoding) for piece in foot)
    line = truncate(first, width, glyphs_for(encoding).cut)
    for piece in more:
        if cell_len(line + GAP + piece) <= width:
            line += GAP + piece
    return line


class Screen(Protocol):
    """Surface on which pages appear."""

    def view(self) -> View:
        """The view that lays a lesson out for this screen, at its present width."""
        ...

    def page_height(self) -> int | None:
        """Most lines of a page; None for no limit."""
        ...

    def show_page(self, page: list[Block], foot: Sequence[str]) -> None:
        """Show a page, and below it the foot: the place in the lesson and the keys."""
        ...

    def show_foot(self, foot: Sequence[str]) -> None:
        """Replace the foot below the same page."""
        ...

    def erase_foot(self) -> None:
        """Erase the foot, to make room for other output such as the progress of a training."""
        ...


class Scroll:
    """A terminal that scrolls: one page below the other. Plain text, meant for the ear, is not split into pages."""

    def __init__(self, plain: bool, stream: IO[str]) -> None:
        self.stream = stream
        self.console = make_console(stream)
        self.plain = plain
        self.foot_visible = False  # a foot stands there that can be erased

    def view(self) -> View:
        """A view for the ear if plain, else for the eye."""
        self.console = make_console(self.stream)  # the window may have changed its size
        encoding = console_encoding(self.console)
        return PlainView(encoding) if self.plain else TerminalView(self.console.width, encoding)

    def page_height(self) -> int | None:
        """Lines of the screen above the foot; None where there is no screen."""
        return None if self.plain or not self.console.is_terminal else self.console.height - FOOT

    def erase_foot(self) -> None:
        """Erase the foot, if the terminal can."""
        if self.foot_visible:
            self.stream.write("\r\x1b[2K")
            self.stream.flush()
        self.foot_visible = False

    def show_page(self, page: list[Block], foot: Sequence[str]) -> None:
        """Show a page below the last one."""
        self.erase_foot()
        for line in join_blocks(page):
            self.console.print(line, soft_wrap=True)
        self.console.print()
        self.show_foot(foot)

    def show_foot(self, foot: Sequence[str]) -> None:
        """Replace the foot if the terminal can, else write another line."""
        self.erase_foot()
        self.foot_visible = self.console.is_terminal and not self.console.is_dumb_terminal and not self.plain
        text = foot_line(foot, self.console.width - 1, console_encoding(self.console))
        self.console.print(Text(text, ASIDE), end="" if self.foot_visible else "\n", soft_wrap=True)
        self.stream.flush()


class Projector:
    """A projector: each page alone on the screen, with margins."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.console = make_console(stream)

    @property
    def margin(self) -> int:
        """Empty columns on either side."""
        return 4 if self.console.width >= WIDE else 1

    def view(self) -> View:
        """A view for the eye, between the margins."""
        self.console = make_console(self.stream)
        return TerminalView(self.console.width - 2 * self.margin, console_encoding(self.console))

    def page_height(self) -> int:
        """Lines of the screen without the foot and an empty line at the top."""
        return self.console.height - FOOT - 1

    def show_page(self, page: list[Block], foot: Sequence[str]) -> None:
        """Show a page alone, with two empty lines between blocks if there is room."""
        room = self.page_height()
        lines = list(join_blocks(page, 2))
        lines = lines if len(lines) <= room else list(join_blocks(page))
        self.console.clear()
        for line in [Text(), *lines, *(Text() for _ in range(room - len(lines))), Text()]:
            self.console.print(Text(" " * self.margin) + line if line else line, soft_wrap=True)
        self.show_foot(foot)

    def show_foot(self, foot: Sequence[str]) -> None:
        """Replace the foot in the last line."""
        text = foot_line(foot, self.console.width - 2 * self.margin, console_encoding(self.console))
        self.erase_foot()
        self.console.print(Text(" " * self.margin + text, ASIDE), end="", soft_wrap=True)
        self.stream.flush()

    def erase_foot(self) -> None:
        """Erase the foot; a terminal that cannot erase begins a new line."""
        able = self.console.is_terminal and not self.console.is_dumb_terminal
        self.stream.write("\r\x1b[2K" if able else "\n")
        self.stream.flush()


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C: after a first one, a second would keep the terminal from being restored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def open_screen(present: bool, plain: bool, stream: IO[str]) -> Iterator[Screen]:
    """A projector if `present`, else a scrolling screen, on this stream; other threads may replace `sys.stdout`.

    The screen that a projector covered is restored at the end.
    """
    if not present:
        scroll = Scroll(plain, stream)
        try:
            yield scroll
        finally:
            with suppress(OSError):
                scroll.erase_foot()
        return
    projector = Projector(stream)
    alone = not projector.console.is_dumb_terminal and projector.console.set_alt_screen(True)
    projector.console.show_cursor(False)
    try:
        yield projector
    finally:
        with ignore_interrupts(), suppress(OSError):
            projector.console.show_cursor(True)
            if alone:
                projector.console.set_alt_screen(False)
            else:  # the last page stays, and later output begins below its foot
                projector.erase_foot()


def print_notice(text: str, plain: bool, stream: IO[str]) -> None:
    """Print a notice about the walk after its end."""
    scroll = Scroll(plain, stream)
    for line in scroll.view().notice_block(text):
        scroll.console.print(line, soft_wrap=True)
