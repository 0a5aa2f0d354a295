"""Findings in the light of the whole file: one sense of masks, and what is made of each function by the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.holders import Holder
from attention_lab.check.layouts import REVERSED
from attention_lab.check.match import Finding
from attention_lab.check.recognition import Asked, Benches, looked_at
from attention_lab.check.references import LAYERS

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Definition

ABOUT_AXES = {
    *("softmax-over-queries", "softmax-over-batch", "softmax-over-heads", "softmax-one-total"),
    *("norm-over-tokens", "norm-over-everything"),
}
WITH_HEADS = ("multi_head", "split_heads", "merge_heads", "cached_multi_head", *LAYERS)
HEADLESS = "there are no heads in this file, whose axis a mask of (B, 1, T) would lack"
OF_ONE_MIND = "other functions of the file take True in a mask for 'may attend'"


def says(finding: Finding) -> str:
    """What a right function takes or makes its masks for: "allowed" or "hidden"; "" where it has none, or adds them."""
    masked = finding.role.makes_mask or "mask" in finding.plan.takes
    if finding.alarming or not masked or finding.plan.mask.name == "additive":
        return ""
    return "hidden" if finding.plan.mask.name in REVERSED else "allowed"


def of_one_mind(
    child: Child, known: list[tuple[Definition | Holder, Finding]], benches: Benches, asked: Asked
) -> list[tuple[Definition | Holder, Finding]]:
    """In one file a mask says one thing: where only some functions take True for hidden, these are judged anew.

    Makers of masks alone may be for several functions of other files.
    """
    said = [(says(found), found.role.makes_mask) for _, found in known if says(found)]
    if len({mask for mask, _ in said}) < 2 or all(makes for _, makes in said):
        return known
    anew = []
    for what, found in known:
        strict = replace(asked, mask="ones" if found.plan.mask.name == "zeros" else "allowed")
        other = looked_at(child, what, benches, strict) if says(found) == "hidden" else None
        anew.append((what, replace(other, because=OF_ONE_MIND) if other else found))
    return anew


@np.errstate(all="ignore")  # what foreign numbers come to is looked at, not warned of
def fit_for_use(findings: Sequence[Finding], asked: Asked) -> list[Finding]:
    """The findings; what is wrong only for a use that the file does not make of it is not.

    A softmax of one row, where all that call it are right; a padding mask without an axis for heads, where none are.
    """
    by_name = {one.definition.name: one for one in findings}
    heads = any(one.role.name in WITH_HEADS and "one head" not in one.plan.cuts for one in findings)

    def used(one: Finding) -> Finding:
        names = [name for name, called in asked.calls.items() if one.definition.name in called - {name}]
        callers = [by_name[name] for name in names if name in by_name]
        fine = bool(callers) and one.verdict in ("break", "several") and not any(it.alarming for it in callers)
        if fine and all(set(match.faults) <= ABOUT_AXES for match in one.matches):
            return replace(one, fit_for=f"{callers[0].definition.name}, which calls it, is right")
        return replace(one, fit_for=HEADLESS) if one.breaks == ("padding-missing-axis",) and not heads else one

    return [used(one) for one in findings]
