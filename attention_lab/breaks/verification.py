"""The checks of the catalogue: what every break declares is measured.

Each check takes the catalogue that it judges and returns the problems, one sentence each. So a test can hand over a
catalogue that is slightly wrong, and see every check fail.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import combinations

import numpy as np

from attention_lab.break_page.pictures import PICTURES
from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import moves
from attention_lab.breaks.record import Break
from attention_lab.demo import perform
from attention_lab.demo.registry import OURS
from attention_lab.errors import BadPatch
from attention_lab.machine.timing import skip_timing
from attention_lab.result import Note, Part, Result, Statement
from attention_lab.text import count
from attention_lab.variants import Model, Patch, healthy, load
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Array, Setting, Vital, take_signs

Breaks = Sequence[Break]
Vitals = Sequence[Vital]
Page = tuple[Part, ...]


@dataclass(frozen=True)
class Check:
    """One rule of a catalogue. `problems` returns a sentence on each violation."""

    name: str
    claim: str
    problems: Callable[[Breaks, Vitals], list[str]]


# ---- texts and patches ----


def repeated_names(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Names that two entries share."""
    names = Counter([*(entry.name for entry in breaks), *(vital.name for vital in vitals), *OURS])
    return [f"{name} names {number} things" for name, number in names.items() if number > 1]


