"""The published forms, in our own words: what each file must be like to be read where it is meant for.

Compared with what was published in November 2026. JUnit: the schema of Ant's reports (windyroad/JUnit-Schema,
JUnit.xsd), the strictest, and that of Jenkins (jenkinsci/xunit-plugin, junit-10.xsd). Gradescope: "Output format" of
its autograder specifications (gradescope-autograders.readthedocs.io, specs). PrairieLearn: "Grading results" of its
documentation of external grading (docs/externalGrading.md). GitHub: workflow commands, as its own toolkit writes them
(actions/toolkit, packages/core/src/command.ts).
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

ANY, TOKEN, WHOLE = r"(?s).*", r"(?s).*\S.*", r"-?\d+"
DECIMAL, MOMENT = r"[+-]?(\d+(\.\d*)?|\.\d+)", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
JENKINS_TIME = r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?"

Form = tuple[dict[str, str], dict[str, str], str]  # attributes that must be there, that may, and the children in order

ANT: dict[str, Form] = {
    "testsuites": ({}, {}, "(testsuite )*"),
    "testsuite": (
        {
            "name": TOKEN,
            "timestamp": MOMENT,
            "hostname": TOKEN,
            "tests": WHOLE,
            "failures": WHOLE,
            "errors": WHOLE,
            "time": DECIMAL,
            "package": TOKEN,
            "id": WHOLE,
        },
        {"skipped": WHOLE},
        "properties (testcase )*system-out system-err ",
    ),
    "properties": ({}, {}, "(property )*"),
    "property": ({"name": TOKEN, "value": ANY}, {}, ""),
    "testcase": ({"name": TOKEN, "classname": TOKEN, "time": DECIMAL}, {}, "((skipped|error|failure) )?"),
    "failure": ({"type": ANY}, {"message": ANY}, ""),
    "error": ({"type": ANY}, {"message": ANY}, ""),
    "system-out": ({}, {}, ""),
    "system-err": ({}, {}, ""),
}
JENKINS: dict[str, Form] = {
    "testsuites": (
        {},
        {"name": ANY, "time": JENKINS_TIME, "tests": ANY, "failures": ANY, "errors": ANY},
        "(testsuite )*",
    ),
    "testsuite": (
        {"name": ANY, "tests": ANY, "failures": ANY, "errors": ANY},
        {
            "time": JENKINS_TIME,
            **dict.fromkeys(("group", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"), ANY),
        },
        "((testsuite|properties|testcase|system-out|system-err) )*",
    ),
    "properties": ({}, {}, "(property )*"),
    "property": ({"name": ANY, "value": ANY}, {}, ""),
    "testcase": (
        {"name": ANY},
        {"time": ANY, "classname": ANY, "group": ANY},
        "((skipped|error|failure|rerunFailure|rerunError|flakyFailure|flakyError|system-out|system-err) )*",
    ),
    "failure": ({}, {"type": ANY, "message": ANY}, ""),
    "error": ({}, {"type": ANY, "message": ANY}, ""),
    "system-out": ({}, {}, ""),
    "system-err": ({}, {}, ""),
}
TEXTED = ("failure", "error", "system-out", "system-err")  # all others hold elements only


def against(element: ET.Element, schema: dict[str, Form]) -> Iterator[str]:
    """What in an element, and below it, a schema does not allow."""
    if element.tag not in schema:
        yield f"there is no <{element.tag}>"
        return
    needed, allowed, children = schema[element.tag]
    yield from (f"<{element.tag}> has no {name}" for name in needed if name not in element.attrib)
    for name, value in element.attrib.items():
        pattern = (needed | allowed).get(name)
        if pattern is None or not re.fullmatch(pattern, value):
            yield f"<{element.tag} {name}={value!r}>"
    order = "".join(f"{child.tag} " for child in element)
    if not re.fullmatch(children, order):
        yield f"<{element.tag}> holds {order}"
    if element.tag not in TEXTED and any((text or "").strip() for text in (element.text, *(c.tail for c in element))):
        yield f"<{element.tag}> holds text"
    for child in element:
        yield from against(child, schema)


def miscounted(suite: ET.Element) -> Iterator[str]:
    """Where the counts of a suite are not those of its tests."""
    for attribute, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
        if suite.get(attribute) != str(len(suite.findall(path))):
            yield f"{attribute} of {suite.get('name')}"


def misnumbered(root: ET.Element) -> Iterator[str]:
    """Where the suites are not numbered from 0 in their order, as Ant's schema says in words."""
    for number, suite in enumerate(root.iter("testsuite")):
        if suite.get("id") != str(number):
            yield f"id {suite.get('id')} of suite {number}"


