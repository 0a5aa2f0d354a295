"""Heads of a file, whatever its axes: each gives its weights as (B, Tq, Tk), and which keys it may attend to.

Nothing is copied before a head is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attention_lab.errors import BadInput
from attention_lab.inspection.choice import Chosen, float_array, read_flags, read_lengths
from attention_lab.inspection.files import Array
from attention_lab.machine.memory import require_memory
from attention_lab.text import count, listed
from attention_lab.variants import healthy

MODEL = healthy()
Index = tuple[int, ...]  # a head: its place on each axis that is not sample, query or key
LEADING = ("layer", "batch", "head")  # default names of the axes before the last two
PAIR, VECTOR = ("query", "key"), ("token", "width")  # names of the last two axes: of weights; of Q, K and V


@dataclass(frozen=True)
class ScoreSpread:
    """Standard deviation of the scores of one head, within a row and over the keys it may attend to.

    `raw` and `raw_largest` are the spread and the mean largest weight without the division by √d_k. `passed_on` is the
    size of the head's output as a share of that of the values, or None where these are not known.
    """

    spread: float
    raw: float
    raw_largest: float
    passed_on: float | None


@dataclass(frozen=True)
class Heads:
    """Weights (heads…, B, Tq, Tk) with the names of the axes of the heads.

    `mask` (heads…, B, Tq, Tk) and `real` (B, Tk) are True where a key may be attended to, or None; `closed` says in
    words what else a key is. `assumed` are sentences on what was read and how it was taken.
    """

    axes: tuple[str, ...]
    weights: Array
    mask: Array | None
    real: Array | None
    closed: str
    assumed: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of heads along each axis."""
        return self.weights.shape[:-3]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """B, Tq and Tk."""
        B, Tq, Tk = self.weights.shape[-3:]
        return B, Tq, Tk

    def __iter__(self) -> Iterator[Index]:
        """Index of every head."""
        return iter(np.ndindex(self.shape))

    def allowed(self, head: Index) -> Array | None:  # -> (B, Tq, Tk)
        """Keys that may be attended to according to the file; None if it says nothing."""
        if self.mask is None and self.real is None:
            return None
        mask = np.ones(self.sizes, dtype=bool) if self.mask is None else self.mask[head]
        return mask if self.real is None else mask & self.real[:, np.newaxis, :]

    @property
    def queries(self) -> Array | None:  # -> (B, Tq)
        """Queries that are tokens and no padding; None if unknown.

        With as many queries as keys, both are taken as the same tokens.
        """
        _, Tq, Tk = self.sizes
        return self.real if Tq == Tk else None

    def of(self, head: Index) -> Array:  # -> (B, Tq, Tk)
        """The weights of one head."""
        return np.asarray(self.weights[head], dtype=float)

    def temper(self, head: Index) -> ScoreSpread | None:
        """Spread of the scores of one head; None, since weights alone do not tell."""
        del head
        return None


@dataclass(frozen=True)
class Projected(Heads):
    """Heads of which query, key and value (heads…, B, T, width) are given; `weights` has their shape, and no numbers.

    The model's own attention computes the weights. A row that may attend to nothing has none: all its weights are 0.
    """

    query: Array
    key: Array
    value: Array | None

    def attend(self, head: Index, factor: float = 1.0) -> tuple[Array, Array]:  # -> (B, Tq, d_v), (B, Tq, Tk)
        """Output and weights, with scores that are `factor` times as large."""
        query, key = (np.asarray(array[head], dtype=float) for array in (self.query, self.key))
        value = key if self.value is None else np.asarray(self.value[head], dtype=float)
        mask = self.allowed(head)
        with np.errstate(all="ignore"):  # NaN and overflow of a foreign model are what there is to see
            if mask is None:
                output, weights = MODEL.attention(query * factor, key, value)
                return output, weights
            sees = mask.any(axis=-1, keepdims=True)
            output, weights = MODEL.attention(query * factor, key, value, mask | ~sees)
            return output * sees, weights * sees

    def of(self, head: Index) -> Array:  # -> (B, Tq, Tk)
        """The weights of one head, computed."""
        return self.attend(head)[1]

    def temper(self, head: Index) -> ScoreSpread | None:
        """Spread of the scores of one head, with and without the division by √d_k."""
        query, key = (np.asarray(array[head], dtype=float) for array in (self.query, self.key))
        root = query.shape[-1] ** 0.5
        mask = self.allowed(head)
        allowed = np.ones(self.sizes, dtype=bool) if mask is None else mask
        allowed = allowed if self.queries is None else allowed & self.queries[..., np.newaxis]
        with np.errstate(all="ignore"):
            spread = spread_within(query @ np.swapaxes(key, -1, -2) / root, allowed)
            largest = self.attend(head, root)[1].max(axis=-1)
            passed_on = None if self.value is None else rms(self.attend(head)[0]) / rms(self.value[head])
        return ScoreSpread(spread, spread * root, float(largest[allowed.any(axis=-1)].mean()), passed_on)


