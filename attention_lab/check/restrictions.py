"""What an interface leaves out: the model's arguments, made as narrow as a person's function takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_lab.check.inputs import Arguments
from attention_lab.check.names import WEIGHTS
from attention_lab.check.roles import Role

MASKS = {"mask", "memory_mask"}


def sizes_of(arguments: Arguments) -> Arguments:
    """The sizes of a call, for parameters that ask for one."""
    x = arguments.get("x", arguments.get("query"))
    found: Arguments = {
        "h": arguments.get("h", 1),
        **{one: arguments[one] for one in ("T", "d_model") if one in arguments},
    }
    if isinstance(x, np.ndarray) and x.ndim > 1:
        found["d_model"], found["T"] = x.shape[-1], x.shape[-2]
        found["d_k"] = found["d_v"] = x.shape[-1] // found["h"] if "w_query" in arguments else x.shape[-1]
    if "value" in arguments:
        found["d_v"] = arguments["value"].shape[-1]
    if "w_in" in arguments:
        found["d_ff"] = arguments["w_in"].shape[-1]
    if isinstance(arguments.get("layer"), dict):
        found["d_k"] = found["d_v"] = found["d_model"] // found["h"]
        found["d_ff"] = arguments["layer"]["feed_forward"]["w_in"].shape[-1]
    if "d_model" in found:
        found["narrow"] = found["d_k"] if found["h"] > 1 and "d_k" in found else max(found["d_model"] // 3, 1)
    if "d_k" in found:
        found["root of d_k"] = found["d_k"] ** 0.5
    return found


# ---- what an interface leaves out ----


def to_itself(arguments: Arguments) -> Arguments | None:
    """Self-attention: the source is x, and a mask is square."""
    mask, T = arguments.get("mask"), arguments["x"].shape[-2]
    found = {**arguments, "source": arguments["x"]}
    if mask is None:
        return found
    if mask.shape[-1] < T:
        return None
    mask = mask[..., :T].copy()
    mask[..., -1, 0] = False
    return {**found, "mask": mask}


def one_head(arguments: Arguments) -> Arguments:
    """A single head, as wide as a token."""
    return {**arguments, "h": 1}


def no_projection_out(arguments: Arguments) -> Arguments:
    """Heads that are joined and handed back."""
    return {**arguments, "w_out": np.eye(len(arguments["w_out"]), dtype=arguments["w_out"].dtype)}


def unmasked(arguments: Arguments) -> Arguments | None:
    """Calls without a mask."""
    return None if MASKS & arguments.keys() else arguments


def all_visible(arguments: Arguments) -> Arguments:
    """A mask also where none is needed, for who must be given one: everything may be seen."""
    found = dict(arguments)
    for name, tokens in (("mask", "source"), ("memory_mask", "memory")):
        keys: Any = arguments.get(tokens, arguments.get("key", arguments.get("x")))
        if name not in found and keys is not None and (name == "mask" or "memory" in arguments):
            queries: Any = arguments.get("x", arguments.get("query"))
            keys = queries if name == "mask" and "layer" in arguments else keys
            found[name] = np.ones((queries.shape[-2], keys.shape[-2]), dtype=bool)
    return found


def one_mask(arguments: Arguments) -> Arguments | None:
    """Calls in which one mask is for all samples."""
    return None if any(arguments[name].ndim > 2 for name in MASKS & arguments.keys()) else arguments


def always_causal(arguments: Arguments) -> Arguments | None:
    """Calls in which the mask is the causal one."""
    from attention_lab.variants import healthy

    x: Any = arguments.get("x", arguments.get("query"))
    source: Any = arguments.get("source", arguments.get("key", x))
    if "mask" in arguments or x.ndim < 2 or x.shape[-2] != source.shape[-2]:
        return None
    return {**arguments, "mask": healthy().causal_mask(x.shape[-2])}


def square_only(arguments: Arguments) -> Arguments | None:
    """Masks of as many queries as keys."""
    return arguments if arguments["Tq"] == arguments["Tk"] else None


def plain_norm(arguments: Arguments) -> Arguments:
    """A norm without weights of its own."""
    d = arguments["x"].shape[-1]
    return {**arguments, "gain": np.ones(d, arguments["x"].dtype), "bias": np.zeros(d, arguments["x"].dtype)}


def without_bias(arguments: Arguments) -> Arguments:
    """A norm with a gain only."""
    return {**arguments, "bias": 0 * arguments["bias"]}


def without_biases(arguments: Arguments) -> Arguments:
    """Both biases zero."""
    return {**arguments, "b_in": 0 * arguments["b_in"], "b_out": 0 * arguments["b_out"]}


def with_bias(name: str) -> Any:
    """What adds the bias of a projection: random numbers, the same in each call of one width."""

    def added(arguments: Arguments) -> Arguments:
        if name in arguments:
            return arguments
        weight = arguments[WEIGHT_OF[name]]
        numbers = np.random.default_rng([weight.shape[-1], *name.encode()]).standard_normal(weight.shape[-1]) / 2
        return {**arguments, name: numbers.astype(weight.dtype)}

    return added


def as_many(arguments: Arguments) -> Arguments | None:
    """Calls with as many queries as keys."""
    queries, keys = (arguments.get(name, arguments.get(other)) for name, other in (("x", "query"), ("source", "key")))
    fits = queries is None or keys is None or (queries.ndim > 1 and queries.shape[-2] == keys.shape[-2])
    return arguments if fits else None


def one_width(arguments: Arguments) -> Arguments | None:
    """Values as wide as keys."""
    width = arguments["key"].shape[-1]
    return {**arguments, "value": arguments["value"][..., :width]}


def unpadded(arguments: Arguments) -> Arguments:
    """Labels none of which is padding."""
    return {**arguments, "labels": np.where(arguments["labels"] == 0, 2, arguments["labels"])}


def from_zero(arguments: Arguments) -> Arguments | None:
    """Positions that count from 0."""
    return arguments if arguments["positions"][0] == 0 else None


def in_training(arguments: Arguments) -> Arguments | None:
    """Calls in training."""
    return arguments if arguments["training"] else None


WEIGHT_OF = {"b_query": "w_query", "b_key": "w_key", "b_value": "w_value", "b_output": "w_out"}
CUTS: dict[str, Any] = {
    **{f"with {name}": with_bias(name) for name in WEIGHT_OF},
    "itself": to_itself,
    "one head": one_head,
    "no w_out": no_projection_out,
    "no mask": unmasked,
    "one mask": one_mask,
    "causal": always_causal,
    "always a mask": all_visible,
    "square": square_only,
    "as many": as_many,
    "one width": one_width,
    "no padding": unpadded,
    "no gain, no bias": plain_norm,
    "no bias": without_bias,
    "no biases": without_biases,
    "from 0": from_zero,
    "in training": in_training,
}
TOLD = {
    "itself": "tokens attend to themselves: there is no other source",
    "one head": "there is one head",
    "no w_out": "there is no output projection",
    "no mask": "there is no mask",
    "always a mask": "it is always given a mask",
    "one mask": "one mask is for all samples",
    "causal": "the mask is always causal",
    "square": "as many queries as keys",
    "as many": "as many queries as keys",
    "one width": "values are as wide as keys",
    "no padding": "every label counts, and none is padding",
    "no gain, no bias": "the norm has no gain and no bias",
    "no bias": "the norm has no bias",
    "no biases": "there are no biases",
    "from 0": "positions count from 0",
    "in training": "it is only used in training",
}
ABSENT = {  # an argument that the interface has no parameter for, and the cut that stands for it
    "source": "itself",
    "h": "one head",
    "w_out": "no w_out",
    "mask": "no mask",
    "memory_mask": "no mask",
    "Tk": "square",
    "gain": "no gain, no bias",
    "bias": "no gain, no bias",
    "b_in": "no biases",
    "b_out": "no biases",
    "positions": "from 0",
    "training": "in training",
}
WEIGHTED = {*WEIGHTS, "w_in"}
HARMLESS_ABSENCE = ("pad", "eps", "height", "width", "rng")  # the function's own value stands


def cuts_for(takes: frozenset[str], role: Role) -> tuple[str, ...] | None:
    """What the interface leaves out; None where it leaves out what nothing can stand for."""
    cuts: list[str] = []
    for name in role.parameters:
        if name in WEIGHT_OF and name in takes:
            cuts.append(f"with {name}")
        if name in takes or name in HARMLESS_ABSENCE or name in WEIGHT_OF:
            continue
        if name not in ABSENT or (name in ("source", "h", "w_out") and "w_query" not in role.parameters):
            return None
        cuts.append("no bias" if name == "bias" and "gain" in takes else ABSENT[name])
    return tuple(dict.fromkeys(cuts))


def eps_of(cut: str) -> float | None:
    """The eps of which a cut says that a norm has its own: "eps 1e-12"."""
    return float(cut[4:]) if cut.startswith("eps ") else None


def narrowed(arguments: Arguments, cuts: tuple[str, ...]) -> Arguments | None:
    """The arguments as narrow as the person's interface; None where it cannot make such a call."""
    found: Arguments | None = arguments
    for name in cuts:
        eps = eps_of(name)
        found = None if found is None else CUTS[name](found) if eps is None else {**found, "eps": eps}
    return found
