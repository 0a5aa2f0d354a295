"""Go through a person's file: what each function is for, and what it computes. Leaves first: softmax before attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.calls import Outline
from attention_lab.check.holders import Holder, held_plans, made, weights_in
from attention_lab.check.match import Bench, Finding, examined, weight
from attention_lab.check.plans import Fixed, Plan, Source, plans, sizes_of, varied
from attention_lab.check.remote import narrowed
from attention_lab.check.roles import ROLES, Role, meant
from attention_lab.check.sandbox import CallFailed

if TYPE_CHECKING:
    from attention_lab.check.sandbox import Child, Offer

HOLDING = ("multi_head", "layer_norm", "feed_forward")  # roles whose weights an instance may hold
BY_NAME_ONLY = ("tiled_attention",)  # else it passes for attention without a mask
CALLED = ("forward", "__call__", "call", "apply", "attend")  # the method in which a class does its work


Make = tuple[tuple[str, Source], ...]


@dataclass(frozen=True)
class Asked:
    """What was said about the file: which function to look at, what its masks and arrays are like, what to leave out."""

    function: str = ""
    mask: str = ""
    layout: str = ""
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Survey:
    """What was found, in the order of the file, the names of what nothing could be made of, and what the text says."""

    findings: tuple[Finding, ...]
    left: tuple[str, ...]
    outline: Outline = Outline()


class Benches:
    """The inputs of every role, drawn when the role is first tried."""

    def __init__(self, seed: int) -> None:
        self._seed, self._known = seed, dict[str, Bench]()

    def __getitem__(self, role: Role) -> Bench:
        """The inputs of a role; they do not depend on which others were tried."""
        if role.name not in self._known:
            rng = np.random.default_rng([self._seed, ROLES.index(role)])
            self._known[role.name] = Bench(role, role.probes(rng))
        return self._known[role.name]


def fits(offer: Offer, role: Role) -> bool:
    """Whether a function of this many parameters may have the role, should its name say nothing."""
    usable = [one for one in offer.parameters if one.kind in ("positional", "keyword")]
    return 0 < len(usable) and sum(not one.default for one in usable) <= len(role.parameters)


def best(findings: Iterator[Finding]) -> Finding | None:
    """The best explanation: the first that is right, else the first fault, else the first."""
    found: list[Finding] = []
    for one in findings:
        if not one.alarming:
            return one
        found.append(one)
    return min(found, key=weight, default=None)


def arrays_of(child: Child, kind: Offer, make: Make, bench: Bench) -> tuple[dict[str, Any], dict[str, int]]:
    """The arrays of an instance made for the first inputs of a role, and their sizes; none where it cannot be made."""
    cuts = ("one head",) if "h" in bench.role.parameters and "h" not in dict(make).values() else ()
    arguments = narrowed(bench.drawn[0].arguments, cuts) or {}
    known = sizes_of(arguments) | arguments
    values = {name: source.value if isinstance(source, Fixed) else known.get(str(source)) for name, source in make}
    try:
        return child.attributes(kind.name, ((), values)), sizes_of(arguments)
    except CallFailed:
        return {}, {}


def plans_of_class(child: Child, holder: Holder, bench: Bench, asked: Asked) -> Iterator[Plan]:
    """Ways to make an instance and call its method: with weights that it holds, else with all that the method takes."""
    role = bench.role
    make = made(holder.kind, role)
    if make is None:
        return
    arrays, sizes = arrays_of(child, holder.kind, make, bench) if role.name in HOLDING else ({}, {})
    weights = weights_in(arrays, role, sizes) if arrays else None
    made_with = list(held_plans(holder, role, make, weights or []))
    yield from varied(made_with, role, asked.mask, asked.layout)


def looked_at(child: Child, what: Offer | Holder, benches: Benches, asked: Asked) -> Finding | None:
    """What one function or class is, by its name, else by trying every role; None where no role explains it."""
    offer = what.kind if isinstance(what, Holder) else what
    called = what.method if isinstance(what, Holder) else what

    def tried(roles: Sequence[Role]) -> Iterator[Finding]:
        for role in roles:
            bench = benches[role]
            if isinstance(what, Holder):
                yield examined(child, offer, bench, plans_of_class(child, what, bench, asked))
            else:
                yield examined(child, offer, bench, plans(offer, role, asked.mask, asked.layout))

    by_name = best(tried(meant(offer.name)))
    if by_name is not None and weight(by_name) < 5:
        return by_name
    names = {*(role.name for role in meant(offer.name)), *BY_NAME_ONLY}
    others = [role for role in ROLES if role.name not in names and fits(called, role)]
    by_trying = best(one for one in tried(others) if weight(one) < 5)
    return by_trying or by_name


def callables(child: Child, asked: Asked) -> Iterator[Offer | Holder]:
    """What is looked at: functions, and of a class the method in which it does its work."""
    methods = {one.name: one for one in child.offers if one.kind == "method"}
    for offer in child.offers:
        if asked.function not in ("", offer.name) or offer.name in asked.left_out:
            continue
        if offer.kind == "function":
            yield offer
        elif offer.kind == "class":
            named = [methods[name] for name in (f"{offer.name}.{one}" for one in CALLED) if name in methods]
            own = [one for name, one in methods.items() if name.startswith(f"{offer.name}.")]
            if named or len(own) == 1:
                yield Holder(offer, (named or own)[0])


def survey(child: Child, seed: int, asked: Asked, benches: Benches | None = None) -> Survey:
    """Every function of the file that has a role, with its verdict; `benches` of the same seed may be shared."""
    benches = benches or Benches(seed)
    findings, left = [], []
    for what in callables(child, asked):
        found = looked_at(child, what, benches, asked)
        if found is None:
            left.append((what.kind if isinstance(what, Holder) else what).name)
        else:
            findings.append(found)
    return Survey(tuple(findings), tuple(left))
