"""The grades of one submission as PrairieLearn reads them: the `results.json` of an external grader."""

from __future__ import annotations

import json
from typing import Any

from attention_lab.grade.gradescope import student_text
from attention_lab.grade.marks import RULE, Mark, Row


def prairielearn_test(mark: Mark) -> dict[str, Any]:
    """One part as a test."""
    return {"name": mark.part, "points": mark.points, "max_points": 1, "output": student_text(mark)}


def prairielearn_text(row: Row) -> str:
    """One submission, as JSON in ASCII. One that cannot be read is not gradable, which costs its author no attempt."""
    if row.unreadable:
        return json.dumps({"gradable": False, "format_errors": [row.reason], "message": row.reason}, indent=2) + "\n"
    body = {
        "gradable": True,
        "score": row.points / len(row.marks),
        "message": row.reason or RULE,
        "tests": [prairielearn_test(mark) for mark in row.marks],
    }
    return json.dumps(body, indent=2) + "\n"
