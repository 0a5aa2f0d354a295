"""Classes: what to make an instance of, and which of the arrays that it holds is which weight.

Weights are found by their names (W_q, q_proj.weight, in_proj_weight, gamma, fc1.weight) and set to ours; biases that
the model does not have are set to 0. A matrix of (d, d) may multiply from either side: both are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from attention_lab.check.cuts import cuts_for
from attention_lab.check.names import SETTINGS, WEIGHTS, plain, sized
from attention_lab.check.plans import Fixed, Plan, Source, bindings, causal_again
from attention_lab.check.roles import Role

if TYPE_CHECKING:
    from attention_lab.sandbox.records import Offer

AROUND = r"(w|weights?|linear|lin|proj|projection|to|fc|dense|layer|matrix|mat|kernel|self|attn|attention|heads?)*"
LETTERS = {
    "w_query": r"(q|query|queries)",
    "w_key": r"(k|key|keys)",
    "w_value": r"(v|value|values|val)",
    "w_query+w_key+w_value": r"(qkv|in|c)",
    "w_key+w_value": r"(kv|keyvalue)",
    "w_out": r"(o|out|output|final|combine|c|unify|merge|)",
}
PROJECTIONS = {name: re.compile(f"{AROUND}{letter}{AROUND}") for name, letter in LETTERS.items()}
HIDDEN = {
    "w_in": re.compile(
        r"(w|weights?|linear|lin|fc|dense|layer|net|conv)?(1|in|up|hidden|0)(weights?|kernel)?|cfc(weight)?"
    ),
    "w_out": re.compile(
        r"(w|weights?|linear|lin|fc|dense|layer|net|conv)?(2|out|down|output)(weights?|kernel)?|cproj(weight)?"
    ),
    "b_in": re.compile(r"(b|bias|w|linear|lin|fc|dense|layer|net)?(1|in|up|hidden|0)(bias|b)?|cfcbias"),
    "b_out": re.compile(r"(b|bias|w|linear|lin|fc|dense|layer|net)?(2|out|down|output)(bias|b)?|cprojbias"),
}
NORM = {
    "gain": re.compile(r"(gain|gamma|weights?|g|scale|a2?|w|alpha)"),
    "bias": re.compile(r"(bias|beta|b2?|shift|offset)"),
}

NEEDED = {"layer_norm": ("d_model",), "feed_forward": ("d_model", "d_ff"), "multi_head": ("d_model", "h")}


@dataclass(frozen=True)
class Holder:
    """A class and the method in which it does its work."""

    kind: Offer
    method: Offer


def made(kind: Offer, role: Role) -> tuple[tuple[str, Source], ...] | None:
    """What the constructor is given; None where it needs what nobody knows.

    A size whose name says nothing, or that of one that is given already, is the next one that the role needs.
    """
    found: dict[str, Source] = {}
    named = {sized(one.name) for one in kind.parameters}
    for one in kind.parameters:
        size, bare = sized(one.name), plain(one.name)
        if one.kind not in ("positional", "keyword"):
            continue
        again = size in found.values() and role.name == "feed_forward"
        given = {*found.values(), *(named - {size})}
        needed = [name for name in NEEDED.get(role.name, ()) if name not in given]
        if size is not None and not again:
            found[one.name] = size
        elif bare in SETTINGS and (not one.default or "dropout" in bare):
            found[one.name] = Fixed(SETTINGS[bare])
        elif "eps" in bare and "eps" in role.parameters:
            found[one.name] = "eps"
        elif not one.default and not needed:
            return None
        elif not one.default:
            found[one.name] = needed[0]
    return tuple(found.items())


def symbolic(shape: tuple[int, ...], sizes: Mapping[str, int]) -> str:
    """A shape in the names of sizes, so that it can be made anew at others; empty where one is unknown."""
    names = [next((name for name, size in sizes.items() if size == length), "") for length in shape]
    return ",".join(names) if all(names) else ""


def weight_form(shape: tuple[int, ...], sizes: Mapping[str, int], packed: int) -> str | None:
    """How an array of this shape holds (d, packed · d) numbers; None where it cannot."""
    d, h = sizes["d_model"], sizes["h"]
    if len(shape) == 3 and packed == 1:
        return "heads" if shape == (h, d, d // h) else None
    if packed > 1:
        known: dict[tuple[int, ...], str] = {(d, packed * d): "whole", (packed * d, d): "turned"}
        return known.get(shape)
    return "either" if shape == (d, d) else None


def in_order(arrays: Mapping[str, Any], d: int) -> dict[str, str]:
    """The projections in a list of three or four: query, key, value, output. Their paths differ in a number only."""
    rows: dict[str, list[str]] = {}
    for path, array in arrays.items():
        if array.shape == (d, d):
            rows.setdefault(re.sub(r"\d+", "#", path), []).append(path)
    row = next((paths for paths in rows.values() if len(paths) in (3, 4)), [])
    return dict(zip(row, WEIGHTS, strict=False))


def projections_in(arrays: Mapping[str, Any], sizes: Mapping[str, int]) -> list[tuple[str, str, str]] | None:
    """Path, argument and form of every weight of attention; None where an array has no place."""
    found, taken = [], set[str]()
    listed = in_order(arrays, sizes["d_model"])
    for path, array in arrays.items():
        bare = plain(listed.get(path, path).replace(".", ""))
        if array.dtype.kind != "f" or array.ndim == 0:
            continue
        zeros = symbolic(array.shape, {**sizes, "3d": 3 * sizes["d_model"], "2d": 2 * sizes["d_model"]})
        if array.ndim == 1 and zeros:
            found.append((path, "", f"zeros:{zeros}"))
            continue
        for name, pattern in PROJECTIONS.items():
            form = weight_form(array.shape, sizes, name.count("+") + 1)
            if form and not taken & set(name.split("+")) and pattern.fullmatch(bare):
                found.append((path, name, "torch" if form == "either" and path.endswith(".weight") else form))
                taken |= set(name.split("+"))
                break
    return found if taken >= {"w_query", "w_key", "w_value"} else None


def others_in(arrays: Mapping[str, Any], patterns: Mapping[str, re.Pattern[str]]) -> list[tuple[str, str, str]]:
    """Path, argument and form of the weights of a norm or of feed-forward."""
    found: list[tuple[str, str, str]] = []
    for path, array in arrays.items():
        bare = plain(path.replace(".", ""))
        for name, pattern in patterns.items():
            if (
                name not in [one for _, one, _ in found]
                and array.ndim == (2 if name.startswith("w_") else 1)
                and pattern.fullmatch(bare)
            ):
                found.append((path, name, "torch" if path.endswith(".weight") and array.ndim == 2 else "either"))
                break
    return found


def weights_in(arrays: Mapping[str, Any], role: Role, sizes: Mapping[str, int]) -> list[tuple[str, str, str]] | None:
    """Which array of an instance is which weight of the role; None where weights are missing."""
    if "w_query" in role.parameters:
        return projections_in(arrays, sizes)
    if role.name == "feed_forward":
        found = others_in(arrays, HIDDEN)
        return found if {"w_in", "w_out"} <= {name for _, name, _ in found} else None
    return others_in(arrays, NORM) if role.name == "layer_norm" else []


def without(role: Role, held: set[str]) -> Role:
    """The role as its method sees it: what the instance holds is no argument."""
    return replace(role, parameters={name: names for name, names in role.parameters.items() if name not in held})


def held_plans(
    holder: Holder, role: Role, make: tuple[tuple[str, Source], ...], weights: list[tuple[str, str, str]]
) -> Iterator[Plan]:
    """Plans for the method of an instance that holds these weights."""
    held = {name for _, names, _ in weights for name in names.split("+") if name}
    held |= {str(source) for _, source in make if source in ("h", "eps")}
    for plan in bindings(holder.method, without(role, held), partly=True):
        cuts = cuts_for(plan.takes | held, role)
        if cuts is not None:
            whole = replace(plan, make=make, attributes=tuple(weights), cuts=(*cuts, *plan.cuts))
            yield from causal_again(whole)
