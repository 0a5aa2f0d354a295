"""Keys of a terminal, or lines of a pipe, polled while other work goes on."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from attention_lab.show.keys import END

if TYPE_CHECKING:
    from attention_lab.show.keyboard import Keyboard

WINDOWS = sys.platform == "win32"
LOOK = 0.05  # seconds between two polls of a Windows console
TWO = ("\x00", "\xe0")  # first character of a key that sends two, such as an arrow


class TimedInput(Protocol):
    """Source of commands that can be polled."""

    def next_within(self, seconds: float) -> str | None:
        """The next key or line, or None if none comes within this time. Raises EOFError at the end of input."""
        ...


class TerminalInput:
    """The keys of a terminal."""

    def __init__(self, keyboard: Keyboard) -> None:
        self.keyboard = keyboard

    def next_within(self, seconds: float) -> str | None:
        """The next key."""
        if not self.keyboard.typed and not self.keyboard.read_more(seconds):
            return None
        pressed = self.keyboard.next_key()
        if pressed == END:
            raise EOFError
        return pressed.lower() if len(pressed) == 1 else pressed


class LineInput:
    """Lines of a pipe or a file. `sys.stdin` is bypassed, since its read-ahead buffer cannot be polled."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.read = descriptor, b""

    def next_within(self, seconds: float) -> str | None:
        """The next line, without the spaces around it."""
        if b"\n" not in self.read and select.select([self.descriptor], [], [], seconds)[0]:
            some = os.read(self.descriptor, 1024)
            if not some:
                raise EOFError
            self.read += some
        line, newline, rest = self.read.partition(b"\n")
        if not newline:
            return None
        self.read = rest
        return line.decode(errors="replace").strip().lower()


class WindowsInput:
    """Keys of a Windows console, which can only be polled."""

    def __init__(self, console: Any) -> None:
        self.console = console  # the module msvcrt

    def next_within(self, seconds: float) -> str | None:
        """The next key. Raises KeyboardInterrupt if the console delivers Ctrl-C as a key."""
        end = time.monotonic() + seconds
        while not self.console.kbhit():
            left = end - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(left, LOOK))
        pressed = str(self.console.getwch())
        if pressed in TWO:
            return pressed + str(self.console.getwch())
        if pressed == "\x03":
            raise KeyboardInterrupt
        if pressed in (END, "\x1a"):
            raise EOFError
        return pressed.lower()


class NoInput:
    """Source without commands, for a pipe on Windows, which cannot be polled; only Ctrl-C ends the work."""

    def next_within(self, seconds: float) -> None:
        """None, after this time."""
        time.sleep(seconds)


@contextmanager
def open_timed_input() -> Iterator[TimedInput]:
    """The source of commands to poll; a terminal gets its former mode back at the end."""
    if sys.stdin is None:
        with open(os.devnull, "rb") as nothing:  # the parent process closed standard input
            yield LineInput(nothing.fileno())
    elif WINDOWS:
        yield WindowsInput(import_module("msvcrt")) if sys.stdin.isatty() else NoInput()
    elif not sys.stdin.isatty():
        yield LineInput(sys.stdin.fileno())
    else:
        from attention_lab.show.keyboard import Keyboard, cbreak_mode

        with cbreak_mode(sys.stdin.fileno()):
            yield TerminalInput(Keyboard(sys.stdin.fileno(), sys.stdin.encoding))
