"""Find lessons: those of the package by name, a person's own by path."""

from __future__ import annotations

from pathlib import Path

import attention_lab.demos as demos
from attention_lab.errors import unknown
from attention_lab.lesson.lesson import Lesson, Predict
from attention_lab.lesson.read import read_lesson
from attention_lab.result import Note, Result, table

FOLDER = Path(demos.__file__).parent / "lessons"
NO_LESSON = "README.md"  # tells how to write a lesson
FIRST = "quick"


def shipped_lessons(folder: Path = FOLDER) -> dict[str, Path]:
    """The lessons of the package by name, the short one first."""
    files = sorted((file for file in folder.glob("*.md") if file.name != NO_LESSON), key=lambda file: file.stem)
    return {file.stem: file for file in sorted(files, key=lambda file: file.stem != FIRST)}


def find_lesson(name: str) -> Lesson:
    """The lesson with this name or in this file. Raises UnknownName, BadInput or BadLesson."""
    if name.endswith(".md") or "/" in name or "\\" in name:
        return read_lesson(Path(name))
    files = shipped_lessons()
    if name not in files:
        raise unknown("lesson", name, files, "attn-lab walk")
    return read_lesson(files[name])


def lesson_listing() -> Result:
    """Every lesson with its length and its summary."""
    lessons = [read_lesson(file) for file in shipped_lessons().values()]
    rows = []
    for lesson in lessons:
        predictions = sum(isinstance(question, Predict) for question in lesson.questions)
        rows.append((lesson.name, lesson.title, len(lesson.steps), predictions, lesson.summary))
    how = "Begin one with 'attn-lab walk NAME', or one of your own with 'attn-lab walk FILE.md'."
    tutorials = "D0, D2, D3 and D4 are four tutorials on 'Attention Is All You Need'; 'attn-lab demo' tells them apart."
    columns = ("lesson", "title", "steps", "predictions", "what it is about")
    parts = (table("lessons", "Lessons", columns, rows), Note("tutorials", tutorials), Note("how", how))
    return Result(parts, command="attn-lab walk")
