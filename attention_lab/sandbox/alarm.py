"""A limit on how long a learner's code may run, inside the process that runs it, where the system has timers.

`machine/time_limit.py` stops code in our own process, on every system, by what Ctrl-C does. Here a learner's
`except Exception` must not catch the end, and Ctrl-C is not for this process.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTime(BaseException):
    """Raised inside code that runs too long; no `except Exception` of a learner's stops it."""


def set_alarm(seconds: float, again: float = 0.0) -> None:
    """Raise OutOfTime after so many seconds, and `again` after as many more each time that it was caught."""
    if not hasattr(signal, "setitimer"):
        return

    def ring(*_: object) -> None:
        raise OutOfTime(f"still running after {seconds:g} s")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, again)


def clear_alarm() -> None:
    """Raise nothing any more."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block after so many seconds."""
    set_alarm(seconds)
    try:
        yield
    finally:
        clear_alarm()
