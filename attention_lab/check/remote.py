"""A person's function as a Python callable with the arguments of the model's, whatever its own interface is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.inputs import Arguments, Parts
from attention_lab.check.layouts import USUAL
from attention_lab.check.names import WEIGHTS, every_size
from attention_lab.check.plans import Bag, Blank, Bundle, EverySize, Fixed, Part, Plan, Settings, Source
from attention_lab.check.restrictions import sizes_of
from attention_lab.check.roles import Role
from attention_lab.sandbox.frames import INSTANCE_OF, SETTINGS_OF

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child

MATRICES = (*WEIGHTS, "w_in")


def written(value: Any, name: str, role: Role, plan: Plan) -> Any:
    """An argument as the person's interface takes it: axes, masks and weights turned."""
    if not isinstance(value, np.ndarray):
        return value
    if name in role.tokens and value.ndim > 1:
        return plan.layout.turn(value)
    if name in ("mask", "memory_mask"):
        return plan.mask.write(plan.layout.mask(value))
    if plan.turned and name in (*MATRICES, "w_out"):
        return value.T
    return value


def value_of(source: Source, arguments: Arguments, role: Role, plan: Plan) -> Any:
    """What a parameter is given in a call. An argument that this call does not have is None."""
    if isinstance(source, Fixed):
        return source.value
    if isinstance(source, Bundle):
        return tuple(value_of(name, arguments, role, plan) for name in source.names)
    if isinstance(source, Bag):
        parts = {key: [value_of(one, arguments, role, plan) for one in names.split("+")] for key, names in source.items}
        return {key: one[0] if len(one) == 1 else np.concatenate(one, axis=-1) for key, one in parts.items()}
    if isinstance(source, Settings):
        fields = {name: value_of(one, arguments, role, plan) for name, one in source.fields}
        every = {} if source.kind else every_size(sizes_of(arguments))
        return {SETTINGS_OF: source.kind, **every, **fields}
    if isinstance(source, Part):
        return {INSTANCE_OF: source.kind} | {name: value_of(one, arguments, role, plan) for name, one in source.make}
    if isinstance(source, EverySize):
        return every_size(sizes_of(arguments))
    if isinstance(source, Blank):
        shape = [sizes_of(arguments).get(name, 1) for name in source.sizes]
        return np.zeros(shape, np.int64 if source.whole else np.float32)
    if source == "rng":
        return {"random generator": 0}  # made on the other side
    if source in arguments:
        return written(arguments[source], source, role, plan)
    return None if source in role.parameters else sizes_of(arguments).get(source)


# ---- weights as attributes ----


def lookup(arguments: Arguments, path: str) -> Any:
    """An argument, or what is in one: "layer.attention.w_query"."""
    for step in path.split("."):
        arguments = arguments[step]
    return arguments