def rms(array: Array) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(np.square(array, dtype=float))))


def spread_within(scores: Array, allowed: Array) -> float:  # (B, Tq, Tk), (B, Tq, Tk)
    """The standard deviation of scores within a row, over rows of two allowed keys or more; NaN without any."""
    keys = allowed.sum(axis=-1, keepdims=True)
    known = np.where(allowed, scores, 0)
    mean = known.sum(axis=-1, keepdims=True) / np.maximum(keys, 1)
    variance = (np.where(allowed, scores - mean, 0) ** 2).sum(axis=-1) / np.maximum(keys[..., 0], 1)
    several = keys[..., 0] > 1
    return float(np.sqrt(variance[several].mean())) if several.any() else float("nan")


# ---- axes ----


def axis_names(ndim: int, axes: str | None, last: tuple[str, str]) -> tuple[str, ...]:
    """A name for each axis, given or default. Raises BadInput where given names do not fit."""
    if axes is None:
        more = tuple(f"axis {place}" for place in range(ndim - 2 - len(LEADING)))
        return (*more, *LEADING[max(0, len(LEADING) - (ndim - 2)) :], *last)
    names = tuple(axes.replace(",", " ").split())
    advice = f"Give each a name of its own, {last[0]} and {last[1]} among them."
    if len(names) != ndim:
        raise BadInput(f"--axes has {count(len(names), 'name')}; the array has {ndim} axes.", advice)
    if len(set(names)) != ndim or not set(last) <= set(names):
        raise BadInput(f"--axes {axes!r} does not tell {ndim} axes apart.", advice)
    return names


def arrange_axes(array: Array, names: Sequence[str], last: tuple[str, str]) -> Array:
    """View of the array as (heads…, B, *last), with an axis of size 1 for missing heads or samples."""
    heads = [name for name in names if name not in ("batch", *last)]
    batch = ["batch"] if "batch" in names else []
    view = array.transpose([names.index(name) for name in (*heads, *batch, *last)])
    view = view if batch else np.expand_dims(view, -3)
    return view if heads else view[np.newaxis]


def head_axes(names: Sequence[str]) -> tuple[str, ...]:
    """The axes that tell heads apart."""
    axes = tuple(name for name in names if name not in ("batch", *PAIR, *VECTOR))
    return axes or ("head",)


def describe_arrays(arrays: Mapping[str, Array], names: Sequence[str]) -> str:
    """One sentence on arrays and the names of their axes."""
    seen = listed(f"{role} {array.shape} in {array.dtype}" for role, array in arrays.items())
    return f"{seen[0].upper()}{seen[1:]}, taken as ({', '.join(names)})."


# ---- what may be attended to ----


def read_mask(file: str, chosen: Chosen, shape: tuple[int, ...], names: Sequence[str]) -> Array | None:
    """The mask of the file, True = may attend, as (heads…, B, Tq, Tk). `shape` and `names` are those of the weights."""
    if "mask" not in chosen.arrays:
        return None
    mask = read_flags(file, chosen.arrays["mask"])
    try:
        return arrange_axes(np.broadcast_to(mask, shape), names, PAIR)
    except ValueError as reason:
        raise BadInput(
            f"The mask {mask.shape} does not broadcast to the weights {shape}.",
            "Where it is of keys alone, (B, Tk), name it padding, with True = padding.",
        ) from reason


def token_keys(lengths: Sequence[int], B: int, Tk: int) -> Array:  # -> (1 or B, Tk)
    """True for keys within the length of their sample. Raises BadInput on lengths that do not fit."""
    if len(lengths) not in (1, B):
        raise BadInput(
            f"There are {count(len(lengths), 'length')} and {count(B, 'sample')}.",
            "Give one length for each sample; --axes says which axis is the batch.",
        )
    wrong = [length for length in lengths if not 1 <= length <= Tk]
    if wrong:
        raise BadInput(f"A sample cannot have the length {wrong[0]}.", f"It must be from 1 to {Tk}, the keys.")
    return np.arange(Tk) < np.asarray(lengths)[:, np.newaxis]


