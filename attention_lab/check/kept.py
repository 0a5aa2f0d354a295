"""Weights that a function does not take one by one: in a dictionary, in a tuple, or in names of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.cuts import cuts_for
from attention_lab.check.holders import without
from attention_lab.check.inputs import Probe
from attention_lab.check.names import LAYER, plain
from attention_lab.check.places import HIDDEN, NORM, PROJECTIONS, places_in
from attention_lab.check.plans import Bag, Bundle, Plan, Source, bindings, causal_again
from attention_lab.check.remote import value_of
from attention_lab.check.roles import Role
from attention_lab.check.trial import Bench
from attention_lab.sandbox.records import CallFailed, Raised

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Offer

PATTERNS = {"multi_head": PROJECTIONS, "feed_forward": HIDDEN, "layer_norm": NORM}
MOST = 12  # keys that are asked for, one after the other


@dataclass(frozen=True)
class Kept:
    """A parameter that takes several weights at once."""

    parameter: str
    weights: tuple[str, ...]


def with_bag(role: Role, kept: Kept) -> Role:
    """The role as the function sees it: its weights in one argument."""
    others = {name: names for name, names in role.parameters.items() if name not in kept.weights}
    return replace(role, parameters={**others, "bag": (kept.parameter,)})


def filled(plan: Plan, source: Source) -> Plan:
    """The plan with weights in the place of the bag."""
    positional = tuple(source if one == "bag" else one for one in plan.positional)
    keyword = tuple((name, source if one == "bag" else one) for name, one in plan.keyword)
    return replace(plan, positional=positional, keyword=keyword)


def key_of(error: Raised) -> str:
    """The key that a dictionary lacks, as its error says."""
    return error.trouble.message.strip("'\"") if error.trouble.kind == "KeyError" else ""


def asked_for(child: Child, bench: Bench, plan: Plan) -> Bag:
    """The keys that a function looks up in a dictionary, each with the weight that it means: found by calling it."""
    role, known = bench.role, dict[str, str]()
    patterns = PATTERNS[role.name]
    for arguments in (probe.arguments for probe in bench.drawn if probe.name == bench.drawn[0].name):
        for _ in range(MOST):
            trial = filled(plan, Bag(tuple(known.items())))
            given = [value_of(source, arguments, role, trial) for source in trial.positional]
            named = {name: value_of(source, arguments, role, trial) for name, source in trial.keyword}
            try:
                child.call(plan.target, given, named)
                break
            except CallFailed as error:
                key = key_of(error) if isinstance(error, Raised) else ""
            free = [name for name in patterns if name not in known.values()]
            meant = next((name for name in free if patterns[name].fullmatch(plain(key))), None)
            if not key or key in known or meant is None:
                break
            known[key] = meant
    return Bag(tuple(known.items()))


def bag_plans(child: Child, offer: Offer, bench: Bench) -> Iterator[Plan]:
    """Plans for a function that takes its weights in one dictionary, or in one tuple."""
    role = bench.role
    names = [one.name for one in offer.parameters if plain(one.name) in map(plain, LAYER)]
    weights = tuple(name for name in role.parameters if name.startswith(("w_", "b_")) or name in ("gain", "bias"))
    if role.name not in PATTERNS or len(names) != 1:
        return
    for plan in bindings(offer, with_bag(role, Kept(names[0], weights)), partly=True):
        bag = asked_for(child, bench, plan)
        held = {name for _, names in bag.items for name in names.split("+")}
        for source in (bag, Bundle(weights)):
            takes = plan.takes - {"bag"} | (held if source is bag else set(weights))
            cuts = cuts_for(frozenset(takes), role)
            if cuts is not None:
                yield from causal_again(replace(filled(plan, source), cuts=(*cuts, *plan.cuts)))
        return


# ---- names of the file ----


def width_of(arrays: Mapping[str, Any]) -> int:
    """The width of a token, as the square matrices of a file have it; 0 where there is none."""
    squares = [len(one) for one in arrays.values() if one.ndim == 2 and one.shape[0] == one.shape[1]]
    return squares[0] if squares else 0


def widened(probe: Probe, weights: Mapping[str, Any], d: int, rng: np.random.Generator) -> Probe:
    """A probe with the file's weights, and tokens as wide as these want them."""
    tokens: dict[str, Any] = {name: probe.arguments[name] for name in ("x", "source")}
    wide = {name: rng.standard_normal((*one.shape[:-1], d)).astype(one.dtype) for name, one in tokens.items()}
    return replace(probe, arguments={**probe.arguments, **wide, **weights})


def global_plans(child: Child, offer: Offer, bench: Bench) -> tuple[Bench, list[Plan]] | None:
    """Inputs and plans for a function that finds its weights in the names of its file; None where there are none."""
    role = bench.role
    if role.name != "multi_head":
        return None
    try:
        arrays = child.attributes("")
    except CallFailed:
        return None
    d = width_of(arrays)
    known = next(places_in(arrays, role.name, {"d_model": d, "h": 1, "d_k": d}), None) if d else None
    found = known.places if known else ()
    if not found or any("+" in name or "#" in path for path, name, _ in found):
        return None
    weights = {"w_out": np.eye(d)} | {name: np.asarray(arrays[path], float) for path, name, _ in found}
    rng = np.random.default_rng(len(bench.drawn))
    drawn = [widened(probe, weights, d, rng) for probe in bench.drawn if not probe.edge]
    held = frozenset(name for _, name, _ in found)
    made = []
    for plan in bindings(offer, without(role, held), partly=True):
        cuts = cuts_for(plan.takes | held, role)
        if cuts is not None:
            made += list(causal_again(replace(plan, cuts=(*cuts, *plan.cuts))))
    return Bench(role, drawn), made
