"""The grades as JUnit XML, valid to the schema of Ant's reports and to that of Jenkins: a suite for each submission."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from attention_lab.grade.grade_page import mark_text
from attention_lab.grade.marks import Grades, Mark, Row


def format_seconds(value: float) -> str:
    """A time as both schemas allow it: "1.250", without groups of digits."""
    return f"{value:.3f}"


def add_case(suite: ET.Element, row: Row, mark: Mark) -> None:
    """One part as a test: passed only if it is right, as JUnit knows no half points."""
    head = {"name": mark.part, "classname": row.name, "time": format_seconds(mark.seconds)}
    case = ET.SubElement(suite, "testcase", head)
    if row.failed:
        ET.SubElement(case, "error", {"type": "grader-failed", "message": row.reason})
    elif row.unreadable:
        ET.SubElement(case, "failure", {"type": "unreadable", "message": row.reason})
    elif mark.points < 1:
        where = f"{mark.file}:{mark.line}: " if mark.line else ""
        failure = ET.SubElement(case, "failure", {"type": mark.verdict, "message": mark_text(mark)})
        failure.text = f"{where}{mark.said} {row.reason}".strip()


def add_suite(suites: ET.Element, number: int, row: Row, grades: Grades) -> None:
    """One submission. A submission of a class in which no part was found has one test, its own."""
    marks = row.marks or (Mark("submission", "missing", row.reason),)
    wrong = sum(mark.points < 1 for mark in marks)
    counts = {
        "tests": len(marks),
        "failures": 0 if row.failed else wrong,
        "errors": len(marks) if row.failed else 0,
    }
    named = {"name": row.name, "package": "attn-lab", "id": str(number), "hostname": "localhost"}
    when = {"timestamp": grades.began, "time": format_seconds(row.seconds)}
    texts = {name: str(value) for name, value in counts.items()}
    suite = ET.SubElement(suites, "testsuite", named | when | texts)
    properties = ET.SubElement(suite, "properties")
    told = {"seed": grades.seed, "points": f"{row.points:g}", "of": len(row.marks)}
    for name, value in told.items():
        ET.SubElement(properties, "property", {"name": name, "value": str(value)})
    for mark in marks:
        add_case(suite, row, mark)
    ET.SubElement(suite, "system-out")
    ET.SubElement(suite, "system-err").text = row.reason


def junit_text(grades: Grades) -> str:
    """The whole class, in ASCII: other characters as references."""
    suites = ET.Element("testsuites")
    for number, row in enumerate(grades.rows):
        add_suite(suites, number, row, grades)
    ET.indent(suites)
    body = ET.tostring(suites, encoding="us-ascii", xml_declaration=False).decode()
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'
