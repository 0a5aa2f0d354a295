"""The grades as CSV, as RFC 4180 has it: a head, a row for each submission; no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io

from attention_lab.csv_cells import guard_cell
from attention_lab.grade.grade_page import mark_texts
from attention_lab.grade.marks import Grades


def csv_text(grades: Grades) -> str:
    """A line for each submission: its points, and of each part its verdict, if it could be read, and its points."""
    stream = io.StringIO()
    writer = csv.writer(stream)  # its own dialect ends lines and doubles quotes as the RFC says
    parts = [head for part in grades.parts for head in (part, f"{part} points")]
    writer.writerow(["submission", "points", "of", *parts, "note"])
    for row in grades.rows:
        told = zip(mark_texts(row), row.marks, strict=True)
        marks = [value for text, mark in told for value in (guard_cell(text or ""), f"{mark.points:g}")]
        points = "" if row.failed else f"{row.points:g}"
        writer.writerow([guard_cell(row.name), points, len(row.marks), *marks, guard_cell(row.reason)])
    return stream.getvalue()
