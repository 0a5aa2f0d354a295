"""Where one left off: kept for each lesson, found again, and given up when it is of something else."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from lessons import LESSON

from attention_lab.lesson import position
from attention_lab.lesson.lesson import Lesson
from attention_lab.lesson.library import shipped_lessons
from attention_lab.lesson.position import Position, forget_position, load_position, position_file, save_position
from attention_lab.lesson.read import parse_lesson, read_lesson

PLACE = Position(2, {0: (0, 1)})


@pytest.fixture
def small(tmp_path: Path) -> Lesson:
    return parse_lesson(LESSON, str(tmp_path / "small.md"))


def test_a_place_is_kept_and_found(tmp_path: Path, small: Lesson):
    assert load_position(tmp_path, small) == (Position(), "")
    save_position(tmp_path, small, PLACE)
    found, word = load_position(tmp_path, small)
    assert found == PLACE
    assert word == "Going on at step 3, where you left off; --from 1 starts over."
    assert [file.name for file in (tmp_path / "positions").iterdir()] == [position_file(tmp_path, small).name]
    forget_position(tmp_path, small)
    forget_position(tmp_path, small)
    assert load_position(tmp_path, small) == (Position(), "")


def test_the_beginning_is_no_place_to_speak_of(tmp_path: Path, small: Lesson):
    save_position(tmp_path, small, Position())
    assert load_position(tmp_path, small) == (Position(), "")


def test_lessons_of_one_name_have_places_of_their_own(tmp_path: Path, small: Lesson):
    other = parse_lesson(LESSON, str(tmp_path / "elsewhere" / "small.md"))
    assert position_file(tmp_path, small) != position_file(tmp_path, other)
    ours = read_lesson(shipped_lessons()["quick"])
    assert position_file(tmp_path, ours).name == "quick.json"


def test_another_text_is_another_lesson(tmp_path: Path, small: Lesson):
    save_position(tmp_path, small, PLACE)
    found, word = load_position(tmp_path, replace(small, digest="0"))
    assert found == Position()
    assert "another version" in word


def test_another_version_of_the_package_may_count_steps_otherwise(tmp_path: Path, small: Lesson, monkeypatch):
    save_position(tmp_path, small, PLACE)
    monkeypatch.setattr(position, "__version__", "0.0")
    assert load_position(tmp_path, small)[0] == Position()


@pytest.mark.parametrize(
    "change",
    [
        {"step": 99},
        {"step": -1},
        {"step": "x"},
        {"step": None},
        {"given": {"7": [0, 1]}},
        {"given": {"-1": [0, 1]}},
        {"given": {"0": [0, 1, 0]}},
        {"given": {"0": [0, -1]}},
        {"given": {"0": 1}},
        {"given": [1]},
        {"version": None},
        {"step": float("inf")},
        {"step": float("nan")},
        {"given": {"0": [float("inf"), 0]}},
    ],
    ids=str,
)
def test_a_place_that_cannot_be_is_none(tmp_path: Path, small: Lesson, change: dict[str, object]):
    save_position(tmp_path, small, PLACE)
    file = position_file(tmp_path, small)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    found, word = load_position(tmp_path, small)
    assert found == Position()
    assert "it starts over" in word


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_place_is_none(tmp_path: Path, small: Lesson, content: bytes):
    save_position(tmp_path, small, PLACE)
    position_file(tmp_path, small).write_bytes(content)
    found, word = load_position(tmp_path, small)
    assert found == Position()
    assert "it starts over" in word


def test_what_is_no_file_holds_no_place_and_keeps_nobody_waiting(tmp_path: Path, small: Lesson):
    file = position_file(tmp_path, small)
    file.parent.mkdir()
    os.mkfifo(file)
    assert load_position(tmp_path, small) == (Position(), "")


def test_a_place_that_cannot_be_read_is_not_one_of_another_version(tmp_path: Path, small: Lesson, monkeypatch):
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    save_position(tmp_path, small, PLACE)
    monkeypatch.setattr(Path, "read_text", refuse)
    assert load_position(tmp_path, small) == (
        Position(),
        "Your place cannot be read (Permission denied): it starts over.",
    )


def test_what_was_kept_stays_when_the_new_place_cannot_be_written(tmp_path: Path, small: Lesson, monkeypatch):
    save_position(tmp_path, small, PLACE)

    def full(*_: object, **__: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="full"):
        save_position(tmp_path, small, Position(1))
    assert load_position(tmp_path, small)[0] == PLACE
    assert len(list((tmp_path / "positions").iterdir())) == 1
