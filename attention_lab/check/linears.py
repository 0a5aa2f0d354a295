"""Functions that take each linear layer as a dictionary of a weight and a bias: mha(x, c_attn, c_proj, n_head)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attention_lab.check.names import plain
from attention_lab.check.plans import Bag, Plan, Source, bindings, by_name, causal_again
from attention_lab.check.restrictions import WEIGHT_OF, cuts_for
from attention_lab.check.roles import Role
from attention_lab.check.weight_paths import HIDDEN, PROJECTIONS

if TYPE_CHECKING:
    from attention_lab.sandbox.records import Definition

KEYS = (("w", "b"), ("weight", "bias"), ("W", "b"), ("kernel", "bias"), ("w", ""), ("weight", ""))
BIAS_OF = {weight: bias for bias, weight in WEIGHT_OF.items()}
HIDDEN_BIAS_OF = {"w_in": "b_in", "w_out": "b_out"}


def layers_in(definition: Definition, role: Role) -> dict[str, str]:
    """Which weights the layer has that a parameter takes, by its name, joined by "+"; none where one is missing."""
    patterns = PROJECTIONS if role.name == "multi_head" else HIDDEN if role.name == "feed_forward" else {}
    needed = {name for name in role.needed if name.startswith("w_")}
    named = by_name([one.name for one in definition.parameters], role, letters=True)
    found: dict[str, str] = {}
    for one in definition.parameters:
        if named.get(one.name, "w_").startswith("w_") and not one.default:
            free = [names for names in patterns if set(names.split("+")) <= needed]
            fitting = (names for names in free if patterns[names].fullmatch(plain(one.name)))
            weights = next(fitting, "")
            found |= {one.name: weights} if weights else {}
            needed -= set(weights.split("+"))
    return {} if needed else found


def bag(names: str, keys: tuple[str, str], role: Role) -> Bag:
    """A layer's weight, and its bias where it has a key."""
    biases = BIAS_OF if role.name == "multi_head" else HIDDEN_BIAS_OF
    weight, bias = keys
    items = [(weight, names), (bias, "+".join(biases[name] for name in names.split("+")))]
    return Bag(tuple(item for item in items if item[0]))


def linear_plans(definition: Definition, role: Role) -> Iterator[Plan]:
    """Plans for such a function, with the usual names of a weight and a bias."""
    layers = layers_in(definition, role)
    if not layers:
        return
    held = {name for name in role.parameters if name.startswith(("w_", "b_"))}
    others = {name: names for name, names in role.parameters.items() if name not in held}
    seen = replace(role, parameters={**others, **{name: (name,) for name in layers}})
    for plan in bindings(definition, seen, partly=True):
        for keys in KEYS:
            bags = {name: bag(names, keys, role) for name, names in layers.items()}

            def filled(source: Source, bags: dict[str, Bag] = bags) -> Source:
                return bags.get(source, source) if isinstance(source, str) else source

            positional = tuple(map(filled, plan.positional))
            keyword = tuple((name, filled(source)) for name, source in plan.keyword)
            made = replace(plan, positional=positional, keyword=keyword)
            cuts = cuts_for(made.takes, role)
            if cuts is not None:
                yield from causal_again(replace(made, cuts=(*cuts, *plan.cuts)))
