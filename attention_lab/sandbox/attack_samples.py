"""Attacks on our own sandbox, run in it like a learner's file; each function attempts the attack in its name.

A function that returns was not stopped, and says what it did; one that raises was stopped.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import time

import numpy as np


def network(port: int) -> str:
    """Reach a server of this machine."""
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return "it reached a server"


def read(path: str) -> str:
    """Read somebody else's file."""
    with open(path, encoding="utf-8") as stream:
        return f"it read {len(stream.read())} characters"


def write(path: str) -> str:
    """Change somebody else's file."""
    with open(path, "a", encoding="utf-8") as stream:
        stream.write("changed")
    return "it wrote"


def permit(path: str) -> str:
    """Give somebody else's file to everybody."""
    os.chmod(path, 0o777)  # noqa: S103 (that is the attack)
    return "it changed who may read the file"


def environment(name: str) -> str:
    """Read a variable of the checker's environment."""
    os.environ[name]
    return "it read the variable"


def processes(most: int) -> str:
    """Start more processes than there may be."""
    started = 0
    for _ in range(most + 1):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        started += 1
    return f"it started {started}"


def memory(size: int) -> str:
    """Ask for more bytes than there may be."""
    return f"it got {np.empty(size, dtype=np.int8).nbytes:,} bytes"


def large_file(size: int) -> str:
    """Write more bytes than a file may hold."""
    with open("large", "wb") as stream:
        stream.truncate(size)
    return f"it made a file of {size:,} bytes"


def signals(pid: int) -> str:
    """Send the checker a signal; this one does nothing."""
    os.kill(pid, 0)
    return "it could send a signal"


def trace(pid: int) -> str:
    """Attach to the checker as a debugger does."""
    if ctypes.CDLL(None, use_errno=True).ptrace(0x4206, pid, None, None):
        raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "it attached to the checker"


def peek(pid: int) -> str:
    """Open the checker's memory."""
    with open(f"/proc/{pid}/mem", "rb"):
        return "it opened the memory"


def survive() -> None:
    """Leave a process behind that has its own session and ignores signals. The checker looks whether it lives."""
    ready, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            os.write(tell, b".")
            time.sleep(20)
        os._exit(0)
    os.read(ready, 1)  # it is out of reach before this returns


def never_end() -> None:
    """Catch everything and go on."""
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: S112 (that is the attack)
            continue


def forge() -> None:
    """Write to every descriptor there is."""
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, bytes(64))
        except OSError:
            continue
