"""The page of a check: what each function computes, whether it is right, and if not, which fault it has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.evidence import (
    Separation,
    against_healthy,
    nearest_other,
    separation,
    vital_signs,
)
from attention_lab.check.inputs import Arguments, Parts
from attention_lab.check.layouts import BATCH_SECOND
from attention_lab.check.names import another
from attention_lab.check.not_callable import lost
from attention_lab.check.outcomes import Failed, Outcome, apart, computed
from attention_lab.check.reasons import reason
from attention_lab.check.roles import meant
from attention_lab.result import Diff, Note, Part, Result, Signs, Statement, table
from attention_lab.sandbox.submission import NotebookLine, as_one_line
from attention_lab.text import count, listed

if TYPE_CHECKING:
    from attention_lab.check.match import Finding
    from attention_lab.check.references import Reference
    from attention_lab.check.survey import Survey
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import CodeError, Protection

MOST = 12  # numbers of an array that one reads
NAMED = 20  # functions without a part that are named
NEXT = 6  # functions still to be written that are named: nobody writes more at a time
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
    return " and ".join(one.faults) or "healthy"


def candidates(finding: Finding) -> str:
    """The faults that a function equals: one, a pair, or several of which one cannot be told from another."""
    first, *others = dict.fromkeys(map(names_of, finding.matches))
    if others and finding.verdict == "break":
        return f"{first} (in numbers the same as {listed(others)})"
    return f"any one of {listed([first, *others])}" if others else first


def faults_in(finding: Finding) -> str | None:
    """The faults as they stand in the table; None where there are none, or only some that nobody need call faults."""
    if finding.verdict == "break":
        return names_of(finding.matches[0])
    if finding.verdict == "several":
        return " or ".join(dict.fromkeys(map(names_of, finding.matches)))
    return listed(finding.blamed) or None


def raised(code_error: CodeError, *later: CodeError) -> str:
    """An error of the person's code, as a sentence; `later` are those of the same words on other lines."""
    message = code_error.message.strip().rstrip(".")
    lines = [str(one.line) for one in (code_error, *later) if one.line]
    where = f"{'Lines' if len(lines) > 1 else 'Line'} {listed(lines)}" if lines else "It"
    return f"{where} raised {code_error.kind}{f': {message}' if message else ''}."


def line_in_table(line: int) -> int | str:
    """A line as it stands in the table: a number, of a notebook in words."""
    return str(line) if isinstance(line, NotebookLine) else line


def measured(finding: Finding) -> str:
    """What this run saw of one function."""
    it, precision = f"the model's {finding.role.name}", to_precision(finding.precision)
    design = finding.matches[0].design if finding.matches else ""
    it = f"{it} with {design}" if design else it
    if finding.verdict == "right":
        return f"It equals {it}, to {precision}."
    if finding.verdict == "edges":
        edges = [f"{edge}{f' (as with {listed(names)})' if names else ''}" for edge, names in finding.edges]
        return f"It equals {it} to {precision} on ordinary data, but not with {listed(edges)}."
    if finding.verdict in ("break", "several"):
        alike = ", which nothing tells apart here" if finding.verdict == "several" else ""
        use = f" It is no fault here: {finding.fit_for}." if finding.fit_for else ""
        return f"It equals {it} with {candidates(finding)}{alike}, to {precision}.{use}"
    if finding.verdict == "unknown":
        return f"It is not {it}, and no break of the catalogue does the same."
    code_error = finding.code_error
    if code_error is None:
        return f"No way to call it gave a value. {finding.said}".strip()
    return f"{raised(code_error)} {reason(code_error)}".strip()


def statement(finding: Finding) -> Statement:
    """The verdict on one function."""
    name = finding.definition.name
    claim = f"{name} (line {finding.definition.line}) computes {finding.role.name}."
    return Statement(name, claim, measured(finding), not finding.alarming)


def diff_of(finding: Finding) -> Iterator[Part]:
    """The line of the model that, changed like this, computes what the person's function does."""
    from attention_lab.break_page.examine import text_diff
    from attention_lab.variants import model_source

    told = finding.matches[: 1 if finding.verdict == "break" else 2]  # lines that compute the same are told by one
    for one in told:
        lines = tuple(text_diff(model_source(), one.text))
        yield Diff(
            f"{finding.definition.name}-{one.names[0]}",
            f"The model with {names_of(one)}: {finding.definition.name} computes the same",
            lines,
        )


