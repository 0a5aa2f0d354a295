"""Go through a person's file: what each function is for, and what it computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.calls import Outline
from attention_lab.check.file_context import fit_for_use, of_one_mind
from attention_lab.check.holders import Holder
from attention_lab.check.match import Finding
from attention_lab.check.not_callable import lost, named_like, unmade
from attention_lab.check.recognition import Asked, Benches, looked_at
from attention_lab.source_text import WORKING

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Definition


@dataclass(frozen=True)
class Survey:
    """What was found, in the order of the file, the names of what nothing could be made of, and what the text says.

    `late` are those for which the time was up: what nothing, or nothing good, was found of until then.
    """

    findings: tuple[Finding, ...]
    left: tuple[str, ...]
    outline: Outline = field(default_factory=Outline)
    late: tuple[str, ...] = ()


def callables(child: Child, asked: Asked) -> Iterator[Definition | Holder]:
    """What is looked at: functions, and of a class the method in which it does its work."""
    methods = {one.name: one for one in child.definitions if one.kind == "method"}
    kinds = tuple(one for one in child.definitions if one.kind == "class")
    for definition in child.definitions:
        if asked.function not in ("", definition.name) or definition.name in asked.left_out:
            continue
        if definition.kind in ("function", "static"):
            yield replace(definition, call=asked.call)
        elif definition.kind == "class":
            named = [methods[name] for name in (f"{definition.name}.{one}" for one in WORKING) if name in methods]
            told = [one for one in named if any(parameter.kind == "positional" for parameter in one.parameters)]
            own = [one for name, one in methods.items() if name.startswith(f"{definition.name}.")]
            if named and told and named[0] != told[0]:  # __call__(*inputs) that hands them on to call(x)
                yield Holder(definition, replace(told[0], name=named[0].name, call=asked.call), kinds)
            elif named or len(own) == 1:
                yield Holder(definition, replace((named or own)[0], call=asked.call), kinds)


def name_of(what: Definition | Holder) -> str:
    """The name in the file of a function or a class."""
    return (what.kind if isinstance(what, Holder) else what).name


@np.errstate(all="ignore")  # what foreign numbers come to is looked at, not warned of
def survey(child: Child, seed: int, asked: Asked, benches: Benches | None = None) -> Survey:
    """Every function of the file that has a role, with its verdict; `benches` of the same seed may be shared."""
    benches = benches or Benches(seed)
    known: list[tuple[Definition | Holder, Finding]] = []
    left: list[str] = []
    late: list[str] = []
    for what in callables(child, asked):
        found = None if child.late else looked_at(child, what, benches, asked)
        if found is None and isinstance(what, Holder) and not child.late:
            possible = (unmade(child, what, benches[role]) for role in named_like(what.kind.name))
            found = next(filter(None, possible), None)
        if child.late and (found is None or found.alarming):  # every call has failed since, which says nothing
            late.append(name_of(what))
        elif found is None:
            left.append(name_of(what))
        else:
            known.append((what, found))
    if not asked.mask:
        known = of_one_mind(child, known, benches, asked)
    findings = [*fit_for_use([found for _, found in known], asked), *lost(child, asked.function)]
    return Survey(tuple(sorted(findings, key=lambda one: one.definition.line)), tuple(left), late=tuple(late))
