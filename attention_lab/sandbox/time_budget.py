"""A submission's process with a time budget, so that one submission cannot hold up a class."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from attention_lab.errors import LabError
from attention_lab.sandbox.frames import Value
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import CallFailed, Limits, TimedOut

SECONDS = 60.0  # for one submission, with all its files
LIMITS = Limits(seconds=5)
STRIKES = 3  # hangs or ends of the process allowed to a function: a wrong guess at its arguments may cause some


class Stopped(LabError):
    """The submission was stopped from outside."""

    kind = "stopped"


class BudgetedChild(Child):
    """A Child whose calls all fail after `deadline`, a time of `time.monotonic`; a hanging function fails earlier.

    Callers take a failure for an answer, so earlier findings are kept. `late` says that the time was up; `spent` are
    the seconds in each function or class.
    """

    def __init__(self, file: Path, deadline: float) -> None:
        self._deadline = deadline
        self._stopped = False
        self._known: dict[str, Any] | None = None
        self._strikes: Counter[str] = Counter()
        self._last: dict[str, CallFailed] = {}
        self.late = False
        self.spent: defaultdict[str, float] = defaultdict(float)
        super().__init__(file, LIMITS)

    @property
    def text(self) -> str:
        """The code of the file."""
        return self._text

    def _ready(self) -> dict[str, Any]:
        """The reply on definitions: the known one when the time is up, in place of a new start."""
        if self._stopped:
            raise Stopped("It was stopped.")
        if self._known is None or time.monotonic() < self._deadline:
            self._known = super()._ready()
        return self._known

    def _receive(self, nonce: bytes, seconds: float) -> dict[str, Any]:
        """Receive a reply, waiting at most until the deadline."""
        return super()._receive(nonce, min(seconds, self._deadline - time.monotonic()))

    def _ask(self, request: dict[str, Value]) -> Value:
        """Ask, unless the function hung or ended its process STRIKES times: then repeat its last failure."""
        target, began = str(request["target"]), time.monotonic()
        if began >= self._deadline:
            self.late = True
            raise TimedOut(self._name, 0)
        if self._strikes[target] >= STRIKES:
            raise self._last[target].with_traceback(None)
        try:
            return super()._ask(request)
        except CallFailed as failure:
            if self._process is None or isinstance(failure, TimedOut):  # it has ended, or would have gone on
                self._strikes[target] += 1
                self._last[target] = failure
            raise
        finally:
            self.spent[target.partition(".")[0]] += time.monotonic() - began

    def stop(self) -> None:
        """End the process now; may be called from another thread."""
        self._stopped = True
        self.close()
