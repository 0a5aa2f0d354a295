"""Compute results ahead in a second thread, so that a key press need not wait."""

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


class Prefetcher:
    """Runs commands through `perform`, one at a time; prefetched commands run before their result is asked for.

    `may_prefetch` tells whether a command may run outside the main thread; `on_wait` is called before the asking
    thread computes a result itself.
    """

    def __init__(
        self, perform: Perform, beside: Callable[[Words], bool], waits: Callable[[], None] = lambda: None
    ) -> None:
        self.perform = perform
        self.may_prefetch = beside
        self.on_wait = waits
        self.futures: dict[Words, Future[Result | None]] = {}
        self.one_at_a_time = Lock()
        self.queue: SimpleQueue[Words | None] = SimpleQueue()

    def __enter__(self) -> Prefetcher:
        Thread(target=self.work_off_queue, daemon=True).start()  # a daemon: leaving the walk does not wait for it
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for future in self.futures.values():
            future.cancel()
        self.queue.put(None)

    def run_now(self, words: Words) -> Result:
        """The result of a command, computed now."""
        with self.one_at_a_time:
            return self.perform(words)

    def run_in_thread(self, words: Words) -> Result | None:
        """The result of a command, computed in the second thread; None if the command may not run there."""
        return self.run_now(words) if self.may_prefetch(words) else None

    def work_off_queue(self) -> None:
        """Compute the queued commands, one after the other."""
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT])  # meant for the thread that reads the terminal
        while (words := self.queue.get()) is not None:
            future = self.futures[words]
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self.run_in_thread(words))
                except BaseException as error:  # raised again where the result is asked for
                    future.set_exception(error)

    def prefetch(self, commands: Iterable[Words]) -> None:
        """Queue commands to be computed in this order."""
        for words in commands:
            if words not in self.futures:
                self.futures[words] = Future()
                self.queue.put(words)

    def __call__(self, words: Words) -> Result:
        """The result of a command: prefetched, or computed in this thread."""
        future = self.futures.get(words)
        if future is not None and not future.cancel():  # waiting behind other commands would take longer
            result = future.result()
            if result is not None:
                return result
        self.on_wait()
        return self.run_now(words)