def shown(value: Any, most: int = MOST) -> str:
    """A number, or an array of few numbers; of more of them the shape."""
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.size > most:
        return f"of shape {value.shape}"
    listing = np.array2string(value, precision=4, separator=", ", suppress_small=True, max_line_width=10**6)
    return " ".join(listing.split()).replace("[ ", "[").replace(" ,", ",").replace(" ]", "]")


def farthest(one: Parts, other: Parts) -> tuple[str, tuple[int, ...]]:
    """The part and the cell in which two outcomes differ most; where one of them is NaN, that is most."""

    def away(name: str) -> Any:
        if one[name].shape != other[name].shape:
            return np.zeros(())
        return np.nan_to_num(np.abs(np.asarray(one[name], float) - np.asarray(other[name], float)), nan=np.inf)

    name = max((name for name in one if name in other), key=lambda name: float(np.max(away(name), initial=0.0)))
    table = away(name)
    return name, tuple(map(int, np.unravel_index(int(np.argmax(table)), table.shape)))


def parts_shown(outcome: Outcome, other: Outcome) -> str:
    """What came back, part by part; of many numbers the one that differs most from another outcome's."""
    if isinstance(outcome, Failed) or isinstance(other, Failed):
        return "an error"
    if not outcome:
        return "neither an array nor a number"
    if all(part.size <= MOST for part in outcome.values()):
        return ", ".join(f"{name} {shown(part)}" for name, part in outcome.items())
    name, cell = farthest(outcome, other)
    if outcome[name].shape != other[name].shape:
        return f"{name} of shape {outcome[name].shape}"
    return f"{name}[{', '.join(map(str, cell))}] = {float(outcome[name][cell]):.4f}"


def given_to(arguments: Arguments) -> str:
    """What a call is given: in numbers, or in shapes where not all of it can be told, as the rest says nothing then."""
    arrays = [value for value in arguments.values() if isinstance(value, np.ndarray)]
    most = MOST if all(value.size <= MOST for value in arrays) else 0
    return ", ".join(f"{name} {shown(value, most)}" for name, value in arguments.items())


def told_by(found: Separation, ours: str, theirs: str) -> str:
    """An input on which two candidates differ, in numbers."""
    results = parts_shown(found.one, found.other), parts_shown(found.other, found.one)
    return f"With {given_to(found.arguments)}: {ours} gives {results[0]}; {theirs} gives {results[1]}."


def smallest(finding: Finding) -> Iterator[Part]:
    """The smallest input that tells a fault from the healthy model."""
    name, seen = finding.definition.name, against_healthy(finding)
    if seen is not None:
        yield Note(f"{name}-smallest", f"The smallest input that shows it. {told_by(seen, name, 'the healthy model')}")


def separations(finding: Finding) -> Iterator[Part]:
    """The smallest inputs that tell a fault from the healthy model and from the next candidate."""
    name, trial = finding.definition.name, finding.trial
    if trial is None:
        return
    yield from smallest(finding)
    other = nearest_other(finding) if finding.verdict in ("break", "several") else None
    between = separation(trial, finding.matches[0], other) if other else None
    if other and between:
        told = told_by(between, names_of(finding.matches[0]), names_of(other))
        yield Note(f"{name}-next", f"The next candidate is {names_of(other)}; what tells them apart: {told}")


def indistinguishable(finding: Finding) -> Iterator[Part]:
    """Of several candidates: on which input of the model's own interface they would differ."""
    if finding.verdict != "several" or finding.trial is None:
        return
    one, other = (
        finding.matches[0],
        next(
            it for it in finding.matches if it.names[0] not in finding.matches[0].same and it is not finding.matches[0]
        ),
    )
    drawn = sorted(finding.trial.bench.drawn, key=lambda probe: (bool(probe.edge), probe.lead))
    for probe in drawn:
        if apart(computed(one, finding.role, probe.arguments), computed(other, finding.role, probe.arguments)) > 1e-6:
            what = probe.edge or probe.name
            axes = ("no axis", "a batch", "a batch and heads")[max(probe.lead, 0)]
            text = f"{names_of(one)} and {names_of(other)} would differ on: {what}, with {axes} in front."
            yield Note(f"{finding.definition.name}-apart", text)
            return
    yield Note(
        f"{finding.definition.name}-apart",
        f"{names_of(one)} and {names_of(other)} differ only inside a larger network.",
    )


