"""Isolation of a learner's process: limits, namespaces, Landlock and seccomp, as far as the system has them.

Standard library only, and nothing here fails where the system has less: then the wall is not there, and `probes.py`
finds that out. Each wall has the name of the protection that it is for; one that stands in `without` is left out, which
is how the tests show that it is needed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

from . import landlock_seccomp

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NETWORK = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
INSIDE = 1000  # our user's number in a namespace of its own
PACKAGE = "attention_lab"
PLACES = ("site-packages", "dist-packages")  # where packages lie, inside the folder of the standard library too
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
SYSTEM = (
    "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/dev/zero", "/dev/random", "/dev/urandom",
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu",
)  # fmt: skip

Settings = dict[str, Any]


# ---- limits ----


def process_ids() -> list[str]:
    """Ids of all visible processes, as strings; none where the system has no /proc."""
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def count_tasks() -> int:
    """Number of processes and threads of this user."""
    found = 0
    for name in process_ids():
        with contextlib.suppress(OSError):
            found += len(os.listdir(f"/proc/{name}/task")) if os.stat(f"/proc/{name}").st_uid == os.getuid() else 0
    return found


def set_limits(limits: Settings, without: list[str], own_user: bool) -> None:
    """Limit this process and its descendants: memory, processor time, size of a file, open files, processes."""
    try:
        import resource
    except ImportError:  # Windows
        return
    others = count_tasks() if LINUX and not own_user and "processes" not in without else 0  # they count, too
    untold = LINUX and not own_user and not others
    wanted = {
        "memory": (resource.RLIMIT_AS, limits["memory"]),
        "processor time": (resource.RLIMIT_CPU, limits["cpu"]),
        "file size": (resource.RLIMIT_FSIZE, limits["file"]),
        "open files": (resource.RLIMIT_NOFILE, limits["files"]),
        "processes": (resource.RLIMIT_NPROC, others + limits["processes"]),
        "core": (resource.RLIMIT_CORE, 0),
    }
    for name, (which, most) in wanted.items():
        if name not in without and not (name == "processes" and untold):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (most, most))


# ---- namespaces ----


def all_owned(paths: list[str]) -> bool:
    """Whether this user owns all these paths: in a namespace that knows only root, root cannot read others' files."""
    return all(os.stat(path).st_uid == os.geteuid() for path in paths if os.path.exists(path))


