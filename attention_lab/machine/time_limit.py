"""A limit on how long somebody's code may run, on every system that Python runs on."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

PATIENCE = 60.0  # seconds after which a reminder is printed that somebody's code still runs


class TookTooLong(Exception):
    """Code ran past its time limit. The traceback shows the line in which it was stopped."""


@contextmanager
def heed_interrupts_after(expired: threading.Event) -> Iterator[None]:
    """Let an interrupt raise KeyboardInterrupt once this event is set, also where Ctrl-C is ignored.

    A script's background jobs ignore Ctrl-C, and an interrupt from within would be ignored with it. Until the event is
    set, Ctrl-C does what it did before.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if expired.is_set():
            raise KeyboardInterrupt
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TookTooLong in this, the main thread, when the block runs longer; None is no limit.

    A single call into C is not interrupted: it is stopped when it returns.
    """
    if seconds is None:
        yield
        return
    expired = threading.Event()

    def stop() -> None:
        expired.set()
        _thread.interrupt_main()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        with heed_interrupts_after(expired):
            yield
    except KeyboardInterrupt as interrupt:
        if not expired.is_set():
            raise
        raise TookTooLong(f"did not end within {seconds:g} s").with_traceback(interrupt.__traceback__) from None
    finally:
        timer.cancel()


@contextmanager
def remind_when_slow() -> Iterator[None]:
    """Print on standard error, once the block has run for PATIENCE seconds, that Ctrl-C ends it."""

    def say() -> None:
        with suppress(OSError, ValueError):  # nobody listens
            sys.stderr.write(f"Your code has not come to an end in {PATIENCE:g} s; Ctrl-C ends it.\n")

    timer = threading.Timer(PATIENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
