"""A submission's process that costs a class no more than its share of time, whatever the submission does."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from attention_lab.errors import LabError
from attention_lab.sandbox.frames import Value
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import CallFailed, Limits, TimedOut

SECONDS = 60.0  # that one submission may take, with all its files
LIMITS = Limits(seconds=5)
STRIKES = 3  # times that a function may hang or end its process: a wrong guess at how to call it may make it do so


class Stopped(LabError):
    """Nobody waits for this submission any more."""

    kind = "stopped"


class BudgetedChild(Child):
    """A Child of which every call fails from `deadline` on, a time of `time.monotonic`, or once its function hangs.

    What was found out until then is kept, as those who call it take a failure for an answer. `late` says that the
    time was up; `spent` are the seconds in each function, or class.
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
        """Do not start again when the time is up: what the file offers is known."""
        if self._stopped:
            raise Stopped("It was stopped.")
        if self._known is None or time.monotonic() < self._deadline:
            self._known = super()._ready()
        return self._known

    def _receive(self, nonce: bytes, seconds: float) -> dict[str, Any]:
        """Wait no longer than there is time."""
        return super()._receive(nonce, min(seconds, self._deadline - time.monotonic()))

    def _ask(self, request: dict[str, Value]) -> Value:
        """Do not call a function again that has hung, or ended its process, too often: it fails as it did before."""
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
        """End it now, from another thread."""
        self._stopped = True
        self.close()
