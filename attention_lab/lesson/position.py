"""Where one left off in a lesson, and what one had answered: a small file for each, in a person's own folder."""

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


def file_of(home: Path, lesson: Lesson) -> Path:
    """Where the position in a lesson is kept. Two lessons of one name in different folders have two files."""
    path = Path(lesson.path).resolve()
    own = "" if path.parent == FOLDER.resolve() else f"-{path_key(path)}"
    return home / "positions" / f"{lesson.name}{own}.json"


def edition(lesson: Lesson) -> dict[str, str]:
    """What must be the same for a position to mean the same."""
    return {"version": __version__, "digest": lesson.digest}


def parsed(text: str, lesson: Lesson) -> Position | None:
    """The position that a file holds, or None where it holds none, or one of another edition."""
    try:
        body = json.loads(text)
        same = {key: body[key] for key in ("version", "digest")} == edition(lesson)
        step = int(body["step"])
        given = {int(number): tuple(map(int, counts)) for number, counts in body["given"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
    numbers = range(len(lesson.questions))
    fits = all(n in numbers and len(counts) == len(lesson.questions[n].choices) for n, counts in given.items())
    counted = all(one >= 0 for counts in given.values() for one in counts)
    return Position(step, given) if same and fits and counted and 0 <= step < len(lesson.steps) else None


def load(home: Path, lesson: Lesson) -> tuple[Position, str]:
    """Where to begin, and a sentence about it: "" where there was nothing to go on from."""
    file = file_of(home, lesson)
    try:
        if not file.is_file():
            return Position(), ""
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        text = ""
    except OSError as reason:
        return Position(), f"Your place cannot be read ({reason.strerror}): it starts over."
    found = parsed(text, lesson)
    if found is None:
        return Position(), "Your place is of another version of this lesson: it starts over."
    if not found.step and not found.given:
        return found, ""
    return found, f"Going on at step {found.step + 1}, where you left off; --from 1 starts over."


def save(home: Path, lesson: Lesson, position: Position) -> None:
    """Keep a position, all of it or nothing. Raises OSError."""
    body = {**edition(lesson), "lesson": lesson.path, "step": position.step, "given": position.given}
    keep_json(file_of(home, lesson), body)


def forget(home: Path, lesson: Lesson) -> None:
    """Let the lesson begin at its beginning next time. Raises OSError."""
    file_of(home, lesson).unlink(missing_ok=True)
