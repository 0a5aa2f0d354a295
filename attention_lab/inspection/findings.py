"""Kinds of findings in a head, by its measures: one ordered list, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_lab.inspection.files import Array
from attention_lab.inspection.heads import Heads, Index, ScoreSpread
from attention_lab.inspection.measures import CLOSED, FEWEST, Measures, measure_head
from attention_lab.text import count

INF = float("inf")
LEAK = 0.05  # of the mass that a uniform head has on the future: less than this in all heads is a mask that leaks
ALIKE = 1e-6  # cells of two heads that differ by no more are the same
COMPARED = 512  # cells that are compared before all are

Amount = Callable[["Head"], float | None]


@dataclass(frozen=True)
class Head:
    """One head: its measures, and two marks from a comparison with the other heads.

    `odd` says that it alone, or nearly, sees the future; `copy_of` is an earlier head with the same weights.
    """

    index: Index
    measures: Measures
    temper: ScoreSpread | None
    odd: bool = False
    copy_of: Index | None = None

    @property
    def label(self) -> str:
        """Its place on each axis of heads: "3.11"."""
        return ".".join(map(str, self.index))


def no_spot(weights: Array, allowed: Array | None, head: Head) -> Array:
    """Zeros: a pattern shows in no cell before others."""
    del allowed, head
    return np.zeros(weights.shape)


@dataclass(frozen=True)
class Kind:
    """One thing that can stand out: a head shows it when `amount` is outside low … high, both included.

    `claim` is a statement about a file without this finding, "" where it is usual in trained models. `says` describes a
    head with it, `overall` all heads. `spot` has its largest value at the cell that shows it.
    """

    name: str
    claim: str
    amount: Amount
    low: float
    high: float
    says: Callable[[Head], str]
    overall: Callable[[Sequence[Head]], str] = lambda _: ""
    spot: Callable[[Array, Array | None, Head], Array] = no_spot

    def shown_by(self, head: Head) -> bool:
        """Whether this head is outside the range."""
        amount = self.amount(head)
        return amount is not None and not self.low <= amount <= self.high

    def distance(self, head: Head) -> float:
        """How far outside its range the head is, for sorting."""
        amount = self.amount(head) or 0.0
        return max(self.low - amount, amount - self.high)


# ---- amounts, and how they are told ----


def format_measure(value: float) -> str:
    """A measured number to three digits: 0.13, 1e-09, 14.2."""
    return f"{value:.3g}"


def range_of(amount: Amount) -> Callable[[Sequence[Head]], tuple[float, float] | None]:
    """The least and the largest amount among heads; None where none has any."""

    def ends(heads: Sequence[Head]) -> tuple[float, float] | None:
        amounts = [value for head in heads if (value := amount(head)) is not None]
        return (min(amounts), max(amounts)) if amounts else None

    return ends


def at_most(sentence: str, amount: Amount) -> Callable[[Sequence[Head]], str]:
    """A sentence on the largest amount."""
    return lambda heads: sentence.format(format_measure(ends[1])) if (ends := range_of(amount)(heads)) else ""


def at_least(sentence: str, amount: Amount) -> Callable[[Sequence[Head]], str]:
    """A sentence on the smallest amount."""
    return lambda heads: sentence.format(format_measure(ends[0])) if (ends := range_of(amount)(heads)) else ""


def by_measure(name: str) -> Amount:
    """Amount that is one of the measures."""
    return lambda head: getattr(head.measures, name)


def by_pattern(name: str) -> Amount:
    """Amount that is one of the measures; None with fewer rows than a pattern needs."""
    return lambda head: getattr(head.measures, name) if head.measures.judged >= FEWEST else None


def by_spread(name: str) -> Amount:
    """Amount that is a field of the score spread; None where scores are unknown."""

    def amount(head: Head) -> float | None:
        value = None if head.temper is None else getattr(head.temper, name)
        return value if value is not None and np.isfinite(value) else None

    return amount


def row_difference(head: Head) -> float | None:
    """Distance between rows of a head; None for a uniform head, which is a finding of its own."""
    return None if (by_pattern("share")(head) or 0) > 0.99 else by_pattern("apart")(head)


def describe_row_sum(head: Head) -> str:
    """Sentence part on the largest distance of a row sum from 1."""
    said = f"a row is off 1 by {format_measure(head.measures.off or 0)}"
    columns = head.measures.columns_off
    return said + (", but columns sum to 1" if columns is not None and columns <= 0.01 else "")


def describe_future(heads: Sequence[Head]) -> str:
    """Sentence on heads that see the future."""
    seeing = [head.measures.future or 0 for head in heads if (head.measures.future or 0) > CLOSED]
    corners = {head.measures.corner for head in heads if head.measures.corner is not None}
    top_left = " Their diagonal starts top-left, at the first key." if corners == {"top-left"} else ""
    if not seeing:
        return f"No head has mass on it: all are causal.{top_left}"
    faint = format_measure(heads[0].measures.faint)
    mass = f"{format_measure(float(np.mean(seeing)))} of a row on average; without preference it would be {faint}."
    return f"There is mass on it in {len(seeing)} of {count(len(heads), 'head')}: {mass}"


def describe_spreads(heads: Sequence[Head]) -> str:
    """Sentence on the spread of scores with and without the division by √d_k."""
    ends, raw = range_of(by_spread("spread"))(heads), range_of(by_spread("raw"))(heads)
    largest = [(head.measures.largest, head.temper.raw_largest) for head in heads if head.temper is not None]
    known = [pair for pair in largest if pair[0] is not None and np.isfinite(pair[1])]
    if ends is None or raw is None or not known:
        return ""
    with_it, without = np.mean(np.array(known, dtype=float), axis=0)
    said = (
        f"Their standard deviation within a row is {format_measure(ends[0])} to {format_measure(ends[1])}; "
        f"without the division {format_measure(raw[0])} to {format_measure(raw[1])}, "
        f"and the largest weight {without:.2f} on average, not {with_it:.2f}."
    )
    divided = ends[1] < 0.5 <= raw[0] and raw[1] < 2
    return said + (" They look as if they had been divided before." if divided else "")


def offset_name(offset: int) -> str:
    """Name of the token at this distance from the query."""
    usual = {-1: "the previous token", 0: "the token itself", 1: "the next token"}
    return usual.get(offset, f"the token {abs(offset)} {'back' if offset < 0 else 'ahead'}")


# ---- cells that show it ----


def finite_or_zero(weights: Array) -> Array:
    """The weights, with 0 for what is no number."""
    return np.nan_to_num(weights, nan=0.0, posinf=0.0, neginf=0.0)


def sums(weights: Array, allowed: Array | None, head: Head) -> Array:
    """Each cell of a row by how far its row is from a sum of 1; rows of zeros are told by themselves."""
    del allowed, head
    distance = np.abs(finite_or_zero(weights).sum(axis=-1, keepdims=True) - 1) * weights.any(axis=-1, keepdims=True)
    return np.broadcast_to(distance, weights.shape)


def on_closed(weights: Array, allowed: Array | None, head: Head) -> Array:
    """The weights on keys that may not be attended to."""
    del head
    return np.where(np.zeros(weights.shape, dtype=bool) if allowed is None else allowed, 0, finite_or_zero(weights))


def on_future(weights: Array, allowed: Array | None, head: Head) -> Array:
    """The weights on keys after the query."""
    del allowed, head
    return np.triu(finite_or_zero(weights), 1 + weights.shape[-1] - weights.shape[-2])


def on_sink(weights: Array, allowed: Array | None, head: Head) -> Array:
    """The column of the sink."""
    del allowed
    return np.broadcast_to(np.arange(weights.shape[-1]) == head.measures.sink, weights.shape).astype(float)


KINDS = (
    Kind(
        "not finite",
        "Every weight is a number.",
        by_measure("not_finite"),
        0,
        0,
        lambda head: f"{count(head.measures.not_finite, 'weight')} NaN or infinite",
        spot=lambda weights, _, __: ~np.isfinite(weights),
    ),
    Kind(
        "negative",
        "No weight is negative.",
        by_measure("negative"),
        0,
        0,
        lambda head: f"{count(head.measures.negative, 'weight')} below 0",
        spot=lambda weights, _, __: -finite_or_zero(weights),
    ),
    Kind(
        "row sums",
        "Every row sums to 1, to within 0.01.",
        by_measure("off"),
        0,
        0.01,
        describe_row_sum,
        at_most("The row that is farthest off is so by {}; rows of zeros are counted apart.", by_measure("off")),
        sums,
    ),
    Kind(
        "zero rows",
        "No row is all zeros.",
        by_measure("zero_rows"),
        0,
        0,
        lambda head: f"{head.measures.zero_rows} of {count(head.measures.rows, 'row')} all zeros",
        spot=lambda weights, _, __: np.broadcast_to(~weights.any(axis=-1, keepdims=True), weights.shape),
    ),
    Kind(
        "closed keys",
        "No mass lies on keys that may not be attended to.",
        by_measure("closed"),
        0,
        CLOSED,
        lambda head: f"{format_measure(head.measures.closed or 0)} on closed keys",
        at_most("The most in a head is {} of a row, on average.", by_measure("closed")),
        on_closed,
    ),
    Kind(
        "future",
        "The future is closed to every head, or open to all.",
        lambda head: None if head.measures.future is None else float(head.odd),
        0,
        0,
        lambda head: f"{format_measure(head.measures.future or 0)} on the future",
        describe_future,
        on_future,
    ),
    Kind(
        "copy",
        "No head is a copy of another.",
        lambda head: float(head.copy_of is not None),
        0,
        0,
        lambda head: f"a copy of {'.'.join(map(str, head.copy_of or ()))}",
    ),
    Kind(
        "temperature",
        "Divided by √d_k, scores spread by about 1: by 0.3 to 5 in every head.",
        by_spread("spread"),
        0.3,
        5,
        lambda head: f"scores spread by {format_measure(by_spread('spread')(head) or 0)}",
        describe_spreads,
    ),
    Kind(
        "uniform",
        "No head is uniform: none has an entropy above 0.99 of ln(keys it may attend to).",
        by_pattern("share"),
        0,
        0.99,
        lambda head: f"uniform: {head.measures.share or 0:.3f} of the most",
        at_most("The highest is {} of it.", by_pattern("share")),
    ),
    Kind(
        "dead",
        "No other head is dead: in none do all queries get the same weights, to within 0.01.",
        row_difference,
        0.01,
        INF,
        lambda head: f"dead: rows differ by {format_measure(head.measures.apart or 0)}",
        at_least("The rows that are most alike differ by {} on average (total variation).", row_difference),
    ),
    Kind(
        "saturated",
        "No head is saturated: in none have more than half of the rows a weight above 0.99.",
        by_pattern("saturated"),
        0,
        0.5,
        lambda head: f"saturated: {head.measures.saturated or 0:.2f} of rows",
        at_most("The largest share of rows in a head is {}.", by_pattern("saturated")),
    ),
    Kind(
        "sink",
        "",
        by_pattern("sink_rows"),
        0,
        0.5,
        lambda head: f"sink at key {head.measures.sink}",
        spot=on_sink,
    ),
    Kind(
        "offset",
        "",
        by_pattern("offset_mass"),
        0,
        0.5,
        lambda head: f"looks at {offset_name(head.measures.offset)}",
    ),
)


def findings(head: Head) -> tuple[Kind, ...]:
    """Kinds of findings in a head, the worst first."""
    return tuple(kind for kind in KINDS if kind.shown_by(head))


# ---- heads beside each other ----


def mark_odd(heads: Sequence[Head]) -> list[Head]:
    """Mark heads that attend to the future although most do not, or so little that the mask must leak."""
    seen = [head.measures.future for head in heads if head.measures.future is not None]
    open_to = [mass for mass in seen if mass > CLOSED]
    few = 2 * len(open_to) < len(seen)
    little = bool(seen) and sum(seen) / len(seen) < LEAK * heads[0].measures.faint
    return [replace(head, odd=(few or little) and (head.measures.future or 0) > CLOSED) for head in heads]


def find_copies(heads: Heads, samples: dict[Index, Array]) -> dict[Index, Index]:
    """Heads with the weights of an earlier head, by index, given a few cells of each, (n,)."""
    earlier: dict[Index, Index] = {}
    first: list[Index] = []
    for index, sample in samples.items():
        near = np.abs(np.array([samples[one] for one in first]).reshape(-1, sample.size) - sample).max(axis=1) <= ALIKE
        for one in (first[place] for place in np.flatnonzero(near)):
            if np.abs(heads.of(one) - heads.of(index)).max() <= ALIKE:
                earlier[index] = one
                break
        else:
            first.append(index)
    return earlier


def measure_heads(heads: Heads, progress: Callable[[str], None] = lambda _: None) -> list[Head]:
    """Measure every head, and compare the heads with each other."""
    cells = int(np.prod(heads.sizes))
    picked = np.random.default_rng(0).choice(cells, min(COMPARED, cells), replace=False)
    measured: list[Head] = []
    samples: dict[Index, Array] = {}
    for index in heads:
        head_weights = heads.of(index)
        measured.append(
            Head(index, measure_head(head_weights, heads.allowed(index), heads.queries), heads.temper(index))
        )
        if measured[-1].measures.not_finite == 0:
            samples[index] = head_weights.ravel()[picked]
        progress(f"head {measured[-1].label}")
    copied = find_copies(heads, samples)
    return mark_odd([replace(head, copy_of=copied.get(head.index)) for head in measured])
