"""Attacks on our own sandbox on this machine: whether each was stopped, and by what."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_lab.result import Note, Part, Result, Statement, table
from attention_lab.sandbox.isolation import process_ids
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import LEVELS, BadReply, Died, Limits, Protection, Raised, TimedOut
from attention_lab.text import listed

FILE = Path(__file__).with_name("attack_samples.py")
LIMITS = Limits(seconds=1.0, memory=2**30, processes=8)
VARIABLE = "ATTN_LAB_CANARY"


@dataclass(frozen=True)
class Attack:
    """A function of `attack_samples.py`, the claim that it fails, and its arguments.

    `looked` inspects the outcome from outside: the reason why the attack succeeded, or "".
    """

    function: str
    claim: str
    arguments: tuple[Any, ...] = ()
    looked: Callable[[Child], str] = lambda _: ""


def left_behind(child: Child) -> str:
    """Close the child; a sentence on processes that it left behind, which are ended, or ""."""
    folder = child.folder.name  # in ASCII, whatever TMPDIR is called; the command line has the rest in escapes
    child.close()
    left: list[int] = []
    if not process_ids():
        return "this system does not show whether a process is left"
    for name in process_ids():
        with contextlib.suppress(OSError):
            if folder.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                left.append(int(name))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return f"{len(left)} processes were left" if left else ""


def run_attack(child: Child, attack: Attack) -> tuple[bool, str]:
    """Run an attack: whether it was stopped, and what was seen."""
    start = time.monotonic()
    try:
        said = child.call(attack.function, attack.arguments)
        stopped, seen = said is None, str(said or "it did nothing")
    except Raised as error:
        stopped, seen = True, f"{error.code_error.kind}: {error.code_error.message}"
    except TimedOut:
        stopped, seen = True, f"ended after {time.monotonic() - start:.1f} s"
    except (Died, BadReply) as error:
        stopped, seen = True, error.what
    found = attack.looked(child)
    return stopped and not found, found or seen


@contextmanager
def environment_variable(name: str, value: str) -> Iterator[None]:
    """Set a variable of our own environment while the block runs."""
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def attacks(beside: Path, port: int) -> tuple[Attack, ...]:
    """All attacks, on a file beside the sandbox and on a server of ours at this port."""
    before = beside.read_bytes(), beside.stat().st_mode

    def changed(_: Child) -> str:
        return "" if (beside.read_bytes(), beside.stat().st_mode) == before else "the file has changed"

    here, file = os.getpid(), str(beside)
    return (
        Attack("network", "It reaches no server.", (port,)),
        Attack("read", "It reads nobody else's file.", (file,)),
        Attack("read", "It does not read the model, which is the answer.", (str(FILE.parents[1] / "transformer.py"),)),
        Attack("write", "It changes nobody else's file.", (file,), changed),
        Attack("write", "It makes no file outside its folder.", (f"{file}.made",)),
        Attack("permit", "It does not change who may read a file.", (file,), changed),
        Attack("environment", "It sees no variable of the checker's environment.", (VARIABLE,)),
        Attack("processes", "It starts no more processes than it may.", (LIMITS.processes,)),
        Attack("memory", "It gets no more memory than it may.", (2 * LIMITS.memory,)),
        Attack("large_file", "It writes no larger file than it may.", (2 * LIMITS.file,)),
        Attack("signals", "It sends the checker no signal.", (here,)),
        Attack("trace", "It does not attach to the checker.", (here,)),
        Attack("peek", "It does not open the checker's memory.", (here,)),
        Attack("forge", "What it writes to every descriptor is no answer."),
        Attack("never_end", "It ends, also if it catches everything."),
        Attack("survive", "No process of it is left.", (), left_behind),
    )


def levels(held: tuple[Protection, ...]) -> Part:
    """Table of the levels that this machine reaches, and of missing protections."""
    missing = {one.name: one.reason for one in held if not one.held}
    rows, reached = [], True
    for level, names in LEVELS.items():
        lacking = [f"{name} ({missing[name]})" for name in names if name in missing]
        reached = reached and not lacking
        rows.append((level, reached, listed(lacking) if lacking else listed(names)))
    return table(
        "levels", "Levels of --require-sandbox", ("level", "reached", "what it holds, or what is missing"), rows
    )


def attack_report() -> Result:
    """Every attack on this machine's sandbox, and the levels that it reaches.

    The attacked file lies in the folder of a second sandbox, which is removed whatever ends this process.
    """
    parts: list[Part] = []
    with (
        environment_variable(VARIABLE, secrets.token_hex(8)),
        socket.create_server(("127.0.0.1", 0)) as server,
        Child(FILE, LIMITS) as neighbour,
        Child(FILE, LIMITS) as child,
    ):
        beside = neighbour.folder / "beside.txt"
        beside.write_text("somebody else's", encoding="utf-8")
        held = child.held
        for attack in attacks(beside, server.getsockname()[1]):
            stopped, seen = run_attack(child, attack)
            parts.append(Statement(f"{attack.function}-{len(parts) + 1}", attack.claim, seen, holds=stopped))
    parts.append(levels(held))
    parts.append(
        Note("what", "A learner's code runs in this sandbox. SECURITY.md says what it is, and what it is not.")
    )
    results = [part.holds for part in parts if isinstance(part, Statement)]
    title = f"{sum(map(bool, results))} of {len(results)} attacks stopped"
    return Result(tuple(parts), title=title, command="attn-lab doctor")
