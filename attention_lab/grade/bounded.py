"""A submission's process that costs a class no more than its share of time, whatever the submission does."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

from attention_lab.check.frames import Value
from attention_lab.check.sandbox import CallFailed, Child, Limits, TimedOut
from attention_lab.errors import LabError

LIMITS = Limits(seconds=5)
STRIKES = 3  # times that a function may hang or end its process: a wrong guess at how to call it may make it do so


class TimeIsUp(LabError):
    """A submission has had the time that there is for one."""

    kind = "time-is-up"


class Bounded(Child):
    """A Child that raises TimeIsUp from `deadline` on, a time of `time.monotonic`, and gives functions up that hang."""

    def __init__(self, file: Path, deadline: float) -> None:
        self._deadline = deadline
        self._strikes: Counter[str] = Counter()
        self._last: dict[str, CallFailed] = {}
        super().__init__(file, LIMITS)

    def in_time(self) -> None:
        """Raise TimeIsUp when it is."""
        if time.monotonic() >= self._deadline:
            raise TimeIsUp("Its time is up.")

    def _ready(self) -> dict[str, Any]:
        """Do not start again when the time is up."""
        self.in_time()
        return super()._ready()

    def _receive(self, nonce: bytes, seconds: float) -> dict[str, Any]:
        """Wait no longer than there is time."""
        try:
            return super()._receive(nonce, min(seconds, self._deadline - time.monotonic()))
        except CallFailed:
            self.in_time()
            raise

    def _ask(self, request: dict[str, Value]) -> Value:
        """Do not call a function again that has hung, or ended its process, too often: it fails as it did before."""
        target = str(request["target"])
        if self._strikes[target] >= STRIKES:
            raise self._last[target].with_traceback(None)
        try:
            return super()._ask(request)
        except CallFailed as failure:
            if self._process is None or isinstance(failure, TimedOut):  # it has ended, or would have gone on
                self._strikes[target] += 1
                self._last[target] = failure
            raise

    def stop(self) -> None:
        """End it now, from another thread."""
        self._deadline = 0.0
        self.close()
