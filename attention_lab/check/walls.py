"""What keeps a learner's process in: limits, and where the system has more, what the kernel offers.

Standard library only, and imports nowhere that fails where the system has less: then the wall is not there, and
`probes` says so. Each wall is a name; one that stands in `without` is left out (that is how the tests show that it is
needed).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from typing import Any

LINUX = sys.platform == "linux"
PR_SET_CHILD_SUBREAPER = 36

Settings = dict[str, Any]


def libc() -> Any:
    """The C library."""
    return ctypes.CDLL(None, use_errno=True)


def limit(limits: Settings, without: list[str]) -> None:
    """Limits of this process and all below it: address space, processor time, size of a file, open files."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        "memory": (resource.RLIMIT_AS, limits["memory"]),
        "time": (resource.RLIMIT_CPU, limits["cpu"]),
        "file size": (resource.RLIMIT_FSIZE, limits["file"]),
        "open files": (resource.RLIMIT_NOFILE, limits["files"]),
        "core": (resource.RLIMIT_CORE, 0),
    }
    for name, (which, most) in wanted.items():
        if name not in without:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (most, most))


def adopt(without: list[str]) -> None:
    """Become the parent of every process below that loses its own, so that none can slip away."""
    if LINUX and "tree" not in without:
        libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """The processes whose parent is this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:
            if int(stream.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(name))
    return found


def end_all(without: list[str], seconds: float = 5.0) -> None:
    """End every process below this one: those that lose their parent by it come to us, until there is none."""
    if not LINUX or "tree" in without:
        return
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in children():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def probes(settings: Settings) -> list[tuple[str, bool, str]]:
    """Each protection, whether it holds here, and why (not)."""
    return [("environment", True, "")] if settings else []
