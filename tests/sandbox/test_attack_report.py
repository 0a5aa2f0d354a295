from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_lab.result import Statement
from attention_lab.sandbox import doctor
from attention_lab.sandbox.parent import Child


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
def test_what_the_doctor_attacks_holds_or_is_said_not_to(attn_lab: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = attn_lab("doctor", "--plain")
    assert ("Does not hold" in out) == (code == 1), err
    assert "attacks stopped" in out
    assert "sealed" in out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
def test_the_doctor_sees_a_sandbox_that_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "temporary ü"  # processes that are left are known by a folder in it
    odd.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(odd))
    every = [
        "reading",
        "writing",
        "network",
        "environment",
        "memory",
        "file size",
        "processes",
        "tree",
        "other processes",
    ]
    monkeypatch.setattr(doctor, "Child", lambda file, limits: Child(file, limits, _without=every))
    found = {
        part.name.rpartition("-")[0]: part.holds for part in doctor.attack_report().parts if isinstance(part, Statement)
    }
    assert {name for name, holds in found.items() if not holds} == set(found) - {"forge", "never_end"}
