"""Go through a person's file: what each function is for, and what it computes. Leaves first: softmax before attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.match import Bench, Finding, examined, weight
from attention_lab.check.roles import ROLES, Role, meant

if TYPE_CHECKING:
    from attention_lab.check.sandbox import Child, Offer

CALLED = ("forward", "__call__", "call", "apply", "attend")  # the method in which a class does its work


@dataclass(frozen=True)
class Asked:
    """What was said about the file: which function to look at, and what its masks and arrays are like."""

    function: str = ""
    mask: str = ""
    layout: str = ""


@dataclass(frozen=True)
class Survey:
    """What was found, in the order of the file, and the names of what nothing could be made of."""

    findings: tuple[Finding, ...]
    left: tuple[str, ...]


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
    must = sum(not one.default and one.kind in ("positional", "keyword") for one in offer.parameters)
    most = sum(one.kind in ("positional", "keyword") for one in offer.parameters)
    return must <= len(role.parameters) and 0 < most


def best(findings: Iterator[Finding]) -> Finding | None:
    """The best explanation: the first that is right, else the first fault, else the first."""
    found: list[Finding] = []
    for one in findings:
        if not one.alarming:
            return one
        found.append(one)
    return min(found, key=weight, default=None)


def looked_at(child: Child, offer: Offer, benches: Benches, asked: Asked) -> Finding | None:
    """What one function is, by its name, else by trying every role; None where no role explains it."""

    def tried(roles: Sequence[Role]) -> Iterator[Finding]:
        return (examined(child, offer, benches[role], asked.mask, asked.layout) for role in roles)

    by_name = best(tried(meant(offer.name)))
    if by_name is not None and weight(by_name) < 5:
        return by_name
    others = [role for role in ROLES if role not in meant(offer.name) and fits(offer, role)]
    by_trying = best(one for one in tried(others) if weight(one) < 5)
    return by_trying or by_name


def callables(child: Child, asked: Asked) -> list[Offer]:
    """What is looked at: functions, and of a class the method in which it does its work, under the name of the class."""
    offers = [one for one in child.offers if one.kind == "function"]
    return [one for one in offers if asked.function in ("", one.name)]


def survey(child: Child, seed: int, asked: Asked) -> Survey:
    """Every function of the file that has a role, with its verdict."""
    benches = Benches(seed)
    findings, left = [], []
    for offer in callables(child, asked):
        found = looked_at(child, offer, benches, asked)
        if found is None:
            left.append(offer.name)
        else:
            findings.append(found)
    return Survey(tuple(replace(one) for one in findings), tuple(left))
