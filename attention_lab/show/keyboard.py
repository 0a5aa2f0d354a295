"""The keys of a terminal as they are pressed, unseen: one key is one character, or the sequence that it sends.

Not on Windows, which has no `termios`.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import termios
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType

KEY = re.compile(
    r"\x1b\[\[?[0-?]*[ -/]*[@-~]"  # arrows and the like; the console of Linux has F1 as Escape [ [ A
    r"|\x1bO[ -~]"
    r"|\x1b[^\[O\x1b]"  # Alt and a key
    r"|\x1b(?=\x1b)"  # Escape, and a key after it
    r"|[^\x1b]",
    re.DOTALL,
)
TOGETHER = 0.05  # seconds within which the characters of one key come


class Keyboard:
    """What is pressed at the terminal that this descriptor is."""

    def __init__(self, descriptor: int, encoding: str) -> None:
        self.descriptor = descriptor
        self.decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.typed = ""  # and not taken yet

    def more(self, seconds: float | None) -> bool:
        """Read what comes within this time, None for ever; whether anything came. Raises EOFError: no more can come."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self.descriptor, 4096)
        except OSError:  # how Linux says that the terminal is gone
            read = b""
        if not read:
            raise EOFError
        self.typed += self.decoder.decode(read)
        return True

    def key(self) -> str:
        """The next key. What was pressed before it was waited for is forgotten, or a held key would go on and on."""
        if not self.typed:
            with suppress(termios.error):
                termios.tcflush(self.descriptor, termios.TCIFLUSH)
        while not self.typed:
            self.more(None)
        found = KEY.match(self.typed)
        while found is None and self.more(TOGETHER):
            found = KEY.match(self.typed)
        end = found.end() if found else len(self.typed)  # Escape alone
        pressed, self.typed = self.typed[:end], self.typed[end:]
        return pressed


def ended(number: int, _: FrameType | None) -> None:
    """Leave as a process does that is told to end, by way of everything that is still to be put in order."""
    raise SystemExit(128 + number)


@contextmanager
def unseen(descriptor: int) -> Iterator[None]:
    """A terminal that shows nothing of what is typed, and tells each key at once. Of the signals only Ctrl-C is left.

    It is given back as it was, also when the process is told to end, and taken again when it goes on after a stop.
    """
    before = termios.tcgetattr(descriptor)
    none = os.fpathconf(descriptor, "PC_VDISABLE").to_bytes()
    characters = {termios.VMIN: 1, termios.VTIME: 0, termios.VSUSP: none, termios.VQUIT: none}
    flags = before[3] & ~(termios.ECHO | termios.ICANON) | termios.ISIG
    ours = [*before[:3], flags, *before[4:6], [characters.get(n, old) for n, old in enumerate(before[6])]]

    def take(*_: object) -> None:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, ours)

    def give_back() -> None:
        with suppress(termios.error):  # it is gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

    with ExitStack() as later:
        for number, handler in ((signal.SIGCONT, take), (signal.SIGTERM, ended), (signal.SIGHUP, ended)):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup has set one aside
                later.callback(signal.signal, number, signal.signal(number, handler))
        later.callback(give_back)
        take()
        yield
