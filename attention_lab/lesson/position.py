"""Store the place in a lesson and the answers so far: one small file for each lesson, in the user's folder."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from attention_lab import __version__
from attention_lab.kept_files import keep_json, path_key
from attention_lab.lesson.answers import Counts
from attention_lab.lesson.lesson import Lesson
from attention_lab.lesson.library import FOLDER


@dataclass(frozen=True)
class Position:
    """The number of a step, from 0, and the answers given so far, by the number of the question."""

    step: int = 0
    given: dict[int, Counts] = field(default_factory=dict)


def position_file(home: Path, lesson: Lesson) -> Path:
    """Path of a lesson's position. Lessons with the same name in different folders have different files."""
    path = Path(lesson.path).resolve()
    own = "" if path.parent == FOLDER.resolve() else f"-{path_key(path)}"
    return home / "positions" / f"{lesson.name}{own}.json"


def lesson_edition(lesson: Lesson) -> dict[str, str]:
    """Version and digest; a stored position is valid only if both are unchanged."""
    return {"version": __version__, "digest": lesson.digest}


def parse_position(text: str, lesson: Lesson) -> Position | None:
    """The position in the text of a file; None if it is malformed or of another edition."""
    try:
        body = json.loads(text)
        same = {key: body[key] for key in ("version", "digest")} == lesson_edition(lesson)
        step = int(body["step"])
        given = {int(number): tuple(map(int, counts)) for number, counts in body["given"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
    numbers = range(len(lesson.questions))
    fits = all(n in numbers and len(counts) == len(lesson.questions[n].choices) for n, counts in given.items())
    counted = all(votes >= 0 for counts in given.values() for votes in counts)
    return Position(step, given) if same and fits and counted and 0 <= step < len(lesson.steps) else None


def load_position(home: Path, lesson: Lesson) -> tuple[Position, str]:
    """The position to begin at, and a sentence about it; "" if no position was stored."""
    file = position_file(home, lesson)
    try:
        if not file.is_file():
            return Position(), ""
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        text = ""
    except OSError as reason:
        return Position(), f"Your place cannot be read ({reason.strerror}): it starts over."
    position = parse_position(text, lesson)
    if position is None:
        return Position(), "Your place is of another version of this lesson: it starts over."
    if not position.step and not position.given:
        return position, ""
    return position, f"Going on at step {position.step + 1}, where you left off; --from 1 starts over."


def save_position(home: Path, lesson: Lesson, position: Position) -> None:
    """Write a position atomically. Raises OSError."""
    body = {**lesson_edition(lesson), "lesson": lesson.path, "step": position.step, "given": position.given}
    keep_json(position_file(home, lesson), body)


def forget_position(home: Path, lesson: Lesson) -> None:
    """Delete the position, so that the lesson starts at its beginning. Raises OSError."""
    position_file(home, lesson).unlink(missing_ok=True)
