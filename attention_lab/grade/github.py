"""The grades as annotations of GitHub Actions: workflow commands, one line each, that mark lines of the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attention_lab.grade.grade_page import mark_text, summary_line
from attention_lab.grade.marks import Grades, Row
from attention_lab.sandbox.submission import NotebookLine


def escape_message(text: str) -> str:
    """A text as the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """A text as the value of a property."""
    return escape_message(text).replace(":", "%3A").replace(",", "%2C")


def workflow_command(level: str, text: str, properties: Mapping[str, object]) -> str:
    """One workflow command."""
    given = ",".join(f"{name}={escape_property(str(one))}" for name, one in properties.items())
    return f"::{level} {given}::{escape_message(text)}"


def row_annotations(row: Row) -> Iterator[str]:
    """Annotations of one submission: a warning for half a point, an error for none, one error if nothing was judged."""
    if row.reason:
        yield workflow_command("error", row.reason, {"file": row.path, "title": row.name})
    for mark in () if row.unseen else row.marks:
        if mark.points < 1:
            level = "warning" if mark.points else "error"
            within = isinstance(mark.line, NotebookLine)  # which is no line of the file
            where = {"file": mark.file or row.path} | ({"line": mark.line} if mark.line and not within else {})
            said = f"Line {mark.line}: {mark.said}" if within else mark.said
            yield workflow_command(level, said, where | {"title": f"{mark.part}: {mark_text(mark)}"})


def github_text(grades: Grades) -> str:
    """The whole class, and a notice that sums it up."""
    lines = [line for row in grades.rows for line in row_annotations(row)]
    return "\n".join([*lines, workflow_command("notice", summary_line(grades), {"title": "attn-lab grade"})]) + "\n"
