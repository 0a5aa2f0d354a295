"""The grades of one submission as Gradescope reads them: the `results.json` of an autograder."""

from __future__ import annotations

import json
from typing import Any

from attention_lab.grade.grade_page import explain_command
from attention_lab.grade.marks import RULE, Mark, Row


def student_text(mark: Mark) -> str:
    """Feedback on a part, in plain text."""
    commands = dict.fromkeys(filter(None, map(explain_command, mark.wrong)))
    return "\n".join([mark.said, *(f"To read: {command}" for command in commands)])


def gradescope_test(mark: Mark) -> dict[str, Any]:
    """One part as a test."""
    return {
        "name": mark.part,
        "score": mark.points,
        "max_score": 1,
        "output": student_text(mark),
        "output_format": "text",
        "visibility": "visible",
    }


def gradescope_text(row: Row) -> str:
    """One submission, as JSON in ASCII; its score is the sum of the parts."""
    body = {
        "output": f"{row.reason}\n\n{RULE}".strip(),
        "output_format": "text",
        "execution_time": round(row.seconds, 3),
        "visibility": "visible",
        "score": row.points,
        "tests": [gradescope_test(mark) for mark in row.marks],
    }
    return json.dumps(body, indent=2) + "\n"
