"""The doctor of the catalogue: what every break declares is measured, and every check can fail.

Each check takes the catalogue it is to judge and returns what is wrong with it, one sentence a problem. So a test can
hand it a catalogue that is slightly wrong.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from attention_lab.break_page.pictures import PICTURES
from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import moves
from attention_lab.breaks.record import Break
from attention_lab.demo import perform
from attention_lab.demo.registry import OURS
from attention_lab.errors import BadPatch
from attention_lab.result import Note, Part, Result, Statement
from attention_lab.text import count
from attention_lab.variants import Model, Patch, healthy, load
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Array, Setting, Vital, take_all

Breaks = Sequence[Break]
Vitals = Sequence[Vital]
Page = tuple[Part, ...]


@dataclass(frozen=True)
class Check:
    """One thing that must be so of a catalogue. `problems` returns what is not."""

    name: str
    claim: str
    problems: Callable[[Breaks, Vitals], list[str]]


# ---- texts and patches ----


def repeated_names(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Names that two entries share."""
    names = Counter([*(one.name for one in breaks), *(vital.name for vital in vitals), *OURS])
    return [f"{name} names {number} things" for name, number in names.items() if number > 1]


def empty_texts(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Texts that say nothing."""
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
    for one in breaks:
        try:
            one.load()
        except (BadPatch, SyntaxError) as reason:
            failed.append(f"{one.name}: {reason}")
    return failed


def ambiguous_patch_accepted(breaks: Breaks, vitals: Vitals) -> list[str]:
    """A patch that matches twice must be refused: the first line that stands twice in the model is one."""
    try:
        load(Patch("T = ids.shape[-1]", "T = 1"), Patch("scores", "sums"))
    except BadPatch:
        return []
    return ["a patch with several matches was applied"]


# ---- signatures ----


def signature(one: Break) -> dict[str, frozenset[str]]:
    """Which vital signs a break moves, by direction."""
    moved = moves(one)
    return {way: frozenset(name for name, move in moved.items() if move == way) for way in ("up", "down", "lost")}


def unhealthy_model(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Vital signs of the healthy model that lie outside their range."""
    readings = take_all(vitals, healthy(), Setting())
    return [f"{r.vital.name} of the healthy model is {r.value} {r.reason}".strip() for r in readings if r.moved]


def no_op_that_moves(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Vital signs that move when a line is replaced by itself."""
    line = "weights = softmax(scores)  # normalise"
    model = load(Patch(line, line))
    return [f"a no-op patch moves {r.vital.name}" for r in take_all(vitals, model, Setting()) if r.moved]


def wrong_signatures(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Breaks that move other vital signs than they declare, or move one that they declare still."""
    wrong = []
    for one in breaks:
        measured, declared = signature(one), {"up": one.up, "down": one.down, "lost": one.lost}
        for way, names in declared.items():
            wrong += [f"{one.name} does not move {name} {way}" for name in sorted(set(names) - measured[way])]
            wrong += [f"{one.name} moves {name} {way}, undeclared" for name in sorted(measured[way] - set(names))]
        moved = frozenset().union(*measured.values())
        wrong += [f"{one.name} moves {name}, declared still" for name in one.still if name in moved]
        wrong += [f"{one.name} is harmless and moves {name}" for name in sorted(moved) if one.harmless]
        wrong += [f"{one.name} moves nothing and is not declared harmless"] if not moved and not one.harmless else []
    return wrong


def unmoved_vitals(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Vital signs that no break moves: checks that were never seen to fail."""
    moved = frozenset().union(*(names for one in breaks for names in signature(one).values()))
    return [f"no break moves {vital.name}" for vital in vitals if vital.name not in moved]


# ---- what is computed ----


def numbers_of(model: Model) -> Array:  # -> (n,)
    """All that the pictures show of a model, at two settings; NaN where one cannot be drawn."""
    found: list[Array] = []
    for setting in (Setting(), Setting(T=5, d_k=6, h=2, B=3, seed=1)):
        words = [str(place) for place in range(setting.T)]
        for picture in PICTURES:
            shape = np.shape(picture.matrix(healthy(), setting, words).values)
            try:
                values = np.asarray(picture.matrix(model, setting, words).values)
            except Exception:  # what cannot be drawn is told apart by that
                values = np.full(shape, np.nan)
            found.append(np.resize(values, shape).ravel())
    return np.concatenate(found)


def undeclared_twins(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Faults that compute the same numbers without saying so, or say so and do not."""
    faults = [one for one in breaks if not one.harmless]
    numbers = {one.name: numbers_of(one.load()) for one in faults}
    wrong = []
    for i, one in enumerate(faults):
        for other in faults[i + 1 :]:
            alike = np.allclose(numbers[one.name], numbers[other.name], rtol=1e-9, atol=1e-12, equal_nan=True)
            alike = alike and signature(one) == signature(other)
            declared = other.name in one.same_as, one.name in other.same_as
            if alike and not all(declared):
                wrong.append(f"{one.name} and {other.name} compute the same, undeclared")
            if not alike and any(declared):
                wrong.append(f"{one.name} and {other.name} do not compute the same, as declared")
    return wrong


# ---- demos ----


def page_of(model: Model, name: str) -> Page:
    """What a demo shows of a model."""
    run = importlib.import_module(f"attention_lab.demos.{name}").run
    with np.errstate(all="ignore"):
        return perform(OURS[name], run, model, {}).parts


def told(part: Part) -> tuple[str, bool | None]:
    """What is the same in every run, also of a demo that takes times: a part's name, and its verdict if it has one."""
    return part.name, part.holds if isinstance(part, Statement) else None


def sees(page: Page, healthy: Page, again: Page) -> bool:
    """Whether a page differs from two of the healthy model: in a verdict, or in a part that is the same in those two.

    What differs between these two was measured in seconds, and would differ for any model. Texts are compared, since
    NaN is unequal to itself.
    """
    if list(map(told, page)) != list(map(told, healthy)):
        return True
    return any(repr(one) == repr(two) != repr(here) for here, one, two in zip(page, healthy, again, strict=True))


def without_demo(breaks: Breaks, vitals: Vitals) -> list[str]:
    """Faults whose demo shows the same on the broken model as on the healthy one."""
    blind: list[str] = []
    pages: dict[str, tuple[Page, Page]] = {}
    for one in breaks:
        if one.harmless:
            continue
        if one.demo not in OURS:
            blind.append(f"{one.name} names the demo {one.demo}, which does not exist")
            continue
        if one.demo not in pages:
            pages[one.demo] = page_of(healthy(), one.demo), page_of(healthy(), one.demo)
        try:
            seen = sees(page_of(one.load(), one.demo), *pages[one.demo])
        except Exception:  # a demo that cannot run on the broken model shows the fault
            seen = True
        if not seen:
            blind.append(f"{one.name} does not show in the demo {one.demo}")
    return blind


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
    """Every check of the catalogue as a statement: whether it holds, and the first of what is wrong."""
    parts: list[Note | Statement] = []
    for check in CHECKS:
        problems = check.problems(breaks, vitals)
        seen = f"{count(len(problems), 'problem')}: {'; '.join(problems[:5])}." if problems else "No problem found."
        parts.append(Statement(check.name, check.claim, seen, holds=not problems, value=len(problems)))
    title = f"{len(breaks)} breaks and {len(vitals)} vital signs, checked"
    return Result(tuple(parts), title=title, command="attn-lab break --verify")
