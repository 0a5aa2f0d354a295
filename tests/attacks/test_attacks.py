"""Every attack scores nothing and gains nothing, beside an honest file that scores full; without a wall one gets in."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from attacks.submissions import ATTACKS, HONEST, WRONG
from attacks.target import SMALL, World, right

from attention_lab.sandbox.parent import Child

linux = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")

# Without these protections, this attack gains that.
NEEDED = {
    "reading": (["reading"], "neighbour's file", "secret"),
    "reading of the package": (["reading"], "the model's text", "right"),
    "writing": (["writing"], "planted reports", "files"),
    "writing of who may": (["writing"], "file for all to write", "files"),
    "environment": (["environment"], "environment", "secret"),
    "network": (["network"], "socket", "network"),
    "signals": (["other processes"], "signal to the parent", "signal"),
    "memory of others": (["other processes"], "memory of the parent", "secret"),
    "memory of others by a call": (["other processes"], "process_vm_readv", "secret"),
    "tracing": (["other processes"], "ptrace", "token"),
    "processes": (["processes"], "fork bomb", "token"),
    "tree": (["processes", "tree"], "survivor", "survivor"),
    "memory": (["memory"], "memory bomb", "token"),
    "memory of files": (["memory"], "files in memory", "token"),
    "leases": (["other processes"], "lease that lets others wait for NumPy", "token"),
    "news": (["other processes"], "news of what others open", "token"),
    "locks": (["writing"], "lock that lets others wait for NumPy", "token"),
    "file size": (["file size", "disk"], "one large file", "token"),
    "disk": (["disk"], "many files", "token"),
    "kernel": (["kernel", "other processes"], "new namespaces", "token"),
}


def test_an_honest_file_is_right_and_a_wrong_one_is_not(judged: Callable[[str], bool]) -> None:
    assert judged(HONEST)
    assert not judged(WRONG)


@pytest.mark.sample(12)
@linux
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gains_nothing(world: World, name: str) -> None:
    outcome = world.attacked(ATTACKS[name])
    assert not outcome.right, outcome
    assert not outcome.gained, outcome
    assert outcome.seconds < SMALL.loading + 8, outcome


@linux
def test_an_honest_file_is_right_while_others_attack(tmp_path: Path, world: World) -> None:
    honest = tmp_path / "honest.py"
    honest.write_text(HONEST)
    attackers = []
    for number, name in enumerate(
        ("fork bomb", "memory bomb that is touched", "endless loop", "frames to every descriptor")
    ):
        file = tmp_path / f"attacker{number}.py"
        file.write_text(world.filled(ATTACKS[name]) + "\nattention(*[np.ones((2, 3))] * 3)\n")
        attackers.append(Child(file, SMALL))
    try:
        with Child(honest, SMALL) as child:
            assert right(child)
    finally:
        for attacker in attackers:
            attacker.close()


@pytest.fixture(scope="module")
def missing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What this machine has not got, and why."""
    file = tmp_path_factory.mktemp("own") / "empty.py"
    file.write_text("")
    with Child(file, SMALL) as child:
        return {one.name: one.reason for one in child.held if not one.held}


@pytest.mark.sample(4)
@linux
@pytest.mark.parametrize("name", NEEDED)
def test_each_protection_is_needed(world: World, missing: dict[str, str], name: str) -> None:
    without, attack, gain = NEEDED[name]
    if missing:
        pytest.skip(f"this machine has not got every protection: {missing}")
    outcome = world.attacked(ATTACKS[attack], without)
    assert gain in (*outcome.gained, *(["right"] if outcome.right else [])), outcome


@pytest.fixture
def large_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """More variables than a submission may print, before that which it looks for."""
    monkeypatch.setenv("ATTN_LAB_LARGE", "x" * 30 * SMALL.output)


@linux
@pytest.mark.usefixtures("large_environment", "world")
def test_the_environment_is_stolen_also_where_it_is_large(world: World, missing: dict[str, str]) -> None:
    test_each_protection_is_needed(world, missing, "environment")


@linux
def test_a_survivor_ends_with_the_check_also_where_it_can_start(world: World) -> None:
    for without in (["processes"], ["processes", "namespaces"]):
        outcome = world.attacked(ATTACKS["survivor"], without)
        assert not outcome.gained, (without, outcome)


@pytest.mark.slow
@linux
def test_busy_work_ends_by_its_processor_time_where_the_clock_lets_it_run(world: World) -> None:
    limits = replace(SMALL, seconds=20.0, cpu=1)
    text = ATTACKS["processor time"].replace("<<cpu>> + 1", "1.2")
    assert "token" not in world.attacked(text, (), limits).gained
    assert "token" in world.attacked(text, ["processor time"], limits).gained


def test_the_parent_is_as_it_was(world: World) -> None:
    before = signal.getsignal(signal.SIGTERM), np.allclose, np.ndarray.__eq__
    world.attacked(ATTACKS["patched numpy"])
    assert (signal.getsignal(signal.SIGTERM), np.allclose, np.ndarray.__eq__) == before
