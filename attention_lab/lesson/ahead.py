"""Results computed ahead, by a thread beside the one in which a person reads, so that a key press need not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
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
        self.thread = ThreadPoolExecutor(1)

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)

    def run(self, words: Words) -> Result:
        """The result of a command, computed now."""
        with self.one_at_a_time:
            return self.perform(words)

    def run_beside(self, words: Words) -> Result | None:
        """The same in the thread beside; None for a command that may not run there."""
        return self.run(words) if self.beside(words) else None

    def prepare(self, commands: Iterable[Words]) -> None:
        """Begin to compute what will be asked for, in this order."""
        for words in commands:
            if words not in self.coming:
                self.coming[words] = self.thread.submit(self.run_beside, words)

    def __call__(self, words: Words) -> Result:
        """The result of a command: the one that is on its way, or computed in this thread."""
        future = self.coming.get(words)
        if future is not None and not future.cancel():  # waiting behind others would take longer
            result = future.result()
            if result is not None:
                return result
        self.waits()
        return self.run(words)
