"""The parent's end of the two pipes: one request out, one reply back, and nobody can make the caller wait."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue

from attention_lab.sandbox.frames import BadFrame, Value, pack_message, read_message

Reply = tuple[bytes, Value]


class Channel:
    """Sends requests and reads replies in a thread of its own: one reply is read for each request, never more."""

    def __init__(self, to: int, back: int, most: int) -> None:
        self._to, self._back, self._most = to, back, most
        self._inbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._outbox: SimpleQueue[Reply | BadFrame | EOFError] = SimpleQueue()
        self._thread = threading.Thread(target=self._exchange, daemon=True)
        self._thread.start()

    def _take(self, size: int) -> bytes:
        """Read exactly this many bytes of the reply. Raises EOFError at its end."""
        parts = []
        while size:
            part = os.read(self._back, min(size, 2**20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _exchange(self) -> None:
        """Exchange messages until told to stop, or until the other side is gone or sends no message."""
        while (message := self._inbox.get()) is not None:
            try:
                view = memoryview(message)
                while view:
                    view = view[os.write(self._to, view) :]
                self._outbox.put(read_message(self._take, self._most))
            except (OSError, EOFError):
                self._outbox.put(EOFError())
                return
            except BadFrame as reason:
                self._outbox.put(reason)
                return

    def send(self, request: dict[str, Value]) -> bytes:
        """Queue a request; the nonce that its reply must carry."""
        nonce = os.urandom(16)
        self._inbox.put(pack_message(nonce, request))
        return nonce

    def receive(self, nonce: bytes, seconds: float) -> Value:
        """The reply to a request. Raises queue.Empty when time is up, EOFError when nobody is left, BadFrame."""
        got = self._outbox.get(timeout=max(seconds, 0.001))
        if isinstance(got, Exception):
            raise got
        if got[0] != nonce:
            raise BadFrame("an answer to what was not asked")
        return got[1]

    def close(self) -> None:
        """Stop; the other side must be gone."""
        self._inbox.put(None)
        self._thread.join(1)
