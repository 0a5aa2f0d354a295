"""What a person presses or types: single keys of a terminal, unseen, or the lines of a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            return "�"  # no command, like any other word that is none
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

    def __init__(self) -> None:
        from readchar import readkey  # now, and not when the first key is awaited: it would be lost meanwhile

        self.read = readkey

    def key(self) -> str:
        """The next key; arrows and the like are sequences that begin with Escape."""
        try:
            pressed = self.read()
        except UnicodeDecodeError:
            return "�"
        if pressed in ("", END):  # nothing: the terminal is gone
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
    if not sys.stdin.isatty():
        yield Lines()
        return
    try:
        import termios
    except ImportError:  # Windows does not echo what nobody reads
        yield Terminal()
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
    try:
        yield Terminal()
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
