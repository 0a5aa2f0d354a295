"""Commands of a walk: single keys of a terminal, or lines of a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Protocol

END = "\x04"  # Ctrl-D
DIGITS = 4  # most digits of a typed number
ERASE = ("\x7f", "\x08")  # Backspace of two kinds of terminal
ENTER = ("\n", "\r")
NAMES = {  # meanings of keys that choose no answer; clickers send Page Up and Page Down
    "next": ("", " ", *ENTER, "n", "next", "\x1b[C", "\x1b[B", "\x1b[6~"),
    "back": ("b", "p", "back", *ERASE, "\x1b[D", "\x1b[A", "\x1b[5~"),
    "repeat": ("r", "repeat"),
    "jump": ("g", "go"),
    "quit": ("q", "quit", "exit"),
    "help": ("?", "help"),
    "hands": ("h", "hands"),
}
MEANING = {key: name for name, open_keys in NAMES.items() for key in open_keys}
NUMBER = re.compile(rf"(?:g|go)?\s*(\d{{1,{DIGITS}}})")


class Keys(Protocol):
    """Source of commands. Every method raises EOFError at the end of input."""

    def next_key(self) -> str:
        """The next key, or the next line."""
        ...

    def read_number(self, begun: str, show: Callable[[str], None]) -> int | None:
        """A number that starts with the digits `begun`; `show` gets its digits as they grow. None if it is given up."""
        ...


class LineKeys:
    """Lines of a standard input that is no terminal; each line is one command."""

    def next_key(self) -> str:
        """The next line, without the spaces around it."""
        line = sys.stdin.readline() if sys.stdin else ""  # None if the parent process closed standard input
        if not line:
            raise EOFError
        return line.strip().lower()

    def read_number(self, begun: str, show: Callable[[str], None]) -> int | None:
        """The number in `begun`, or on the next line if that is empty."""
        show(begun)
        match = NUMBER.fullmatch(begun or self.next_key())
        return int(match[1]) if match else None


class TerminalKeys:
    """The keys of a terminal, as they are pressed."""

    def __init__(self, read: Callable[[], str]) -> None:
        self.read = read

    def next_key(self) -> str:
        """The next key; arrows and function keys are sequences that begin with Escape."""
        pressed = self.read()
        if pressed == END:
            raise EOFError
        return pressed.lower() if len(pressed) == 1 else pressed

    def read_number(self, begun: str, show: Callable[[str], None]) -> int | None:
        """Digits until Enter; Backspace removes the last digit, any other key gives up."""
        digits = begun
        while True:
            show(digits)
            pressed = self.next_key()
            if pressed in ENTER:
                return int(digits) if digits else None
            if pressed in ERASE:
                digits = digits[:-1]
            elif pressed.isascii() and pressed.isdigit() and len(digits) < DIGITS:
                digits += pressed
            else:
                return None


@contextmanager
def open_keys() -> Iterator[Keys]:
    """The source of commands: standard input. A terminal echoes nothing until the end."""
    if sys.stdin is None or not sys.stdin.isatty():
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # undecodable bytes are no command, and must not lose one
        yield LineKeys()
        return
    if sys.platform == "win32":
        from readchar import readkey

        yield TerminalKeys(readkey)
        return
    from attention_lab.show.keyboard import Keyboard, cbreak_mode

    with cbreak_mode(sys.stdin.fileno()):
        yield TerminalKeys(Keyboard(sys.stdin.fileno(), sys.stdin.encoding).next_key)