def junit_faults(text: str) -> list[str]:
    """All that is wrong with a report."""
    root = ET.fromstring(text)  # noqa: S314 (we wrote it)
    counts = [fault for suite in root.iter("testsuite") for fault in miscounted(suite)]
    return [*against(root, ANT), *against(root, JENKINS), *counts, *misnumbered(root)]


VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEXT_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": TEXT_FORMAT,
        "test_output_format": TEXT_FORMAT,
        "test_name_format": TEXT_FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"},
                    "name_format": TEXT_FORMAT,
                    "number": {"type": "string"},
                    "output": {"type": "string"},
                    "output_format": TEXT_FORMAT,
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "visibility": VISIBILITY,
                    "extra_data": {"type": "object"},
                },
            },
        },
        "leaderboard": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "value"],
                "properties": {"name": {"type": "string"}, "order": {"enum": ["asc", "desc"]}},
            },
        },
    },
    # a score for the whole, or one for each test
    "anyOf": [
        {"required": ["score"]},
        {"required": ["tests"], "properties": {"tests": {"items": {"required": ["score"]}, "minItems": 1}}},
    ],
}
IMAGES = {
    "type": "array",
    "items": {
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "required": ["url"],
                "properties": {"url": {"type": "string"}, "label": {"type": "string"}},
            },
        ]
    },
}
PRAIRIELEARN_LARGEST = 10**6  # bytes of the file
PRAIRIELEARN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "message": {"type": "string"},
        "output": {"type": "string"},
        "images": IMAGES,
        "format_errors": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "description": {"type": "string"},
                    "points": {"type": "number"},
                    "max_points": {"type": "number"},
                    "message": {"type": "string"},
                    "output": {"type": "string"},
                    "images": IMAGES,
                },
            },
        },
    },
    "if": {"required": ["gradable"], "properties": {"gradable": {"const": False}}},
    "else": {"required": ["score"]},
}

WORKFLOW_COMMAND = re.compile(
    r"::(?P<level>error|warning|notice|debug) (?P<properties>[^\r\n]*?)::(?P<message>[^\r\n]*)"
)
PROPERTIES = ("file", "line", "endLine", "col", "endColumn", "title")
ESCAPES = {"%0D": "\r", "%0A": "\n", "%25": "%"}  # of a message
ESCAPES_OF_VALUES = ESCAPES | {"%3A": ":", "%2C": ","}


def unescaped(text: str, escapes: dict[str, str]) -> str:
    """What the runner of GitHub Actions makes of a text. Raises ValueError at a per cent sign that is none."""
    if re.search(f"%(?!{'|'.join(one[1:] for one in escapes)})", text):
        raise ValueError(text)
    return re.sub("|".join(escapes), lambda found: escapes[found[0]], text)


def annotation(line: str) -> tuple[str, dict[str, str], str]:
    """Level, properties and message of a workflow command. Raises ValueError on any other line."""
    found = WORKFLOW_COMMAND.fullmatch(line)
    if found is None:
        raise ValueError(line)
    pairs = [pair.partition("=") for pair in found["properties"].split(",")]
    properties = {name: unescaped(value, ESCAPES_OF_VALUES) for name, _, value in pairs}
    if not set(properties) <= set(PROPERTIES) or not properties.get("line", "1").isdecimal():
        raise ValueError(line)
    return found["level"], properties, unescaped(found["message"], ESCAPES)
