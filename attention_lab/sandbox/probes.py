"""Probes of each protection, run in the learner's process before the learner's code is loaded.

A probe has the name of its protection. It attempts an attack and returns None where the attack was stopped, else why
the protection does not hold. Only what cannot be tried without harm (a fork bomb, 120 s of work) is tried at its
edge.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import time
from collections.abc import Callable
from typing import Any

from . import landlock_seccomp

Settings = dict[str, Any]
Outcome = tuple[str, bool, str]


def start_orphan(settings: Settings) -> int:
    """Start an orphan with a session of its own; the descriptor on which it reports its new parent."""
    if not hasattr(os, "fork"):
        return -1
    back, to = os.pipe()
    if os.fork() == 0:
        middle = os.getpid()
        if os.fork() == 0:
            os.setsid()
            end = time.monotonic() + settings["limits"]["loading"] / 4
            while os.getppid() == middle and time.monotonic() < end:
                time.sleep(0.0005)
            os.write(to, str(os.getppid()).encode())
        os._exit(0)
    os.close(to)
    return back


def tree(settings: Settings) -> str | None:
    """A process that has lost its parent and made a session of its own ends with the check."""
    back = settings["orphan"]
    if back < 0:
        return "this system does not say which processes a process has started"
    adopted = int(os.read(back, 32) or -1)
    os.close(back)
    if adopted != settings["watcher"]:
        return "a process that loses its parent leaves the tree"
    if adopted != 1:
        with contextlib.suppress(OSError):
            os.kill(adopted, 0)
            return "a process can end the one that watches over it"
    return None


def memory(settings: Settings) -> str | None:
    """More memory than the limit is refused, and files in memory, which no limit counts. Nothing of it is touched."""
    with contextlib.suppress(OSError, MemoryError, ValueError, OverflowError):
        mmap.mmap(-1, settings["limits"]["memory"]).close()
        return "this system does not limit a process's memory"
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(OSError):
            os.close(os.memfd_create("probe"))
            return "files in memory are not limited"
    return None


def processor_time(settings: Settings) -> str | None:
    """Processor time is limited."""
    try:
        import resource
    except ImportError:
        return "this system does not limit a process's time; the wall clock does"
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    return None if most == settings["limits"]["cpu"] else "the limit of processor time was not taken"


def processes(settings: Settings) -> str | None:
    """A new process is refused, at the latest when there are as many as the limit allows."""
    if not hasattr(os, "fork"):
        return "this system does not limit the number of processes"
    started: list[int] = []
    hold, end = os.pipe()
    try:
        for _ in range(settings["limits"]["processes"] + 1):
            pid = os.fork()
            if pid == 0:
                os.close(end)
                os.read(hold, 1)  # until the other end is closed
                os._exit(0)
            started.append(pid)
    except OSError:
        return None
    finally:
        os.close(end)
        os.close(hold)
        for pid in started:
            os.waitpid(pid, 0)
    return "the system does not count root's processes" if os.getuid() == 0 else "more processes than the limit"


def file_size(settings: Settings) -> str | None:
    """A file larger than the limit is refused. It would be all holes."""
    try:
        with open("probe", "wb") as stream:
            stream.truncate(settings["limits"]["file"] + 1)
    except OSError:
        return None
    finally:
        with contextlib.suppress(OSError):
            os.remove("probe")
    return "this system does not limit the size of a file"


def environment(settings: Settings) -> str | None:
    """Nothing is in the environment but what was put there."""
    added = set(os.environ) - {*settings["environment"], "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    return f"it holds {', '.join(sorted(added))[:80]}" if added else None


def folder(settings: Settings) -> str | None:
    """The working folder is private, empty and its own."""
    if os.path.realpath(os.getcwd()) != os.path.realpath(settings["folder"]) or os.listdir():
        return "the working folder is not its own"
    return None if os.name == "nt" or os.stat(".").st_mode & 0o077 == 0 else "others may enter the working folder"


def disk(settings: Settings) -> str | None:
    """The private folder has a limit as a whole."""
    if hasattr(os, "statvfs"):
        found = os.statvfs(".")
        if found.f_blocks * found.f_frsize <= settings["limits"]["disk"]:
            return None
    return "only the size of each file is limited, not their number"


def reading(settings: Settings) -> str | None:
    """The files beside the private folder, and this package, are out of reach."""
    for path in (settings["canary"], __file__):
        with contextlib.suppress(OSError), open(path, "rb") as stream:
            stream.read(1)
            return f"{os.path.basename(path)}, outside the folder, could be read"
    return None


def writing(settings: Settings) -> str | None:
    """No file outside the private folder can be made, changed, or given to others to read."""
    beside = os.path.join(os.path.dirname(settings["canary"]), "written")
    attempts: dict[str, Callable[[], object]] = {
        "made": lambda: os.close(os.open(beside, os.O_CREAT | os.O_WRONLY)),
        "changed": lambda: os.close(os.open(settings["canary"], os.O_WRONLY)),
        "made executable": lambda: os.chmod(settings["canary"], 0o700),
    }
    for done, attempt in attempts.items():
        with contextlib.suppress(OSError):
            attempt()
            return f"a file outside the folder could be {done}"
    return None


def network(settings: Settings) -> str | None:
    """There is no way to a network: no socket, or only one in a network of its own."""
    import _socket

    try:
        _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).close()
    except PermissionError:
        return None
    with contextlib.suppress(OSError):
        if os.stat("/proc/self/ns/net").st_ino != settings["network"]:
            return None
    return "a socket could be opened"


def signals(settings: Settings) -> str | None:
    """It cannot signal the checker."""
    with contextlib.suppress(OSError):
        os.kill(settings["parent"], 0)
        return "the checker could be sent a signal"
    return None


def other_memory(settings: Settings) -> str | None:
    """It cannot look into the checker's memory, by a file or by a system call."""
    with contextlib.suppress(OSError), open(f"/proc/{settings['parent']}/mem", "rb"):
        return "the memory of the checker could be opened"
    if not hasattr(os, "fork") or os.uname().sysname != "Linux":
        return "this system was not tried"
    here = ctypes.create_string_buffer(16)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8)
    nowhere = (ctypes.c_void_p * 2)(8, 8)
    try:
        landlock_seccomp.call_libc("process_vm_readv", settings["parent"], vector, 1, nowhere, 1, 0)
    except OSError as reason:
        return "the memory of the checker could be read" if reason.errno == errno.EFAULT else None
    except AttributeError:  # a C library without it
        return None
    return "the memory of the checker could be read"


PROBES: dict[str, Callable[[Settings], str | None]] = {
    "tree": tree,
    "memory": memory,
    "processor time": processor_time,
    "processes": processes,
    "file size": file_size,
    "disk": disk,
    "environment": environment,
    "folder": folder,
    "reading": reading,
    "writing": writing,
    "network": network,
    "signals": signals,
    "other memory": other_memory,
}


def try_protections(settings: Settings) -> list[Outcome]:
    """Each protection: name, whether it holds here, and the reason if not."""
    outcomes: list[Outcome] = []
    failed = "; ".join(settings["failed"])
    for name, probe in PROBES.items():
        try:
            reason = probe(settings)
        except Exception as error:
            reason = f"could not be tried ({type(error).__name__}: {error})"
        outcomes.append((name, reason is None, f"{reason} ({failed})" if reason and failed else reason or ""))
    return outcomes
