"""Weights that a function does not take one by one: in a dictionary, in a tuple, or in names of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.bundled_arguments import asked_for, whole, with_bag
from attention_lab.check.holders import without
from attention_lab.check.inputs import Probe
from attention_lab.check.names import LAYER, plain
from attention_lab.check.plans import Bundle, Plan, bindings, causal_again
from attention_lab.check.restrictions import WEIGHT_OF, cuts_for
from attention_lab.check.trial import Bench
from attention_lab.check.weight_paths import HIDDEN, NORM, PROJECTIONS, places_in
from attention_lab.sandbox.records import CallFailed

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Definition

PATTERNS = {"multi_head": PROJECTIONS, "feed_forward": HIDDEN, "layer_norm": NORM}


def bag_plans(child: Child, definition: Definition, bench: Bench) -> Iterator[Plan]:
    """Plans for a function that takes its weights in one dictionary, or in one tuple."""
    role = bench.role
    names = [one.name for one in definition.parameters if plain(one.name) in map(plain, LAYER)]
    weights = tuple(name for name in role.parameters if name.startswith(("w_", "b_")) or name in ("gain", "bias"))
    weights = tuple(name for name in weights if name not in WEIGHT_OF)
    if role.name not in PATTERNS or len(names) != 1:
        return
    patterns = PATTERNS[role.name]

    def by_key(key: str, free: list[str]) -> str | None:
        return next((name for name in free if patterns[name].fullmatch(plain(key))), None)

    for plan in bindings(definition, with_bag(role, names[0], weights), partly=True):
        for source in (asked_for(child, bench, plan, tuple(patterns), by_key), Bundle(weights)):
            yield from whole(plan, role, source)
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


def global_plans(child: Child, definition: Definition, bench: Bench) -> tuple[Bench, list[Plan]] | None:
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
    for plan in bindings(definition, without(role, held), partly=True):
        cuts = cuts_for(plan.takes | held, role)
        if cuts is not None:
            made += list(causal_again(replace(plan, cuts=(*cuts, *plan.cuts))))
    return Bench(role, drawn), made
