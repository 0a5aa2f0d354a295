"""The page of a check: what each function computes, whether it is right, and if not, which fault it has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attention_lab.result import Diff, Note, Part, Result, Statement, table
from attention_lab.text import count, listed

if TYPE_CHECKING:
    from attention_lab.check.match import Finding
    from attention_lab.check.references import Reference
    from attention_lab.check.sandbox import Child
    from attention_lab.check.survey import Survey

SAID = {
    "right": "right",
    "edges": "right, but for edges",
    "break": "wrong",
    "several": "wrong",
    "unknown": "wrong, not in the catalogue",
    "does-not-run": "does not run",
}


def to_precision(error: float) -> str:
    """How exactly two outcomes agree: the next power of ten; at best 1e-15."""
    return f"1e{min(-1, math.ceil(math.log10(max(error, 1e-15))))}"


def names_of(one: Reference) -> str:
    """A reference as one says it."""
    return listed(one.faults) if one.faults else "healthy"


def measured(finding: Finding) -> str:
    """What this run saw of one function."""
    precision = to_precision(finding.precision)
    if finding.verdict == "right":
        return f"It equals the model's {finding.role.name}, to {precision}."
    if finding.verdict == "edges":
        edges = [f"{edge}{f' (as with {listed(names)})' if names else ''}" for edge, names in finding.edges]
        return f"It equals the model's {finding.role.name} to {precision} on ordinary data, but not with {listed(edges)}."
    if finding.verdict == "break":
        return f"It equals the model's {finding.role.name} with {listed(finding.breaks)}, to {precision}."
    if finding.verdict == "several":
        return f"It equals the model's {finding.role.name} with any one of {listed(finding.breaks)}: indistinguishable here."
    if finding.verdict == "unknown":
        return f"It is not the model's {finding.role.name}, and no break of the catalogue does the same."
    trouble = finding.trouble
    if trouble is None:
        return "No way to call it gave a value."
    return f"Line {trouble.line} raised {trouble.kind}: {trouble.message}"


def statement(finding: Finding) -> Statement:
    """The verdict on one function."""
    name = finding.offer.name
    claim = f"{name} (line {finding.offer.line}) computes {finding.role.name}."
    return Statement(name, claim, measured(finding), not finding.alarming)


def diff_of(finding: Finding) -> Iterator[Part]:
    """The line of the model that, changed like this, computes what the person's function does."""
    from attention_lab.examination import text_diff
    from attention_lab.variants import model_source

    for one in finding.matches[:2]:
        lines = tuple(text_diff(model_source(), one.text))
        yield Diff(f"{finding.offer.name}-{one.names[0]}", f"The model with {names_of(one)}: {finding.offer.name} computes the same", lines)


def parts_of(finding: Finding) -> Iterator[Part]:
    """All that is said about one function."""
    yield statement(finding)
    name = finding.offer.name
    if finding.plan.assumed and finding.verdict != "does-not-run":
        yield Note(f"{name}-assumed", f"Assumed of {name}: {'; '.join(finding.plan.assumed)}.")
    if finding.otherwise:
        yield Note(f"{name}-otherwise", f"With more axes in front, {name} is the model's with {listed(finding.otherwise)}.")
    if finding.verdict in ("break", "several"):
        yield from diff_of(finding)


def unwritten_parts(found: Survey) -> Iterator[Part]:
    """What was not judged, since it is still to be written, or calls what is."""
    if found.outline.unwritten:
        yield Note("unwritten", f"Still to be written: {listed(found.outline.unwritten)}.")
    for name, others in found.outline.waiting.items():
        yield Note(f"{name}-waits", f"{name} was not judged: it calls {listed(others)}, still to be written.")


def title_of(found: Survey, file: str) -> str:
    """The sum of it in a line."""
    wrong = sum(one.alarming for one in found.findings)
    if not found.findings and found.outline.unwritten:
        return f"{file}: nothing is written that could be judged"
    if not found.findings:
        return f"{file}: nothing here has a part in a transformer"
    verdict = "all right" if not wrong else f"{wrong} wrong" if wrong < len(found.findings) else "wrong"
    return f"{count(len(found.findings), 'function')} of {file}: {verdict}"


def page(found: Survey, child: Child, seed: int, command: str) -> Result:
    """The whole page."""
    rows = [
        (one.offer.name, one.offer.line, one.role.name, SAID[one.verdict], listed(one.breaks) or None) for one in found.findings
    ]
    columns = ("function", "line", "is", "verdict", "fault")
    parts: list[Part] = [table("functions", "What there is", columns, rows)] if rows else []
    parts += [part for one in found.findings for part in parts_of(one)]
    parts += unwritten_parts(found)
    for trouble in child.trouble:
        parts.append(Note(f"line-{trouble.line}", f"Line {trouble.line} raised {trouble.kind}: {trouble.message} It was left out."))
    if found.left:
        parts.append(Note("left", f"Not looked at, since they have no part in a transformer: {listed(found.left)}."))
    return Result(tuple(parts), title=title_of(found, child.file.name), seed=seed, command=command)
