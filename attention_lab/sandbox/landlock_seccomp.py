"""Two Linux walls around a process that it can never take down again: Landlock (files), seccomp (system calls).

Both by system calls through ctypes, as Python has no names for them. Every function raises OSError where the kernel has
not got its wall.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from functools import cache
from stat import S_ISDIR
from typing import Any

PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
DAC_READ_SEARCH = 2  # the one capability that is kept: root may then still read an installation of somebody else's


@cache
def libc() -> Any:
    """The C library."""
    return ctypes.CDLL(None, use_errno=True)


def call_libc(name: str, *arguments: Any) -> int:
    """The result of a C function. Raises OSError where it is -1."""
    result = getattr(libc(), name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return int(result)


def no_new_privileges() -> None:
    """Let no program that this process starts have more rights than it has."""
    call_libc("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def drop_capabilities() -> None:
    """Give up every capability of root but reading."""
    head = struct.pack("Ii", 0x20080522, 0)
    kept = 1 << DAC_READ_SEARCH
    with contextlib.suppress(OSError):  # an ordinary user has none to give up
        call_libc("capset", head, struct.pack("6I", kept, kept, 0, 0, 0, 0))
        return
    call_libc("capset", head, bytes(24))


# ---- Landlock: which files ----

READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, list a folder
WRITE = 1 << 1 | 1 << 4 | 1 << 5 | sum(1 << bit for bit in range(6, 13))  # write, remove, make
SINCE = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # version: rename across folders, truncate, ioctl of devices
OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15  # rights that a rule on a single file may hold
MADE = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11  # devices, sockets, pipes: not even in its own folder
TCP = 1 << 0 | 1 << 1  # bind, connect; since version 4
SCOPES = 1 << 0 | 1 << 1  # sockets without a file, signals; since version 6


def landlock_version() -> int:
    """The version of Landlock that the kernel has."""
    return call_libc("syscall", 444, None, ctypes.c_size_t(0), 1)


def confine(read: Iterable[str], write: Iterable[str], reading: bool, writing: bool, network: bool) -> None:
    """Restrict this process: read only beneath `read`, write only beneath `write`, signal nobody outside.

    `reading`, `writing` and `network` switch these protections on.
    """
    version = landlock_version()
    writes = WRITE | sum(right for since, right in SINCE.items() if version >= since)
    handled = (READ if reading else 0) | (writes if writing else 0)
    tcp = TCP if network and version >= 4 else 0
    attributes = struct.pack("QQQ", handled, tcp, SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = call_libc("syscall", 444, attributes, ctypes.c_size_t(size), 0)

    def allow(path: str, rights: int) -> None:
        with contextlib.suppress(OSError):  # what is not there needs no rule
            place = os.open(path, os.O_PATH)
            try:
                rights &= handled if S_ISDIR(os.fstat(place).st_mode) else handled & OF_FILES
                if rights:
                    call_libc("syscall", 445, rules, 1, struct.pack("=Qi", rights, place), 0)
            finally:
                os.close(place)

    for path in read:
        allow(path, READ)
    for path in write:
        allow(path, (READ | writes) & ~MADE)
    try:
        call_libc("syscall", 446, rules, 0)
    finally:
        os.close(rules)


# ---- seccomp: which system calls ----

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column below, and how the kernel calls it
ABSENT = -1
CALLS = {  # refused calls, by what they would reach: numbers on x86_64 and on aarch64
    "processes": {
        "fork": (57, ABSENT), "vfork": (58, ABSENT), "execve": (59, 221), "execveat": (322, 281),
    },
    "network": {
        "socket": (41, 198), "socketpair": (53, 199), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
    },
    "other processes": {
        "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
        "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
        "process_madvise": (440, 440), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
        "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
        "perf_event_open": (298, 241), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
        "setpriority": (141, 140), "ioprio_set": (251, 30),
    },
    "memory": {  # of files in memory, which no limit counts
        "memfd_create": (319, 279), "memfd_secret": (447, 447),
    },
    "writing": {  # Landlock does not look at these
        "chmod": (90, ABSENT), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
        "chown": (92, ABSENT), "fchown": (93, 55), "lchown": (94, ABSENT), "fchownat": (260, 54),
        "utime": (132, ABSENT), "utimes": (235, ABSENT), "futimesat": (261, ABSENT), "utimensat": (280, 88),
        "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
        "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
        "truncate": (76, 45), "flock": (73, 32),
    },
    "kernel": {
        "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
        "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
        "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
        "bpf": (321, 280), "userfaultfd": (323, 282), "fanotify_init": (300, 262), "inotify_add_watch": (254, 27),
        "open_by_handle_at": (304, 265), "syslog": (103, 116),
    },
}  # fmt: skip
CLONE, CLONE3 = (56, 220), (435, 435)
CLONE_THREAD = 0x10000
OWN = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)}  # allowed for this very process
OWN_OR_0 = {  # allowed for this very process, which may also call itself 0
    "prlimit64": (302, 261), "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274),
}  # fmt: skip
COMMANDS = {  # refused by the second argument, by what they would reach
    "other processes": {  # signals by way of a descriptor, leases that let others wait for a file, news of a folder
        (72, 25): (8, 10, 15, 1024, 1026),  # fcntl: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
    },
    "writing": {  # flags of a file that may only be read, keys of a terminal
        (16, 29): (0x40086602, 0x40046602, 0x401C5820, 0x5412, 0x541C),  # ioctl
    },
}
LOAD, JUMP_EQUAL, JUMP_SET, JUMP_FROM, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06  # instructions of the filter
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # where the filter finds the call's number, the machine, arguments


def instruction(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """One instruction; `yes` and `no` are the numbers of instructions to skip."""
    return struct.pack("HBBI", code, yes, no, value)


def refuse_call(number: int, reason: int = errno.EPERM) -> bytes:
    """Refuse a system call."""
    return instruction(JUMP_EQUAL, number, 0, 1) + instruction(RETURN, REFUSE | reason)


def allow_only(number: int, test: int, values: Iterable[int]) -> bytes:
    """Refuse a system call unless its first argument passes the test with one of these values."""
    inner = [instruction(LOAD, FIRST)]
    for value in values:
        inner += [instruction(test, value, 0, 1), instruction(RETURN, ALLOW)]
    inner.append(instruction(RETURN, REFUSE | errno.EPERM))
    return instruction(JUMP_EQUAL, number, 0, len(inner)) + b"".join(inner)


def refuse_values(number: int, values: Iterable[int]) -> bytes:
    """Refuse a system call if its second argument is one of these."""
    inner = [instruction(LOAD, SECOND)]
    for value in values:
        inner += [instruction(JUMP_EQUAL, value, 0, 1), instruction(RETURN, REFUSE | errno.EPERM)]
    inner.append(instruction(RETURN, ALLOW))
    return instruction(JUMP_EQUAL, number, 0, len(inner)) + b"".join(inner)


def filter_program(machine: str, pid: int, walls: Iterable[str]) -> bytes:
    """The filter for a process of this number; `walls` are keys of CALLS and COMMANDS."""
    column, architecture = MACHINES[machine]
    wanted = set(walls)
    parts = [
        instruction(LOAD, ARCHITECTURE),
        instruction(JUMP_EQUAL, architecture, 1, 0),
        instruction(RETURN, KILL),
        instruction(LOAD, NUMBER),
    ]
    if machine == "x86_64":  # the same calls by other numbers
        parts += [instruction(JUMP_FROM, 0x40000000, 0, 1), instruction(RETURN, REFUSE | errno.ENOSYS)]
    numbers = [call[column] for wall, calls in CALLS.items() if wall in wanted for call in calls.values()]
    parts += [refuse_call(number) for number in numbers if number != ABSENT]
    if "processes" in wanted:  # threads are no processes; of clone3 the filter cannot see which it is
        parts += [refuse_call(CLONE3[column], errno.ENOSYS), allow_only(CLONE[column], JUMP_SET, [CLONE_THREAD])]
    if "other processes" in wanted:
        parts += [allow_only(call[column], JUMP_EQUAL, [pid]) for call in OWN.values()]
        parts += [allow_only(call[column], JUMP_EQUAL, [0, pid]) for call in OWN_OR_0.values()]
    for wall in wanted & COMMANDS.keys():
        parts += [refuse_values(call[column], values) for call, values in COMMANDS[wall].items()]
    return b"".join([*parts, instruction(RETURN, ALLOW)])


def has_seccomp() -> bool:
    """Whether a filter exists for this machine."""
    return sys.platform == "linux" and platform.machine() in MACHINES


def filter_calls(walls: Iterable[str]) -> None:
    """Refuse this process the system calls that reach over these walls."""
    if not has_seccomp():
        raise OSError(errno.ENOSYS, f"no filter of system calls for {platform.machine()}")
    code = filter_program(platform.machine(), os.getpid(), walls)
    text = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text))
    call_libc("prctl", PR_SET_SECCOMP, 2, head, 0, 0)
