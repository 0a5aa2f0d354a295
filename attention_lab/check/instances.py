"""Inputs for the method of an instance: the weights that it holds are drawn anew, as wide as it has them."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.holders import Holder, Make, guessed, made, named_sizes, sizes_given
from attention_lab.check.inputs import Arguments, Probe, Rng
from attention_lab.check.plans import Plan, Settings
from attention_lab.check.remote import lookup, value_of
from attention_lab.check.restrictions import narrowed, sizes_of
from attention_lab.check.roles import Role
from attention_lab.check.trial import Bench
from attention_lab.check.weight_paths import Found, heads_of_width, in_and_out, places_in, with_rest
from attention_lab.sandbox.records import CallFailed, Raised
from attention_lab.weights import NORM_EPS

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Definition

MOST = 24  # settings that are asked for, one after the other


@dataclass(frozen=True)
class Fit:
    """Inputs of a role whose weights are those of instances, and where each of these is."""

    bench: Bench
    found: Found
    make: Make
    heads: bool  # whether it knows how many heads it has


def replaced(arguments: Arguments, path: str, value: Any) -> Arguments:
    """The same with one of them, or what is in one, replaced; nothing is written into."""
    first, _, rest = path.partition(".")
    return {**arguments, first: replaced(arguments.get(first, {}), rest, value) if rest else value}


# ---- what an instance holds ----


def lacking(error: CallFailed) -> str:
    """The field of the one object with all sizes that a constructor looked for, and did not find."""
    if not isinstance(error, Raised):
        return ""
    kind, message = error.code_error.kind, error.code_error.message
    if kind == "AttributeError" and message.startswith("the settings have no "):
        return message.rpartition(" ")[2].strip("'\"")
    return message.strip("'\"") if kind == "KeyError" else ""


def arrays_of(child: Child, kind: Definition, make: Make, role: Role, arguments: Arguments) -> Mapping[str, Any]:
    """The arrays of an instance. Raises CallFailed where none can be made."""
    values = {name: value_of(source, arguments, role, Plan("", ())) for name, source in make}
    return child.attributes(kind.name, ((), values))


def holds_weights(child: Child, holder: Holder, bench: Bench) -> bool:
    """Whether an instance has weights of its own, or cannot be made for a role: then its method does not have it."""
    arguments = narrowed(bench.drawn[0].arguments, ()) or {}
    try:
        return bool(with_rest([], arrays_of(child, holder.kind, made(holder, bench.role), bench.role, arguments)).more)
    except CallFailed as error:
        return not (
            isinstance(error, Raised) and issubclass(NameError, getattr(builtins, error.code_error.kind, object))
        )


def with_settings(child: Child, kind: Definition, make: Make, role: Role, arguments: Arguments) -> Make:
    """What is given to the constructor, with all that it looks for in the one object with all sizes."""
    asked: list[str] = []
    for _ in range(MOST):
        try:
            arrays_of(child, kind, make, role, arguments)
        except CallFailed as error:
            name = lacking(error)
            place = next((i for i, (_, one) in enumerate(make) if isinstance(one, Settings) and not one.kind), None)
            if not name or name in asked or place is None:
                break
            asked.append(name)
            sizes = named_sizes(asked, role)
            fields = tuple((one, sizes.get(one, guessed(one))) for one in asked)
            make = (*make[:place], (make[place][0], Settings("", fields)), *make[place + 1 :])
        else:
            break
    return make


# ---- weights of its widths ----


def drawn(rng: Rng, name: str, rows: int, columns: int, dtype: Any) -> Any:
    """Numbers for a weight: matrices so that products stay of order 1, gains near 1."""
    last = name.rpartition(".")[2]
    if last.startswith("w_"):
        return (rng.standard_normal((rows, columns)) / max(rows, 1) ** 0.5).astype(dtype)
    numbers = rng.standard_normal(columns)
    return (1 + 0.5 * numbers if last == "gain" else numbers if last == "bias" else 0.5 * numbers).astype(dtype)


def of_one_block(matrix: Any, h: int) -> Any:
    """A matrix, or bias, of h equal blocks: all heads share one projection."""
    if matrix.ndim == 1:
        return np.tile(matrix[: len(matrix) // h], h)
    return np.kron(np.eye(h, dtype=matrix.dtype), matrix[: len(matrix) // h, : matrix.shape[1] // h])


def weights_as(arrays: Mapping[str, Any], found: Found, arguments: Arguments, rng: Rng) -> Arguments | None:
    """The arguments, with every weight drawn anew in the widths of an instance; None where a path is not in it."""
    h, dtype = arguments.get("h", 1), arguments["x"].dtype
    for path, names, form in (place for place in found.places if place[1]):
        lie, _, arrangement = form.partition(" ")
        array = arrays.get(path.replace("#", "0"))
        if array is None:
            return None
        if arrangement == "one":
            rows, columns = 0, arguments["x"].shape[-1]
        elif lie == "heads":
            rows, columns = array.shape[1], array.shape[0] * array.shape[2]
        elif array.ndim < 2:
            rows, columns = 0, max(array.size, 1)
        else:
            rows, columns = in_and_out(array, lie)
            rows, columns = (columns, rows) if lie == "turned" else (rows, columns)
        times = h if arrangement in ("list", "shared") else 1
        many = names.count("+") + 1
        for name in names.split("+"):
            value = drawn(rng, name, rows * (times if arrangement == "shared" else 1), columns * times // many, dtype)
            arguments = replaced(arguments, name, of_one_block(value, h) if arrangement == "shared" else value)
    if "w_value" in found.weights and "w_out" not in found.weights:  # the heads as they are joined
        arguments["w_out"] = np.eye(arguments["w_value"].shape[-1], dtype=dtype)
    return arguments


def absent(found: Found, role: Role, arguments: Arguments) -> Arguments:
    """What an instance has no weight for stands in a layer as if it were not there: no bias, no output projection."""
    if "layer" not in role.parameters:
        return arguments
    d, dtype = arguments["x"].shape[-1], arguments["x"].dtype
    nothing = {"b_in": 0.0, "b_out": 0.0, "bias": 0.0, "gain": 1.0}
    for part, held in arguments["layer"].items():
        for name, value in held.items():
            full = f"layer.{part}.{name}"
            if full not in found.weights and name in nothing:
                width = len(held["w_in"].T) if name == "b_in" else d
                arguments = replaced(arguments, full, np.full(width, nothing[name], dtype))
            elif full not in found.weights and name == "w_out":
                arguments = replaced(arguments, full, np.eye(len(value), dtype=dtype))
    return arguments


def passing(x: Any) -> Any:
    """Tokens that a norm leaves as they are: of mean 0, and of variance 1 together with its eps."""
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = centred.std(axis=-1, keepdims=True)
    return (centred / deviation * (1 - NORM_EPS) ** 0.5).astype(x.dtype)


def norms_only(arrays: Mapping[str, Any], found: Found, d: int) -> bool:
    """Whether all that has no place is a norm in front, as it is made: gains of 1 and biases of 0."""
    more = [arrays[path] for path in found.more if path in arrays]
    return bool(more) and all(one.shape == (d,) and bool(np.isin(one, (0, 1)).all()) for one in more)


def fitted_probe(
    probe: Probe, arrays: Mapping[str, Any], found: Found, role: Role, rng: Rng, cuts: tuple[str, ...]
) -> Probe | None:
    """A probe with the weights of an instance; None where the instance is of another kind."""
    arguments = narrowed(probe.arguments, cuts) or {}
    fitting = weights_as(arrays, found, arguments, rng)
    if fitting is None:
        return None
    fitting = absent(found, role, fitting)
    width = next((len(lookup(fitting, name)) for name in found.weights if name.endswith(("w_query", "w_in"))), 0)
    for name in ("x", "source", "memory"):
        tokens = fitting.get(name)
        if tokens is not None and width and tokens.shape[-1] != width:
            fitting[name] = rng.standard_normal((*tokens.shape[:-1], width)).astype(tokens.dtype)
        if name in fitting and norms_only(arrays, found, width):
            fitting[name] = passing(fitting[name])
    return replace(probe, arguments=fitting)


def of_narrow_heads(child: Child, kind: Definition, make: Make, role: Role, arguments: Arguments) -> Make:
    """What is given to a constructor; a head as wide as a token, which hides what it is scaled by, is made narrower."""
    sizes = [name for name, source in make if source in ("d_model", "d_k")]
    if role.name != "multi_head" or not sizes:
        return make
    narrow: Make = tuple((name, "narrow" if name == sizes[-1] else source) for name, source in make)
    try:
        width, alone = arguments["x"].shape[-1], arguments.get("h", 1) == 1
        if not heads_of_width(arrays_of(child, kind, make, role, arguments), width, alone):
            return make
        found = arrays_of(child, kind, narrow, role, arguments)
        takes_tokens = any(width in one.shape for one in found.values() if one.ndim > 1)
        return narrow if takes_tokens and not heads_of_width(found, width, alone) else make
    except CallFailed:
        return make


def fits_of(child: Child, kind: Definition, make: Make, bench: Bench) -> Iterator[Fit]:
    """The weights of an instance told apart in every way that is possible, each with inputs of its widths."""
    role = bench.role
    heads = "h" in sizes_given(make) or "h" not in role.parameters
    for known in (heads,) if heads else (False, True):  # it may know by a name of the file
        cuts = () if known else ("one head",)
        probes = [(probe, narrowed(probe.arguments, cuts)) for probe in bench.drawn]
        first = next(arguments for _, arguments in probes if arguments is not None)
        make = of_narrow_heads(child, kind, with_settings(child, kind, make, role, first), role, first)
        held: list[tuple[Probe, Mapping[str, Any]]] = []
        for probe, arguments in probes:
            try:
                held.append((probe, arrays_of(child, kind, make, role, arguments or {})))
            except CallFailed:
                if not held:
                    return
        for place, found in enumerate(places_in(held[0][1], role.name, sizes_of(first) | {"h": first.get("h", 1)})):
            rng = np.random.default_rng([len(bench.drawn), place])
            fitting = [fitted_probe(probe, arrays, found, role, rng, cuts) for probe, arrays in held]
            yield Fit(Bench(role, [one for one in fitting if one is not None]), found, make, known)