def doubt(finding: Finding) -> str:
    """What it would be without what was assumed."""
    names, faults = finding.definition.name, listed(finding.otherwise)
    if finding.elsewhere:
        return f"No name says what {names} is for: it may as well be another function of the model, with {faults}."
    if "no padding" in finding.plan.cuts:
        return f"If labels of 0 are padding, {names} is the model's {finding.role.name} with {faults}."
    if finding.plan.layout is BATCH_SECOND:
        return (
            f"If the batch comes first, and not the tokens, {names} is the model's {finding.role.name} with {faults}."
        )
    if finding.plan.mask.name != "allowed" or finding.role.makes_mask:
        return f"If masks say the reverse of what is assumed, {names} is the model's {finding.role.name} with {faults}."
    return f"With more axes in front (a batch, heads), {names} is the model's {finding.role.name} with {faults}."


def inherited(finding: Finding, found: Survey) -> tuple[str, ...]:
    """The wrong functions that it calls and that have all of its faults already."""
    calls = found.outline.calls.get(finding.definition.name, frozenset()) - {finding.definition.name}
    called = [one for one in found.findings if one.alarming and one.definition.name in calls]
    theirs = {name for one in called for name in one.blamed}
    explained = finding.alarming and finding.blamed and set(finding.blamed) <= theirs
    return tuple(one.definition.name for one in called) if explained else ()


def source(finding: Finding, found: Survey) -> str:
    """Name of the callee in which this fault originates, or ""."""
    called = {one.definition.name: one for one in found.findings}
    return next((name for name in inherited(finding, found) if not inherited(called[name], found)), "")


def verdict_of(finding: Finding, found: Survey) -> str:
    """The verdict as it stands in the table."""
    if finding.verdict == "right":
        return f"right, to {to_precision(finding.precision)}"
    if finding.fit_for:
        return "right as it is used"
    origin = source(finding, found)
    if origin:
        return f"from {origin}"
    return "wrong at edges" if finding.verdict == "edges" and finding.alarming else SAID[finding.verdict]


def plain(finding: Finding, found: Survey) -> bool:
    """Whether the table says all there is to say: right without a doubt, or wrong by what it calls."""
    doubts = (
        finding.plan.assumed or finding.more or finding.because or finding.otherwise or "one head" in finding.plan.cuts
    )
    return bool(source(finding, found)) or (finding.verdict == "right" and not doubts)


def own_faults(found: Survey) -> list[Finding]:
    """The wrong functions, without those that are wrong by what they call."""
    return [one for one in found.findings if one.alarming and not source(one, found)]


def parts_of(finding: Finding) -> Iterator[Part]:
    """All that is said about one function."""
    yield statement(finding)
    name = finding.definition.name
    if finding.plan.assumed and finding.verdict != "does-not-run":
        yield Note(f"{name}-assumed", f"Assumed of {name}: {'; '.join(finding.plan.assumed)}.")
    if finding.more:
        told = f"{name} holds more than {finding.role.name} has: {shortened(list(finding.more))}."
        yield Note(f"{name}-more", f"{told} That was left as it is made, and is not judged.")
    if finding.because:
        yield Note(f"{name}-because", f"Judged like this, since {finding.because}.")
    if "one head" in finding.plan.cuts:
        yield Note(f"{name}-one-head", "With a single head, ÷ √d_k and ÷ √d_model cannot be told apart.")
    if finding.otherwise:
        yield Note(f"{name}-otherwise", doubt(finding))
    if finding.verdict in ("break", "several"):
        yield from diff_of(finding)
        yield from indistinguishable(finding)
    if finding.alarming:
        yield from separations(finding)
    moved = vital_signs(finding) if finding.verdict == "unknown" else ()
    if moved:
        yield Signs(f"{name}-moved", f"Vital signs that move in a model with {name} in it", moved)


