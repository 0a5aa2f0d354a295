"""The progress line of a long computation, on standard error and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_line(wanted: bool) -> Iterator[Callable[[str], None]]:
    """A function to call with the current step of the work; it writes nothing unless wanted and on a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("working …") as status:
        yield status.update
