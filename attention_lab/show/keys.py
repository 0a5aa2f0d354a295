"""What a person presses or types: single keys of a terminal, unseen, or the lines of a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Protocol

END = "\x04"  # Ctrl-D
DIGITS = 4  # of a number that is typed
ERASE = ("\x7f", "\x08")  # the backspace of one terminal and of another
ENTER = ("\n", "\r")
NAMES = {  # what a key means where it does not choose an answer; clickers send Page Up and Page Down
    "next": ("", " ", *ENTER, "n", "next", "\x1b[C", "\x1b[B", "\x1b[6~"),
    "back": ("b", "p", "back", *ERASE, "\x1b[D", "\x1b[A", "\x1b[5~"),
    "repeat": ("r", "repeat"),
    "jump": ("g", "go"),
    "quit": ("q", "quit", "exit"),
    "help": ("?", "help"),
    "hands": ("h", "hands"),
}
MEANING = {key: name for name, keys in NAMES.items() for key in keys}
NUMBER = re.compile(rf"(?:g|go)?\s*(\d{{1,{DIGITS}}})")


class Keys(Protocol):
    """Where commands come from. Every function raises EOFError when nothing comes any more."""

    def key(self) -> str:
        """The next key, or the next line."""
        ...

    def number(self, begun: str, show: Callable[[str], None]) -> int | None:
        """A number of which `begun` is there already, shown as it grows; None where it is given up."""
        ...


class Lines:
    """The lines of standard input that is no terminal, each of them one command."""

    def key(self) -> str:
        """The next line, without the spaces around it."""
        line = sys.stdin.readline() if sys.stdin else ""  # it may have been closed by whoever started us
        if not line:
            raise EOFError
        return line.strip().lower()

    def number(self, begun: str, show: Callable[[str], None]) -> int | None:
        """The number that was begun, or the one on the next line."""
        show(begun)
        found = NUMBER.fullmatch(begun or self.key())
        return int(found[1]) if found else None


class Terminal:
    """The keys of a terminal, as they are pressed."""

    def __init__(self, read: Callable[[], str]) -> None:
        self.read = read

    def key(self) -> str:
        """The next key; arrows and the like are sequences that begin with Escape."""
        pressed = self.read()
        if pressed == END:
            raise EOFError
        return pressed.lower() if len(pressed) == 1 else pressed

    def number(self, begun: str, show: Callable[[str], None]) -> int | None:
        """Digits until Enter; Backspace takes the last one back, any other key gives up."""
        digits = begun
        while True:
            show(digits)
            pressed = self.key()
            if pressed in ENTER:
                return int(digits) if digits else None
            if pressed in ERASE:
                digits = digits[:-1]
            elif pressed.isascii() and pressed.isdigit() and len(digits) < DIGITS:
                digits += pressed
            else:
                return None


@contextmanager
def keys() -> Iterator[Keys]:
    """Where commands come from. Nothing that is typed on a terminal is echoed meanwhile, also not while one waits."""
    if sys.stdin is None or not sys.stdin.isatty():
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # what is no text is no command, and loses none
        yield Lines()
        return
    if sys.platform == "win32":
        from readchar import readkey

        yield Terminal(readkey)
        return
    from attention_lab.show.keyboard import Keyboard, unseen

    with unseen(sys.stdin.fileno()):
        yield Terminal(Keyboard(sys.stdin.fileno(), sys.stdin.encoding).key)