def protections(held: Sequence[Protection]) -> Note:
    """What kept a learner's code from the machine and from the answers, and what did not."""
    holding = [one.name for one in held if one.held]
    open_ = [f"{one.name} ({one.reason})" if one.reason else one.name for one in held if not one.held]
    text = f"Protections that held: {listed(holding) or 'none'}."
    return Note("sandbox", f"{text} Not held: {listed(open_)}." if open_ else text)


def shortened(names: Sequence[str], most: int = NAMED) -> str:
    """The first of them, and how many more there are."""
    return listed([*names[:most], f"{len(names) - most} more"] if len(names) > most else names)


def unwritten_parts(found: Survey) -> Iterator[Part]:
    """What was not judged, since it is still to be written, or calls what is."""
    if found.outline.unwritten:
        yield Note("unwritten", f"Still to be written: {shortened(found.outline.unwritten, NEXT)}.")
    for name, others in found.outline.waiting.items():
        yield Note(f"{name}-waits", f"{name} was not judged: it calls {listed(others)}, still to be written.")


def code_errors(child: Child) -> Iterator[Part]:
    """The statements of the file that raised, but those whose functions are told of by themselves."""
    lost_ones = [finding.code_error for finding in lost(child)]
    alike: dict[tuple[str, str], list[CodeError]] = {}
    for code_error in child.code_errors:
        if code_error not in lost_ones:
            alike.setdefault((code_error.kind, code_error.message), []).append(code_error)
    for one, *later in alike.values():
        told = " ".join(filter(None, (raised(one, *later), reason(one))))
        yield Note(f"line-{one.line!r}", f"{told} {'They were' if later else 'It was'} left out.")


def left_parts(found: Survey) -> Iterator[Part]:
    """What nothing could be made of; where a name promises a part in a transformer, that is no reason to pass it."""
    apart = [f"{name} ({what})" for name in found.left if (what := another(name))]
    if apart:
        yield Note("another", f"Not judged, since by name the model has nothing like it: {shortened(apart)}.")
    promising = [(name, roles[0].name) for name in found.left if (roles := meant(name)) and not another(name)]
    for name, role in promising:
        told = f"{name} was not judged: by its name it is {role}, but no way was found to compare it with the model's."
        yield Note(f"{name}-unjudged", told)
    others = [name for name in found.left if not meant(name) and not another(name)]
    if others:
        yield Note("left", f"Not judged, since no part in a transformer was found for them: {shortened(others)}.")


def late_parts(found: Survey, seconds: float) -> Iterator[Part]:
    """That the time was up, and for which functions."""
    if found.late:
        which = shortened(found.late)
        yield Note("late", f"It was looked at for {seconds:g} seconds and no longer. Not judged in that time: {which}.")


def title_of(found: Survey, file: str) -> str:
    """The sum of it in a line."""
    wrong, own = sum(one.alarming for one in found.findings), own_faults(found)
    if not found.findings and found.outline.unwritten:
        return f"{file}: nothing is written that could be judged"
    if not found.findings:
        return f"{file}: nothing here could be judged"
    verdict = "all right" if not wrong else f"{wrong} wrong" if wrong < len(found.findings) else "wrong"
    by = f", {wrong - len(own)} of them by what they call" if len(own) < wrong else ""
    return f"{count(len(found.findings), 'function')} of {file}: {verdict}{by}"


@np.errstate(all="ignore")
def page(found: Survey, child: Child, seed: int, command: str) -> Result:
    """The whole page."""
    rows = [
        (one.definition.name, line_in_table(one.definition.line), one.role.name, verdict_of(one, found), faults_in(one))
        for one in found.findings
    ]
    shown = [one for one in found.findings if len(rows) == 1 or not plain(one, found)]
    shown.sort(key=lambda one: not one.alarming)
    columns = ("function", "line", "is", "verdict", "fault")
    parts: list[Part] = [table("functions", "What there is", columns, rows)] if rows else []
    parts += [part for one in shown for part in parts_of(one)]
    parts += unwritten_parts(found)
    parts += code_errors(child)
    parts += left_parts(found)
    parts.append(protections(child.held))
    return Result(tuple(parts), title=title_of(found, as_one_line(child.file.name)), seed=seed, command=command)