def enter_namespaces(settings: Settings) -> bool:
    """Give the next child a PID namespace, whose processes the kernel ends with it. True if that succeeded."""
    without = settings["without"]
    if not LINUX or "tree" in without or "other processes" in without or "namespaces" in without:
        return False
    user, group = os.geteuid(), os.getegid()
    as_other = user != 0 or all_owned([*sys.path, *settings["path"]])
    if as_other and not os.access("/proc/self/uid_map", os.W_OK):  # nobody without a name can make a file
        return False
    try:
        landlock_seccomp.call_libc("unshare", NEW_PIDS | (NEW_USER if as_other else 0))
    except OSError:
        return False
    if as_other:
        with contextlib.suppress(OSError):  # without names for user and group it still holds
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{INSIDE} {user} 1"),
                ("gid_map", f"{INSIDE} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as stream:
                    stream.write(text)
    return True


def mount_folder(settings: Settings) -> None:
    """Mount a file system in memory, of limited size, as the private folder; it goes with the namespace."""
    size = f"size={settings['limits']['disk']},nr_inodes=4096,mode=0700".encode()
    with contextlib.suppress(OSError):
        landlock_seccomp.call_libc("unshare", NEW_MOUNTS)
        if "disk" in settings["without"]:
            size = b"mode=0700"
        # flags 6: no devices, no set-user-id
        landlock_seccomp.call_libc("mount", b"none", settings["folder"].encode(), b"tmpfs", 6, size)
    if not landlock_seccomp.has_seccomp() and "network" not in settings["without"]:
        with contextlib.suppress(OSError):
            landlock_seccomp.call_libc("unshare", NEW_NETWORK | NEW_IPC)


# ---- the tree of processes ----


def set_undumpable() -> None:
    """Forbid processes of the same user to inspect this one."""
    if LINUX:
        landlock_seccomp.call_libc("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)


def end_with_parent() -> None:
    """Have this process killed when its parent ends."""
    landlock_seccomp.call_libc("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def become_subreaper(without: list[str]) -> None:
    """Become the new parent of every orphaned descendant, so that none can slip away."""
    if LINUX and "tree" not in without:
        landlock_seccomp.call_libc("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def child_ids() -> Iterator[int]:
    """Ids of the processes whose parent is this one."""
    for name in process_ids():
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:
            if int(stream.read().rpartition(b")")[2].split()[1]) == os.getpid():
                yield int(name)


def end_descendants(without: list[str], seconds: float = 5.0) -> None:
    """End every descendant. Orphans become children of this process (see `become_subreaper`), until none is left."""
    if "tree" in without:
        return
    if not LINUX:  # a process that called setsid() escapes this
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with contextlib.suppress(OSError):
            os.killpg(0, signal.SIGTERM)
        return
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in child_ids():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0 if process_ids() else os.WNOHANG)
        except ChildProcessError:
            return
        time.sleep(0 if process_ids() else 0.01)


def remove_tree(folder: str | os.PathLike[str]) -> None:
    """Remove a private folder, however deep or write-protected a learner's code left it."""
    top, number = os.fspath(folder), 0
    waiting = [top]
    while waiting:
        path = waiting.pop()
        with contextlib.suppress(OSError):
            os.chmod(path, 0o700)
            for entry in os.scandir(path):
                if not entry.is_dir(follow_symlinks=False):
                    os.remove(entry.path)
                elif path == top:
                    waiting.append(entry.path)
                else:  # bring it up, so that no path grows too long
                    number += 1
                    waiting.append(os.path.join(top, f"{number}.moved"))
                    os.rename(entry.path, waiting[-1])
            if path != top:
                os.rmdir(path)
    with contextlib.suppress(OSError):
        os.rmdir(top)


# ---- what the learner's process may reach ----


def entries_of(folder: str, without: tuple[str, ...] = (), only: str = "") -> Iterator[str]:
    """Paths in a folder whose names contain `only` and begin with none of `without`."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(without) and only in entry.name:
                yield entry.path


def holds_package(path: str) -> bool:
    """Whether this package, with the answers in it, lies in this folder of Python's."""
    return any(os.path.exists(os.path.join(path, place, PACKAGE)) for place in ("", *PLACES))


def readable_paths(paths: list[str]) -> Iterator[str]:
    """Paths that Python and its packages read. Of a folder that also holds this package, the other entries."""
    yield from SYSTEM
    for path in paths:
        yield from entries_of(path, (PACKAGE, *PLACES)) if holds_package(path) else [path]
    for path in LIBRARIES:
        yield from entries_of(path, ("python",), ".so")
        yield from entries_of(path, ("python",), "-linux-")
        yield from (f"{path}/{name}" for name in ("atlas", "blas", "lapack", "openblas"))
    yield from entries_of("/usr/lib64", ("python",))
    yield from entries_of(f"{sys.base_prefix}/lib", ("python",), ".so")
    yield "/nix/store"


def put_up_walls(settings: Settings) -> list[str]:
    """Restrict this process by Landlock and seccomp, for good; returns which of them is missing, and why."""
    without, failed = settings["without"], []
    if not LINUX:
        return [f"{sys.platform} has no Landlock and no seccomp"]
    with contextlib.suppress(OSError):
        landlock_seccomp.no_new_privileges()
        if "other processes" not in without:
            landlock_seccomp.drop_capabilities()
    if "other processes" not in without:  # Landlock guards the others in any case
        reading, writing, network = (name not in without for name in ("reading", "writing", "network"))
        try:
            landlock_seccomp.confine(
                readable_paths(sys.path), [settings["folder"], "/dev/null"], reading, writing, network
            )
        except OSError as reason:
            failed.append(f"no Landlock ({reason.strerror})")
    try:
        landlock_seccomp.filter_calls(wall for wall in landlock_seccomp.CALLS if wall not in without)
    except OSError as reason:
        failed.append(f"no seccomp ({reason.strerror})")
    return failed