def together(parts: list[Any], arrangement: str, h: int) -> Any:
    """Several weights in one, side by side or head by head; of heads that share one, that of the first."""
    if arrangement == "by-head":
        apart = [one.reshape(*one.shape[:-1], h, -1) for one in parts]
        return np.concatenate(apart, axis=-1).reshape(*parts[0].shape[:-1], -1)
    whole = np.concatenate(parts, axis=-1)
    if arrangement == "shared":
        whole = whole[..., : whole.shape[-1] // h]
        return whole[: len(whole) // h] if whole.ndim > 1 else whole
    return whole[..., :1] if arrangement == "one" else whole


def formed(whole: Any, lie: str, h: int, turned: bool) -> Any:
    """A weight as an instance keeps it; it is (in, out) here."""
    if lie == "heads":  # (d_model, d_model) as (h, d_model, d_k)
        return np.swapaxes(whole.reshape(len(whole), h, -1), 0, 1)
    if lie == "conv":
        return whole.T[..., np.newaxis]
    return whole.T if lie == "turned" or (lie == "torch") != (turned and lie in ("torch", "either")) else whole


def attributes_of(arguments: Arguments, plan: Plan) -> dict[str, Any]:
    """The weights that an instance is given, by their paths; of a list of heads one for each."""
    found, h = {}, arguments.get("h", 1)
    for path, names, form in plan.attributes:
        lie, _, arrangement = form.partition(" ")
        if not names:
            found[path] = float(form)
            continue
        whole = together([lookup(arguments, name) for name in names.split("+")], arrangement, h)
        slices = np.split(whole, h, axis=-1) if arrangement == "list" else [whole]
        for place, one in enumerate(slices):
            found[path.replace("#", str(place))] = formed(one, lie, h, plan.turned)
    return found


@dataclass(frozen=True)
class Request:
    """One call of a person's function: what goes in, by position and by name, and the instance that it is called on."""

    positional: tuple[Any, ...]
    keyword: dict[str, Any]
    make: tuple[tuple[Any, ...], dict[str, Any]] | None
    attributes: dict[str, Any]


def request_of(role: Role, plan: Plan, arguments: Arguments) -> Request:
    """The call by which a plan hands over the model's arguments."""
    positional = [value_of(source, arguments, role, plan) for source in plan.positional]
    while positional and positional[-1] is None:  # a mask that is not given is left out
        positional.pop()
    named = {name: value_of(source, arguments, role, plan) for name, source in plan.keyword}
    make = None
    if plan.make is not None:
        make = ((), {name: value_of(source, arguments, role, plan) for name, source in plan.make})
    given = {name: value for name, value in named.items() if value is not None}
    return Request(tuple(positional), given, make, attributes_of(arguments, plan))


def remote(child: Child, role: Role, plan: Plan) -> Callable[[Arguments], Any]:
    """The person's function of the model's arguments. It raises CallFailed where theirs gives no value."""

    def call(arguments: Arguments) -> Any:
        it = request_of(role, plan, arguments)
        return child.call(
            plan.target, it.positional, it.keyword, make=it.make, attributes=it.attributes, convert=plan.convert
        )

    return call


def equal(one: Any, other: Any) -> bool:
    """Whether two values are the same, NaN being the same as NaN."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.shape(one) == np.shape(other) and bool(np.array_equal(one, other, equal_nan=True))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def unbundled(source: Source, before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    """The arguments in one parameter: each by its name, as it was and as it is."""
    if isinstance(source, Bundle):
        return list(zip(source.names, before, after, strict=True))
    if isinstance(source, Bag):
        return [(name, before[key], after[key]) for key, name in source.items]
    return [(str(source), before, after)]


def written_to(child: Child, role: Role, plan: Plan, arguments: Arguments) -> frozenset[str]:
    """The arguments that a person's function changes in place. Raises CallFailed where it gives no value."""
    it = request_of(role, plan, arguments)
    _, positional, keyword = child.call(
        plan.target, it.positional, it.keyword, make=it.make, attributes=it.attributes, convert=plan.convert, after=True
    )
    pairs = [*zip(plan.positional, it.positional, positional, strict=False)]
    pairs += [(source, it.keyword[name], keyword[name]) for name, source in plan.keyword if name in it.keyword]
    single = [one for source, before, after in pairs for one in unbundled(source, before, after)]
    return frozenset(name for name, before, after in single if not equal(before, after))


# ---- what comes back ----

LOOKED_AT = 64  # arrays of an answer at most: a tuple times a number is none


def number_of(value: Any) -> Any:
    """An array, or a number as one; an integer that no integer of NumPy can hold is a float, at worst infinite."""
    if not isinstance(value, int) or -(2**63) <= value < 2**63:
        return np.asarray(value)
    try:
        return np.asarray(float(value))
    except OverflowError:
        return np.asarray(np.inf if value > 0 else -np.inf)


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a value, in order; a list of numbers is an array."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list):
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.empty(0, dtype=object)
        if array.dtype != object and array.size:
            return [array]
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None or isinstance(value, str) else [number_of(value)]


def named_parts(value: Any, role: Role) -> Parts:
    """What a function of the model returns, by the names of its parts."""
    found = leaves(value)
    names = (*role.parts, *(f"more {place}" for place in range(len(found))))
    return dict(zip(names, found, strict=False))


def without_ones(array: Any, axes: int) -> Any:
    """An array of at most so many axes: those of length 1 in front are left out, (1, T, d) for (T, d)."""
    extra = array.shape[: max(0, array.ndim - axes)]
    if set(extra) == {1}:
        return array.reshape(array.shape[len(extra) :])
    return array.squeeze() if array.ndim > axes == array.squeeze().ndim else array  # (T, 1, d), of a batch of one


def away(array: Any, part: Any) -> float:
    """How far an array is from a part, on average; infinite where one of them holds what is no number."""
    with np.errstate(all="ignore"):
        found = float(np.mean(np.abs(np.asarray(array, float) - np.asarray(part, float)))) if array.size else 0.0
    return found if np.isfinite(found) else np.inf


def read_parts(value: Any, like: Parts, role: Role, plan: Plan) -> Parts:
    """What a person's function returned, in our layout and by our names: parts are told apart by their shapes.

    Where several have the shape of weights, as scores have, these are the nearest. Whatever has the shape of no part is
    taken in order, and will be told as wrong; but not for weights, beside which people return all they keep. Parts that
    shapes do not tell apart, as inputs and labels, are in order.
    """
    found: Parts = {}
    strange, every = [], []
    most = max((part.ndim for part in like.values()), default=0)
    for array in (without_ones(one, most) for one in leaves(value)[:LOOKED_AT]):
        if role.makes_mask:
            read = plan.mask.read(array)
            array = array if read is None else read
        turned = plan.layout.turn(array) if array.ndim > 1 and plan.layout is not USUAL else array
        fitting = [name for name in like if like[name].shape == turned.shape]
        asis = [name for name in like if like[name].shape == array.shape]
        if fitting == asis == ["weights"] and plan.layout is not USUAL:
            continue  # (T, T): nobody can tell whether it is turned
        array = turned if fitting or not asis else array
        every.append(array)
        named = fitting or asis
        free = [name for name in named if name not in found]
        if free:
            found[free[0]] = array
        elif not named:
            strange.append(array)
        elif named == ["weights"] and away(array, like["weights"]) < away(found["weights"], like["weights"]):
            found["weights"] = array
    if strange and len(every) == len(like) > len({part.shape for part in like.values()}):
        return dict(zip(like, every, strict=True))
    left = [name for name in like if name not in found and name != "weights"]
    return found | dict(zip(left, strange, strict=False))
