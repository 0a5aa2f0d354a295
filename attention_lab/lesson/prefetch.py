"""Results computed ahead, by a thread beside the one in which a person reads, so that a key press need not wait."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from types import TracebackType

from attention_lab.lesson.perform import Perform
from attention_lab.result import Result

Words = tuple[str, ...]


class Ahead:
    """Runs commands as `perform` does, one at a time; those that are prepared, before they are asked for.

    `beside` says whether a command may run in a thread that is not the main one; `waits` is called before the thread
    that asks for a result has to compute it itself.
    """

    def __init__(
        self, perform: Perform, beside: Callable[[Words], bool], waits: Callable[[], None] = lambda: None
    ) -> None:
        self.perform = perform
        self.beside = beside
        self.waits = waits
        self.coming: dict[Words, Future[Result | None]] = {}
        self.one_at_a_time = Lock()
        self.queue: SimpleQueue[Words | None] = SimpleQueue()

    def __enter__(self) -> Ahead:
        Thread(target=self.work, daemon=True).start()  # nobody who leaves waits for what it still computes
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for future in self.coming.values():
            future.cancel()
        self.queue.put(None)

    def run(self, words: Words) -> Result:
        """The result of a command, computed now."""
        with self.one_at_a_time:
            return self.perform(words)

    def run_beside(self, words: Words) -> Result | None:
        """The same in the thread beside; None for a command that may not run there."""
        return self.run(words) if self.beside(words) else None

    def work(self) -> None:
        """Compute what is prepared, one after the other."""
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT])  # it is for the thread that has the terminal
        while (words := self.queue.get()) is not None:
            future = self.coming[words]
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self.run_beside(words))
                except BaseException as error:  # it is raised where the result is asked for
                    future.set_exception(error)

    def prepare(self, commands: Iterable[Words]) -> None:
        """Begin to compute what will be asked for, in this order."""
        for words in commands:
            if words not in self.coming:
                self.coming[words] = Future()
                self.queue.put(words)

    def __call__(self, words: Words) -> Result:
        """The result of a command: the one that is on its way, or computed in this thread."""
        future = self.coming.get(words)
        if future is not None and not future.cancel():  # waiting behind others would take longer
            result = future.result()
            if result is not None:
                return result
        self.waits()
        return self.run(words)
