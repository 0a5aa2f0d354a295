"""The inputs on which a person's function is compared with the model's. A probe is one call, drawn from a fresh seed.

Sizes hide nothing: no two of one set are equal, lengths of queries and keys differ, and there are two sets of them, so
that no factor of one (d_k = 4, ÷ 8) passes for another (÷ 2 d_k).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_lab import telling_sizes
from attention_lab.weights import heads

Rng = np.random.Generator
Arguments = dict[str, Any]
Parts = dict[str, Any]  # what a call returns, by name


@dataclass(frozen=True)
class Probe:
    """One call: arguments by the model's names. `lead` axes (batch, heads) stand in front of a token's two.

    `edge` is empty for ordinary data, on which a function must be right; else it says what is unusual.
    """

    name: str
    arguments: Arguments
    lead: int = 0
    edge: str = ""


Probes = tuple[Probe, ...]


@dataclass(frozen=True)
class ProbeSizes:
    """B sequences, h heads, Tq queries, Tk keys, d_k and d_v wide."""

    B: int = telling_sizes.B
    h: int = telling_sizes.H
    Tq: int = telling_sizes.TQ
    Tk: int = telling_sizes.TK
    d_k: int = telling_sizes.D_K
    d_v: int = telling_sizes.D_V

    @property
    def d_model(self) -> int:
        """Width of a token."""
        return self.h * self.d_k

    def front(self, lead: int) -> tuple[int, ...]:
        """The axes in front: (B, h), (B,) or none."""
        return (self.B, self.h)[:lead]


SMALL = ProbeSizes()
OTHER = ProbeSizes(B=3, h=2, Tq=8, Tk=5, d_k=6, d_v=9)
SQUARE = ProbeSizes(Tq=6, Tk=6, d_v=10)  # some faults run only where two lengths are equal
CUBE = ProbeSizes(B=6, Tq=6, Tk=6, d_v=10)  # or three
ALONE = ProbeSizes(B=1)


# ---- what is drawn ----


def normal(rng: Rng, *shape: int, dtype: Any = float) -> Any:
    """Standard normal numbers."""
    return rng.standard_normal(shape).astype(dtype)


def visible(rng: Rng, *shape: int) -> Any:  # -> bool (..., Tq, Tk)
    """A random mask. Every row and column has a key that is seen and one that is not: read either way, it is a mask."""
    mask = rng.random(shape) < 0.6
    Tq, Tk = shape[-2:]
    for place in range(max(Tq, Tk)):
        mask[..., place % Tq, place % Tk] = True
        mask[..., place % Tq, (place + 1) % Tk] = False
    return mask


def blind(rng: Rng, *shape: int) -> Any:  # -> bool (..., Tq, Tk)
    """The same, with one query that may see nothing."""
    mask = visible(rng, *shape)
    mask[..., 2, :] = False
    return mask


def padded(rng: Rng, B: int, T: int, V: int = 9) -> Any:  # -> int (B, T), ids of words are 1 … V - 1, padding is 0
    """Sentences of different lengths, padding behind them; each has two words at least, the first of them no 1."""
    ids = rng.integers(1, V, size=(B, T))
    ids[:, 0] = rng.integers(2, V, size=B)
    ids[:, 1] = 1
    for row in range(B):
        ids[row, max(2, T - 1 - row) :] = 0
    return ids


def both(
    size: ProbeSizes, make: Callable[[ProbeSizes, int], Arguments], name: str, leads: tuple[int, ...]
) -> Iterator[Probe]:
    """One probe for each number of axes in front."""
    return (Probe(name, make(size, lead), lead) for lead in leads)


# ---- attention ----


def softmax_probes(rng: Rng) -> Probes:
    """Logits with every number of axes in front, and some that overflow."""

    def logits(shape: tuple[int, ...], scale: float = 3.0, dtype: Any = float) -> Arguments:
        return {"logits": (scale * rng.standard_normal(shape)).astype(dtype)}

    def far_below(shape: tuple[int, ...]) -> Arguments:
        low = rng.standard_normal(shape)
        low[..., 0, :] -= 3000
        return {"logits": low}

    def found() -> Iterator[Probe]:
        for lead in (2, 1, 0):
            for name, size in (("scores", SMALL), ("other sizes", OTHER), ("as many queries as keys", SQUARE)):
                yield Probe(name, logits((*size.front(lead), size.Tq, size.Tk)), lead)
            yield Probe("one row far below", far_below((*SMALL.front(lead), 5, 7)), lead, "a row far below another")
        yield Probe("as many sentences as tokens", logits((6, 6, 6)), 1)
        for length in (5, 8):
            yield Probe("one row", logits((length,)), -1)
        for lead in (2, 1, 0, -1):
            shape = (*SMALL.front(lead), 5, 7) if lead >= 0 else (7,)
            yield Probe("logits of thousands", logits(shape, 2000), lead, "large logits")
            yield Probe("float32", logits(shape, dtype=np.float32), lead, "float32")
            yield Probe("float16", logits(shape, 30, np.float16), lead, "float16")

    return tuple(found())


def attention_probes(rng: Rng) -> Probes:
    """Queries, keys and values with and without a mask; then what overflows, sees nothing, or is half as wide."""

    def inputs(size: ProbeSizes, lead: int, dtype: Any = float) -> Arguments:
        shapes = {"query": (size.Tq, size.d_k), "key": (size.Tk, size.d_k), "value": (size.Tk, size.d_v)}
        return {name: normal(rng, *size.front(lead), *shape, dtype=dtype) for name, shape in shapes.items()}

    def masked(size: ProbeSizes, lead: int, dtype: Any = float, draw: Callable[..., Any] = visible) -> Arguments:
        return {**inputs(size, lead, dtype), "mask": draw(rng, size.Tq, size.Tk)}

    def sampled(size: ProbeSizes, lead: int) -> Arguments:
        return {**inputs(size, lead), "mask": visible(rng, *(size.B, 1)[:lead], size.Tq, size.Tk)}

    def louder(arguments: Arguments, times: float, rows: Any = slice(None)) -> Arguments:
        arguments["query"][..., rows, :] *= times
        return arguments

    def ordinary(lead: int) -> Iterator[Probe]:
        yield Probe("no mask", inputs(SMALL, lead), lead)
        yield Probe("other sizes", inputs(OTHER, lead), lead)
        yield Probe("a mask", masked(SMALL, lead), lead)
        yield Probe("a mask, other sizes", masked(OTHER, lead), lead)  # what is added may be scaled by d_k
        if lead:
            yield Probe("a mask for every sample", sampled(SMALL, lead), lead)
        yield Probe("as many queries as keys", inputs(SQUARE, lead), lead)
        yield Probe("as many queries as keys, a mask", masked(SQUARE, lead), lead)
        if lead == 1:
            yield Probe("as many sentences as tokens", inputs(CUBE, lead), lead)

    def edges(lead: int) -> Iterator[Probe]:
        yield Probe("large scores", louder(inputs(SMALL, lead), 1e5), lead, "large logits")
        low = masked(SMALL, lead)
        low |= {"query": -1e5 * np.abs(low["query"]), "key": np.abs(low["key"])}
        yield Probe("scores of −100,000, a mask", low, lead, "large logits under a mask")
        yield Probe("one long query", louder(inputs(SMALL, lead), 1e4, 0), lead, "a row far above another")
        blinded = masked(SMALL, lead, draw=blind)
        yield Probe("a query that may see nothing", blinded, lead, "a row that may see nothing")
        yield Probe("float32", masked(SMALL, lead, np.float32), lead, "float32")
        yield Probe("float16", masked(SMALL, lead, np.float16), lead, "float16")
        yield Probe("a batch of one", inputs(ALONE, lead), lead, "B = 1")

    return tuple(probe for lead in (2, 1, 0) for probe in (*ordinary(lead), *edges(lead)))


def tiled_probes(rng: Rng) -> Probes:
    """As attention, in tiles that divide neither length."""
    tiles = {"height": 2, "width": 3}
    plain = [probe for probe in attention_probes(rng) if "mask" not in probe.arguments]
    return tuple(Probe(one.name, one.arguments | tiles, one.lead, one.edge) for one in plain)


# ---- masks ----


def causal_probes(rng: Rng) -> Probes:  # noqa: ARG001 (nothing to draw)
    """Square masks, then those of fewer queries than keys; one token is an edge."""
    pairs = ((5, 5), (8, 8), (3, 7), (4, 6))
    return (
        *(Probe(f"{Tq} × {Tk}", {"Tq": Tq, "Tk": Tk}) for Tq, Tk in pairs),
        Probe("one token", {"Tq": 1, "Tk": 1}, edge="one token"),
    )


def padding_probes(rng: Rng) -> Probes:
    """Batches of padded sentences; in the last there is no padding."""
    full = Probe("no padding", {"ids": rng.integers(2, 9, size=(2, 4))}, edge="a batch without padding")
    return (*(Probe("padded sentences", {"ids": padded(rng, B, T)}) for B, T in ((2, 5), (3, 7), (4, 4))), full)


# ---- positions ----


def position_probes(rng: Rng) -> Probes:  # noqa: ARG001 (nothing to draw)
    """Tables of positions; an odd width is an edge."""
    even = [Probe(f"{T} × {d}", {"T": T, "d_model": d}) for T, d in ((7, 12), (11, 6), (30, 64))]
    return (*even, Probe("an odd width", {"T": 6, "d_model": 9}, edge="odd d_model"))


def rope_probes(rng: Rng) -> Probes:
    """Queries at positions from 0, and further on, as with a cache."""

    def at(first: int, size: ProbeSizes, lead: int) -> Arguments:
        x = normal(rng, *size.front(lead), size.Tq, size.d_k)
        return {"x": x, "positions": np.arange(first, first + size.Tq)}

    wider = ProbeSizes(B=3, h=2, Tq=9, d_k=8)
    starts = ((0, SMALL), (0, wider), (40, SMALL))
    near = [Probe(f"from {first}", at(first, size, lead), lead) for lead in (2, 1, 0) for first, size in starts]
    far = [Probe("from 5000", at(5000, SMALL, lead), lead, "far positions") for lead in (2, 1, 0)]
    return (*near, *far)


def embed_probes(rng: Rng) -> Probes:
    """Ids and a table."""
    shapes = ((2, 5, 12), (3, 7, 6))
    made = ({"ids": rng.integers(0, 9, size=(B, T)), "table": normal(rng, 9, d)} for B, T, d in shapes)
    return tuple(Probe("a batch of ids", arguments, 1) for arguments in made)


# ---- heads ----


def split_probes(rng: Rng) -> Probes:
    """Tokens and a number of heads."""

    def inputs(size: ProbeSizes, lead: int) -> Arguments:
        return {"x": normal(rng, *size.front(lead), size.Tq, size.d_model), "h": size.h}

    return tuple(probe for size in (SMALL, OTHER) for probe in both(size, inputs, "tokens", (1, 0)))


def merge_probes(rng: Rng) -> Probes:
    """Tokens of several heads."""

    def inputs(size: ProbeSizes, lead: int) -> Arguments:
        return {"x": normal(rng, *(size.B,)[:lead], size.h, size.Tq, size.d_k)}

    return tuple(probe for size in (SMALL, OTHER) for probe in both(size, inputs, "tokens of heads", (1, 0)))


def multi_head_probes(rng: Rng) -> Probes:
    """Tokens, a source of another length, weights, heads, with and without a mask."""

    def inputs(size: ProbeSizes, lead: int, dtype: Any = float) -> Arguments:
        shapes = {"x": size.Tq, "source": size.Tk}
        tokens = {name: normal(rng, *size.front(lead), T, size.d_model, dtype=dtype) for name, T in shapes.items()}
        return {**tokens, **heads(rng, size.d_model, dtype), "h": size.h}

    def masked(size: ProbeSizes, lead: int, draw: Callable[..., Any] = visible) -> Arguments:
        return {**inputs(size, lead), "mask": draw(rng, size.Tq, size.Tk)}

    def sampled(size: ProbeSizes) -> Arguments:
        return {**inputs(size, 1), "mask": visible(rng, size.B, 1, size.Tq, size.Tk)}

    def ordinary(lead: int) -> Iterator[Probe]:
        yield Probe("no mask", inputs(SMALL, lead), lead)
        yield Probe("other sizes", inputs(OTHER, lead), lead)
        yield Probe("a mask", masked(SMALL, lead), lead)
        yield Probe("as many queries as keys", inputs(SQUARE, lead), lead)
        yield Probe("as many queries as keys, a mask", masked(SQUARE, lead), lead)
        if lead:
            yield Probe("a mask for every sample", sampled(SMALL), lead)
            yield Probe("as many queries as keys, a mask for every sample", sampled(SQUARE), lead)

    def edges(lead: int) -> Iterator[Probe]:
        low = {name: np.abs(value) if name != "h" else value for name, value in masked(SMALL, lead).items()}
        low |= {"mask": visible(rng, SMALL.Tq, SMALL.Tk), "w_query": -1e5 * low["w_query"]}
        yield Probe("scores of −100,000, a mask", low, lead, "large logits under a mask")
        blinded = masked(SMALL, lead, blind)
        yield Probe("a query that may see nothing", blinded, lead, "a row that may see nothing")
        yield Probe("float32", inputs(SMALL, lead, np.float32), lead, "float32")
        yield Probe("a batch of one", inputs(ALONE, lead), lead, "B = 1")
        yield Probe("one head", inputs(ProbeSizes(h=1, d_k=10), lead), lead, "h = 1")

    return tuple(probe for lead in (1, 0) for probe in (*ordinary(lead), *edges(lead)))