def real_keys(file: str, chosen: Chosen, lengths: Sequence[int], B: int, Tk: int) -> Array | None:  # -> (B, Tk)
    """True for keys that are no padding; None if nothing says so. Raises BadInput if two sources do."""
    given = [role for role in ("real", "padding", "lengths") if role in chosen.arrays]
    said = [chosen.arrays[role].name for role in given] + (["--lengths"] if lengths else [])
    if not said:
        return None
    if len(said) > 1:
        raise BadInput(f"{listed(said)} each say where there is padding.", "Leave all but one out.")
    if lengths:
        return np.broadcast_to(token_keys(lengths, B, Tk), (B, Tk))
    stored = chosen.arrays[given[0]]
    if given[0] == "lengths":
        return np.broadcast_to(token_keys(read_lengths(file, stored), B, Tk), (B, Tk))
    keys = read_flags(file, stored) if given[0] == "real" else ~read_flags(file, stored)
    if keys.shape not in ((B, Tk), (Tk,)):
        raise BadInput(f"{stored.name} has the shape {keys.shape}.", f"It must be (B, Tk), here {(B, Tk)}.")
    return np.broadcast_to(keys, (B, Tk))


def closed_word(mask: Array | None, real: Array | None) -> str:
    """Word for a key that may not be attended to."""
    return "padded or masked" if mask is not None and real is not None else "padded" if mask is None else "masked"


# ---- the heads of a file ----


def heads_from_weights(file: str, chosen: Chosen, axes: str | None, lengths: Sequence[int]) -> Heads:
    """Heads from the weights in a file."""
    array = float_array(file, chosen.arrays["weights"])
    names = axis_names(array.ndim, axes, PAIR)
    weights = arrange_axes(array, names, PAIR)
    mask = read_mask(file, chosen, array.shape, names)
    real = real_keys(file, chosen, lengths, weights.shape[-3], weights.shape[-1])
    return Heads(
        head_axes(names), weights, mask, real, closed_word(mask, real), describe_arrays({"weights": array}, names)
    )


def check_alike(given: Mapping[str, Array], arrays: Mapping[str, Array]) -> None:
    """Raise BadInput, which names the `arrays` of the file, unless the shapes in `given` fit together.

    Fitting shapes are query (…, Tq, d_k), key (…, Tk, d_k) and value (…, Tk, d_v).
    """
    query, key, value = (given.get(role, given["key"]).shape for role in ("query", "key", "value"))
    said = listed(f"{role} {array.shape}" for role, array in arrays.items())
    if len({query[:-2], key[:-2], value[:-2]}) > 1:
        what = f"{said} differ in other axes than token and width."
        raise BadInput(what, "Of keys that several heads share, save numpy.repeat.")
    if query[-1] != key[-1]:
        raise BadInput(f"{said}: query and key differ in width.", "Both must be d_k wide.")
    if key[-2] != value[-2]:
        raise BadInput(f"{said}: there are not as many values as keys.", "Each key needs its value.")


def heads_from_queries(file: str, chosen: Chosen, axes: str | None, lengths: Sequence[int]) -> Heads:
    """Heads from Q and K, and perhaps V, in a file."""
    arrays = {role: float_array(file, one) for role, one in chosen.arrays.items() if role in ("query", "key", "value")}
    names = axis_names(arrays["query"].ndim, axes, VECTOR)
    if len({array.ndim for array in arrays.values()}) > 1:
        check_alike(arrays, arrays)
    given = {role: arrange_axes(array, names, VECTOR) for role, array in arrays.items()}
    check_alike(given, arrays)
    query, key = given["query"], given["key"]
    leading = [name for name in names if name not in VECTOR]
    ahead = tuple(arrays["query"].shape[names.index(name)] for name in leading)
    pairs = (*ahead, query.shape[-2], key.shape[-2])
    mask = read_mask(file, chosen, pairs, (*leading, *PAIR))
    real = real_keys(file, chosen, lengths, query.shape[-3], key.shape[-2])
    unmasked = " No mask is given, so no key is hidden from a query for its place." if mask is None else ""
    computed = "The weights are computed from query and key by the model's attention, with ÷ √d_k."
    assumed = f"{describe_arrays(arrays, names)} {computed}{unmasked}"
    shape = np.broadcast_to(np.float32(0), (*query.shape[:-2], *pairs[-2:]))
    closed = closed_word(mask, real)
    return Projected(head_axes(names), shape, mask, real, closed, assumed, query, key, given.get("value"))


def heads_in(file: str, chosen: Chosen, axes: str | None = None, lengths: Sequence[int] = ()) -> Heads:
    """The heads of a file. Raises BadInput where arrays, axes and lengths do not go together."""
    heads = (heads_from_weights if "weights" in chosen.arrays else heads_from_queries)(file, chosen, axes, lengths)
    B, Tq, Tk = heads.sizes
    require_memory(80.0 * B * Tq * Tk, f"One head of {file}, {B} × {Tq} × {Tk}", "Save fewer samples or tokens.")
    return heads
