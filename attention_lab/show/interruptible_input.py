"""Keys of a terminal, or lines of a pipe, that are looked for while something else goes on."""

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
LOOK = 0.05  # seconds between two looks at a console of Windows
TWO = ("\x00", "\xe0")  # what comes first of a key that is no character, such as an arrow


class Unhurried(Protocol):
    """Where commands come from while something else goes on."""

    def within(self, seconds: float) -> str | None:
        """The next key or line, if one comes within this time, else None. Raises EOFError when none comes any more."""
        ...


class Pressed:
    """The keys of a terminal."""

    def __init__(self, keyboard: Keyboard) -> None:
        self.keyboard = keyboard

    def within(self, seconds: float) -> str | None:
        """The next key."""
        if not self.keyboard.typed and not self.keyboard.more(seconds):
            return None
        pressed = self.keyboard.key()
        if pressed == END:
            raise EOFError
        return pressed.lower() if len(pressed) == 1 else pressed


class Typed:
    """The lines of anything else. Not read through `sys.stdin`: nobody sees what that has read ahead."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.read = descriptor, b""

    def within(self, seconds: float) -> str | None:
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


class Console:
    """The keys of a console of Windows, which tells when one was pressed, and can only be asked."""

    def __init__(self, console: Any) -> None:
        self.console = console  # the module msvcrt

    def within(self, seconds: float) -> str | None:
        """The next key. Raises KeyboardInterrupt on Ctrl-C, where the console takes it for a key."""
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


class Unheard:
    """Where nothing can be looked for, as in a pipe of Windows, which can only be waited for: Ctrl-C ends it."""

    def within(self, seconds: float) -> None:
        """No key, after this time."""
        time.sleep(seconds)


@contextmanager
def unhurried() -> Iterator[Unhurried]:
    """Where commands come from while something else goes on; a terminal is given back as it was."""
    if sys.stdin is None:
        with open(os.devnull, "rb") as nothing:  # it was closed by whoever started us
            yield Typed(nothing.fileno())
    elif WINDOWS:
        yield Console(import_module("msvcrt")) if sys.stdin.isatty() else Unheard()
    elif not sys.stdin.isatty():
        yield Typed(sys.stdin.fileno())
    else:
        from attention_lab.show.keyboard import Keyboard, unseen

        with unseen(sys.stdin.fileno()):
            yield Pressed(Keyboard(sys.stdin.fileno(), sys.stdin.encoding))
