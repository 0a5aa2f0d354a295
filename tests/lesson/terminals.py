"""A terminal of any size with attn-lab in it: press keys, and read what appears."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

BEGIN = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
QUIET = 0.05  # seconds without output after which a page is complete
PATIENCE = 40.0  # seconds until a test fails that waits for what does not come


class Terminal:
    """What one sees and does at a terminal."""

    def __init__(self, parent: int, process: subprocess.Popen[bytes]) -> None:
        self.parent = parent
        self.process = process
        self.raw = ""

    @property
    def text(self) -> str:
        """All that has appeared since the last key, without colours."""
        return CODES.sub("", self.raw).replace("\r", "")

    def wait(self, what: str) -> str:
        """Wait until this pattern appears, and nothing more after it; what has appeared by then."""
        end = time.monotonic() + PATIENCE
        while not re.search(what, self.text) or self.ready(QUIET):
            chunk = self.read() if self.ready(end - time.monotonic()) else b""
            if not chunk:
                if re.search(what, self.text):  # these were its last words
                    break
                raise AssertionError(f"{what!r} did not appear, but {self.text!r}")
            self.raw += chunk.decode()
        return self.text

    def ready(self, seconds: float) -> bool:
        """Whether there is something to read, within this time."""
        return bool(select.select([self.parent], [], [], max(0, seconds))[0])

    def read(self) -> bytes:
        try:
            return os.read(self.parent, 65536)
        except OSError:  # how Linux says that the other side of a terminal has closed
            return b""

    def press(self, keys: str, what: str) -> str:
        """Press keys and wait until something appears."""
        self.raw = ""
        os.write(self.parent, keys.encode())
        return self.wait(what)

    def left(self) -> int:
        """The exit code, once the process has ended; what it still wrote is in `text`."""
        while chunk := self.read():
            self.raw += chunk.decode()
        return self.process.wait(PATIENCE)

    def echoes(self) -> bool:
        """Whether the terminal would show what is typed."""
        return bool(termios.tcgetattr(self.parent)[3] & termios.ECHO)


@contextmanager
def terminal(*words: str, columns: int = 80, lines: int = 24, **changes: str) -> Iterator[Terminal]:
    """Run `attn-lab WORDS` in a terminal of this size."""
    parent, child = os.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    command = [sys.executable, "-c", BEGIN, sys.executable, "-m", "attention_lab", *words]
    environment = {**known, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **changes}
    process = subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env=environment, start_new_session=True
    )
    os.close(child)
    try:
        yield Terminal(parent, process)
    finally:
        process.kill()
        process.wait()
        os.close(parent)
