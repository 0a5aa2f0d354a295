"""The grades as JSON. `grades.schema.json` beside this file says what every key means."""

from __future__ import annotations

import json
from typing import Any

from attention_lab import __version__
from attention_lab.grade.marks import Grades, Mark, Row
from attention_lab.sandbox.submission import NotebookLine

NAME = "attention-lab/grades/1"  # the number grows when a key goes or changes its meaning, not when one is added


def mark_record(mark: Mark) -> dict[str, Any]:
    """One part."""
    line, cell = (mark.line.line, mark.line.cell) if isinstance(mark.line, NotebookLine) else (mark.line or None, None)
    return {
        "name": mark.part,
        "verdict": mark.verdict,
        "points": mark.points,
        "faults": [list(fault) for fault in mark.faults],
        "said": mark.said,
        "function": mark.function,
        "file": mark.file,
        "line": line,
        "cell": cell,
    }


def row_record(row: Row) -> dict[str, Any]:
    """One submission."""
    return {
        "name": row.name,
        "path": row.path,
        "points": None if row.failed else row.points,
        "of": len(row.marks),
        "reason": row.reason,
        "parts": [mark_record(mark) for mark in row.marks],
        "beside": [mark_record(mark) for mark in row.beside],
    }


def json_text(grades: Grades) -> str:
    """The whole class, as JSON in ASCII."""
    body = {
        "schema": NAME,
        "version": __version__,
        "seed": grades.seed,
        "parts": list(grades.parts),
        "submissions": [row_record(row) for row in grades.rows],
        "faults": [{"fault": fault, "submissions": number} for fault, number in grades.faults],
        "left_out": list(grades.left_out),
        "protections": [{"name": one.name, "held": one.held, "reason": one.reason} for one in grades.held],
    }
    return json.dumps(body, indent=2) + "\n"
