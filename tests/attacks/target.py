"""A world to attack: files beside, a variable, a port, the parent itself; and whether a submission gained anything."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import attention_lab
from attention_lab.errors import LabError
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import CallFailed, Limits
from attention_lab.transformer import attention

SMALL = Limits(
    seconds=1.0,
    loading=6.0,
    cpu=8,
    memory=2**30,
    output=2000,
    file=2**18,
    disk=2**22,
    processes=8,
    reply=2**20,
)


@dataclass
class Outcome:
    """What a submission came to: whether it was right, what it gained, what it said, how long it took."""

    right: bool
    gained: tuple[str, ...]
    failure: str
    output: str
    seconds: float


def right(child: Child) -> bool:
    """Whether `attention` computes what the model does, on numbers drawn now. The comparison is the parent's alone."""
    rng = np.random.default_rng(secrets.randbits(64))
    query, key, value = (rng.normal(size=(2, 5, 3)) for _ in range(3))
    found = child.call("attention", (query, key, value))
    expected = attention(query, key, value)[0]
    same_form = isinstance(found, np.ndarray) and found.shape == expected.shape and found.dtype == expected.dtype
    return same_form and bool(np.max(np.abs(found - expected)) < 1e-9)


def snapshot(folder: Path) -> dict[str, tuple[bytes, int, float]]:
    """Every file below a folder: what is in it, who may do what, when it was changed."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime) for path in files}


def processes(*marks: str) -> list[int]:
    """The processes with one of these words on their command line."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc") if sys.platform == "linux" else []):
        try:
            line = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if int(name) != os.getpid() and any(mark.encode() in line for mark in marks):
            found.append(int(name))
    return found


def acts(text: str) -> bool:
    """Whether a text holds what acts on a terminal."""
    return any(unicodedata.category(sign) in ("Cc", "Cf") and sign not in "\n\t" for sign in text)


class World:
    """What an attack aims at."""

    def __init__(self, folder: Path) -> None:
        self.beside = folder / "beside"
        self.beside.mkdir()
        self.token, self.secret, self.marker = (
            f"{word}{secrets.token_hex(12)}" for word in ("token", "secret", "mark")
        )
        (self.beside / "neighbour.py").write_text(f"# {self.secret}\n")
        os.environ["ATTN_LAB_CANARY"] = self.secret
        self.memory = self.secret.encode()  # in the parent, at an address that the attack is told
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.signals: list[int] = []
        self.old = signal.signal(signal.SIGUSR1, lambda number, _: self.signals.append(number))

    def close(self) -> None:
        signal.signal(signal.SIGUSR1, self.old)
        self.server.close()
        del os.environ["ATTN_LAB_CANARY"]

    def filled(self, text: str) -> str:
        """An attack with the words in << >> filled in."""
        words = {
            "token": self.token,
            "marker": self.marker,
            "beside": str(self.beside),
            "package": str(Path(attention_lab.__file__).parents[1]),
            "parent": str(os.getpid()),
            "address": str(id(self.memory) + sys.getsizeof(b"") - 1),
            "port": str(self.server.getsockname()[1]),
            "processes": str(SMALL.processes),
            "memory": str(SMALL.memory),
            "file": str(SMALL.file),
            "disk": str(SMALL.disk),
            "cpu": str(SMALL.cpu),
        }
        for word, meant in words.items():
            text = text.replace(f"<<{word}>>", meant)
        return text

    def connected(self) -> bool:
        try:
            self.server.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def attacked(self, text: str, without: Sequence[str] = (), limits: Limits = SMALL) -> Outcome:
        """Judge a submission, and see what it gained."""
        file = self.beside.parent / "submission.py"
        file.write_text(self.filled(text))
        before, start = snapshot(self.beside), time.monotonic()
        is_right, failure, said = False, "", []
        child = Child(file, limits, _without=without)
        try:
            definitions, code_errors = child.definitions, child.code_errors
            said += [repr(definitions), *(text for one in code_errors for text in (one.kind, one.message, one.text))]
            is_right = right(child)
        except CallFailed as error:
            failure = str(error)
        except LabError as error:
            failure = str(error)
        folder = child.folder
        child.close()
        output = child._output
        seconds = time.monotonic() - start
        said += [output, failure]
        left = processes(folder.name, self.marker)
        gained = {
            "token": any(self.token in text for text in said),
            "secret": any(self.secret in text for text in said),
            "files": snapshot(self.beside) != before or (folder.parent / self.marker).exists(),
            "folder": folder.exists(),
            "survivor": bool(left),
            "network": self.connected(),
            "signal": bool(self.signals),
            "escape": any(acts(text) for text in said),
            "output": len(output) > limits.output,
        }
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return Outcome(is_right, tuple(name for name, it in gained.items() if it), failure, output, seconds)
