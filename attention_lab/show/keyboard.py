"""Read single keys of a terminal without echo; a key is one character, or the escape sequence that it sends.

Windows has no `termios`, so this module does not work there.
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
    r"\x1b\[\[?[0-?]*[ -/]*[@-~]"  # arrows and function keys; the Linux console sends F1 as Escape [ [ A
    r"|\x1bO[ -~]"
    r"|\x1b[^\[O\x1b]"  # Alt and a key
    r"|\x1b(?=\x1b)"  # Escape, and a key after it
    r"|[^\x1b]",
    re.DOTALL,
)
TOGETHER = 0.05  # longest pause in seconds between the characters of one key


class Keyboard:
    """Keys pressed at the terminal behind a file descriptor."""

    def __init__(self, descriptor: int, encoding: str) -> None:
        self.descriptor = descriptor
        self.decoder = codecs.getincrementaldecoder(encoding)("replace")
        self.typed = ""  # characters read and not yet returned as keys

    def read_more(self, seconds: float | None) -> bool:
        """Wait `seconds` for input, None for ever; True if any came. Raises EOFError at the end of input."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self.descriptor, 4096)
        except OSError:  # Linux reports a terminal that is gone in this way
            read = b""
        if not read:
            raise EOFError
        self.typed += self.decoder.decode(read)
        return True

    def next_key(self) -> str:
        """The next key. Keys pressed before this call are dropped, or a held key would act long after its release."""
        if not self.typed:
            with suppress(termios.error):
                termios.tcflush(self.descriptor, termios.TCIFLUSH)
        while not self.typed:
            self.read_more(None)
        match = KEY.match(self.typed)
        while match is None and self.read_more(TOGETHER):
            match = KEY.match(self.typed)
        end = match.end() if match else len(self.typed)  # Escape alone
        pressed, self.typed = self.typed[:end], self.typed[end:]
        return pressed


def exit_on_signal(number: int, _: FrameType | None) -> None:
    """Signal handler: exit with the usual code, 128 plus the signal, after all clean-up."""
    raise SystemExit(128 + number)


@contextmanager
def cbreak_mode(descriptor: int) -> Iterator[None]:
    """Put the terminal into cbreak mode: no echo, each key at once, and of the signal keys only Ctrl-C.

    The former mode is restored at the end, also on SIGTERM and SIGHUP; cbreak mode returns after a stop (SIGCONT).
    """
    before = termios.tcgetattr(descriptor)
    none = os.fpathconf(descriptor, "PC_VDISABLE").to_bytes()
    characters = {termios.VMIN: 1, termios.VTIME: 0, termios.VSUSP: none, termios.VQUIT: none}
    flags = before[3] & ~(termios.ECHO | termios.ICANON) | termios.ISIG
    ours = [*before[:3], flags, *before[4:6], [characters.get(n, old) for n, old in enumerate(before[6])]]

    def enter(*_: object) -> None:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, ours)

    def leave() -> None:
        with suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

    with ExitStack() as later:
        leaving = ((signal.SIGTERM, exit_on_signal), (signal.SIGHUP, exit_on_signal))
        for number, handler in ((signal.SIGCONT, enter), *leaving):
            if signal.getsignal(number) is signal.SIG_DFL:  # under nohup, SIGHUP stays ignored
                later.callback(signal.signal, number, signal.signal(number, handler))
        later.callback(leave)
        enter()
        yield
