"""A class with attackers in it: each of them scores nothing, and the honest file beside them scores full."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attacks.submissions import ATTACKS
from attacks.target import SMALL, World, acts, snapshot
from grade.hand_ins import HONEST, hand_in

from attention_lab.grade.github import github_text
from attention_lab.grade.json_form import json_text
from attention_lab.grade.run import grade_class
from attention_lab.grade.submissions import find_submissions
from attention_lab.sandbox import time_budget

AT_ONCE = 8  # attackers in one class
NAMES = list(ATTACKS)
CLASSES = [NAMES[start : start + AT_ONCE] for start in range(0, len(NAMES), AT_ONCE)]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    it = World(tmp_path)
    yield it
    it.close()


def test_every_attack_is_in_a_class():
    assert sorted(name for names in CLASSES for name in names) == sorted(ATTACKS)
    assert len(ATTACKS) >= 25


@pytest.mark.sample(1)
@pytest.mark.parametrize("names", CLASSES, ids=lambda names: names[0])
def test_attackers_score_nothing_and_the_honest_file_full(
    tmp_path: Path, world: World, names: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(time_budget, "LIMITS", SMALL)
    monkeypatch.setattr(time_budget, "STRIKES", 1)
    attackers = {f"attacker{number}": world.filled(ATTACKS[name]) for number, name in enumerate(names)}
    folder = hand_in(tmp_path / "class", honest=HONEST, **attackers)
    before = snapshot(world.beside), snapshot(folder)
    found = grade_class(find_submissions(folder)[0], ["attention"], jobs=2)
    points = {row.name: row.points for row in found.rows}
    assert points == {"honest.py": 1} | {f"{name}.py": 0 for name in attackers}
    assert (snapshot(world.beside), snapshot(folder)) == before
    assert not world.signals
    assert not world.connected()
    for text in (json_text(found), github_text(found)):
        assert world.secret not in text
        assert not acts(text)