def empty_texts(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Texts that are empty or blank."""
    empty: list[str] = []
    records: list[Break | Vital] = [*breaks, *vitals]
    for record in records:
        for field in fields(record):
            value = getattr(record, field.name)
            texts = value if field.name == "hints" else [value] if isinstance(value, str) else []
            empty += [f"{record.name} has an empty {field.name}" for text in texts if not text.strip()]
    return empty


def patches_that_fail(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Patches that do not match once, or leave no Python."""
    failed = []
    for entry in breaks:
        try:
            entry.load()
        except (BadPatch, SyntaxError) as reason:
            failed.append(f"{entry.name}: {reason}")
    return failed


def ambiguous_patch_accepted(breaks: Breaks, vitals: Vitals) -> list[str]:
    """A problem if the loader takes a patch that matches in several places."""
    try:
        load(Patch("T = ids.shape[-1]", "T = 1"), Patch("scores", "sums"))
    except BadPatch:
        return []
    return ["a patch with several matches was applied"]


# ---- signatures ----


def moved_by_direction(entry: Break) -> dict[str, frozenset[str]]:
    """The vital signs that a break moves, measured, by direction."""
    moved = moves(entry)
    return {way: frozenset(name for name, move in moved.items() if move == way) for way in ("up", "down", "lost")}


def unhealthy_model(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Vital signs of the healthy model that lie outside their range."""
    readings = take_signs(vitals, healthy(), Setting())
    return [f"{r.vital.name} of the healthy model is {r.value} {r.reason}".strip() for r in readings if r.moved]


def no_op_that_moves(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Vital signs that move when a line is replaced by itself."""
    line = "weights = softmax(scores)  # normalise"
    model = load(Patch(line, line))
    return [f"a no-op patch moves {r.vital.name}" for r in take_signs(vitals, model, Setting()) if r.moved]


def signature_problems(entry: Break) -> list[str]:
    """How the measured signature of one break differs from the declared one."""
    measured, declared = moved_by_direction(entry), {"up": entry.up, "down": entry.down, "lost": entry.lost}
    moved, problems = frozenset().union(*measured.values()), []
    for way, names in declared.items():
        problems += [f"does not move {name} {way}" for name in sorted(set(names) - measured[way])]
        problems += [f"moves {name} {way}, undeclared" for name in sorted(measured[way] - set(names))]
    problems += [f"moves {name}, declared still" for name in entry.still if name in moved]
    if entry.harmless:
        problems += [f"is harmless and moves {name}" for name in sorted(moved)]
    elif not moved:
        problems.append("moves nothing and is not declared harmless")
    return [f"{entry.name} {problem}" for problem in problems]


def wrong_signatures(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Breaks that move other vital signs than they declare, or move one that they declare still."""
    return [problem for entry in breaks for problem in signature_problems(entry)]


def unmoved_vitals(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Vital signs that no break moves, and that were thus never seen to fail."""
    moved = frozenset().union(*map(moves, breaks))
    return [f"no break moves {vital.name}" for vital in vitals if vital.name not in moved]


# ---- what is computed ----


def numbers_of(model: Model) -> Array:  # -> (n,)
    """All numbers in the pictures of a model, at two settings; NaN where a picture cannot be drawn."""
    pictures: list[Array] = []
    for setting in (Setting(), Setting(T=5, d_k=6, h=2, B=3, seed=1)):
        words = [str(place) for place in range(setting.T)]
        for picture in PICTURES:
            shape = np.shape(picture.matrix(healthy(), setting, words).values)
            try:
                values = np.asarray(picture.matrix(model, setting, words).values)
            except Exception:  # a picture that cannot be drawn is a difference, too
                values = np.full(shape, np.nan)
            pictures.append(np.resize(values, shape).ravel())
    return np.concatenate(pictures)


@cache
def numbers_with(fault: Break) -> Array:  # -> (n,)
    """All numbers in the pictures of the model with a break."""
    return numbers_of(fault.load())


def computes_same(fault: Break, other: Break) -> bool:
    """Whether two breaks move the same vital signs and compute the same numbers."""
    if moves(fault) != moves(other):
        return False
    return np.allclose(numbers_with(fault), numbers_with(other), rtol=1e-9, atol=1e-12, equal_nan=True)


def undeclared_twins(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Faults that compute the same numbers without a declaration, and faults that do not although they declare it."""
    wrong = []
    for fault, other in combinations((entry for entry in breaks if not entry.harmless), 2):
        same, declared = computes_same(fault, other), (other.name in fault.same_as, fault.name in other.same_as)
        if same and not all(declared):
            wrong.append(f"{fault.name} and {other.name} compute the same, undeclared")
        if not same and any(declared):
            wrong.append(f"{fault.name} and {other.name} do not compute the same, as declared")
    return wrong


# ---- demos ----


def page_of(model: Model, name: str) -> Page:
    """The page of a demo, run on a model with its default options; nothing is timed, since times show no fault."""
    run = importlib.import_module(f"attention_lab.demos.{name}").run
    with np.errstate(all="ignore"), skip_timing():
        return perform(OURS[name], run, model, {}).parts


def name_and_verdict(part: Part) -> tuple[str, bool | None]:
    """What is the same in every run of a demo, also of one that measures seconds."""
    return part.name, part.holds if isinstance(part, Statement) else None


def differs(page: Page, healthy: Page, again: Page) -> bool:
    """Whether a page differs from two pages of the healthy model: in a verdict, or in a part that those two share.

    A part that differs between those two was measured in seconds, and would differ for any model. Texts are compared,
    since NaN is unequal to itself.
    """
    if list(map(name_and_verdict, page)) != list(map(name_and_verdict, healthy)):
        return True
    return any(
        repr(first) == repr(second) != repr(part) for part, first, second in zip(page, healthy, again, strict=True)
    )


@cache
def healthy_pages(demo: str) -> tuple[Page, Page]:
    """Two pages of a demo, run on the healthy model."""
    return page_of(healthy(), demo), page_of(healthy(), demo)


def demo_shows(fault: Break, demo: str) -> bool:
    """Whether a demo gives another page for a break than for the healthy model."""
    pages = healthy_pages(demo)
    try:
        return differs(page_of(fault.load(), demo), *pages)
    except Exception:  # a demo that cannot run on the broken model shows the fault
        return True


def without_demo(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Faults whose demo does not exist, or shows the same on the broken model as on the healthy one."""
    problems = []
    for fault in (entry for entry in breaks if not entry.harmless):
        if fault.demo not in OURS:
            problems.append(f"{fault.name} names the demo {fault.demo}, which does not exist")
        elif not demo_shows(fault, fault.demo):
            problems.append(f"{fault.name} does not show in the demo {fault.demo}")
    return problems


CHECKS = (
    Check("names", "Every name is there once.", repeated_names),
    Check("texts", "No text is empty.", empty_texts),
    Check("patches", "Every patch matches once and leaves a model that loads.", patches_that_fail),
    Check("ambiguous", "A patch with several matches is refused.", ambiguous_patch_accepted),
    Check("healthy", "The healthy model lies inside every range.", unhealthy_model),
    Check("no-op", "A patch that changes nothing moves nothing.", no_op_that_moves),
    Check("signatures", "Every break moves what it declares, and nothing else.", wrong_signatures),
    Check("vitals", "Every vital sign is moved by some break.", unmoved_vitals),
    Check("twins", "No two faults compute the same unless declared.", undeclared_twins),
    Check("demos", "Every fault has a demo that shows it.", without_demo),
)


def verify(breaks: Breaks = BREAKS, vitals: Vitals = VITALS) -> Result:
    """Every check of the catalogue as a statement: whether the check holds, and its first five problems."""
    parts: list[Note | Statement] = []
    for check in CHECKS:
        problems = check.problems(breaks, vitals)
        measured = f"{count(len(problems), 'problem')}: {'; '.join(problems[:5])}." if problems else "No problem found."
        parts.append(Statement(check.name, check.claim, measured, holds=not problems, value=len(problems)))
    title = f"{len(breaks)} breaks and {len(vitals)} vital signs, checked"
    return Result(tuple(parts), title=title, command="attn-lab break --verify")
