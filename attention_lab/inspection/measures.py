"""Measurements of one head's weights (B, Tq, Tk), given the keys it may attend to.

A row is *sound* if it is finite, holds a weight above 0 and is not that of a padded query; it is *judged*, where
patterns are asked for, if besides it has two keys or more to choose from. Means are over such rows, counts over all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attention_lab.inspection.files import Array
from attention_lab.variants import healthy

CLOSED = 1e-6  # a mean mass up to this is none: what a mask of -1e4 or of -1e9 leaves
FEWEST = 4  # judged rows needed for a pattern: fewer show one by chance

MODEL = healthy()
Corner = Literal["bottom-right", "top-left"]


@dataclass(frozen=True)
class Measures:
    """Measures of one head. None stands where no row could be measured.

    `off` and `columns_off` are the largest distance of the sum of a row (all zeros apart) and of a column from 1.
    `closed` is the mean mass on keys that may not be attended to, `future` that on keys after the query, `faint` that
    of a head that treats all alike. `corner` says from which corner the diagonal of a causal head starts, None that it
    is not causal. `entropy` is in nats, `share` is entropy / ln(keys to choose from). `saturated` is the share of rows
    with a weight above 0.99. `sink` is the key with more than half of the mass in most rows, and `sink_rows` the share
    of these. `offset` is key − query with the largest mean mass, `offset_mass`. `apart` is how far rows differ from
    each other: mean total variation, 0 alike, 1 disjoint.
    """

    not_finite: int
    negative: int
    zero_rows: int
    rows: int
    judged: int
    off: float | None
    columns_off: float | None
    closed: float | None
    future: float | None
    faint: float
    corner: Corner | None
    entropy: float | None
    share: float | None
    largest: float | None
    saturated: float | None
    sink: int
    sink_rows: float
    offset: int
    offset_mass: float
    apart: float | None


def mean_over(values: Array, rows: Array) -> float | None:  # (B, Tq), (B, Tq)
    """Mean over the selected rows; None without any."""
    return float(values[rows].mean()) if rows.any() else None


def causal_mask_from(corner: Corner, Tq: int, Tk: int) -> Array:  # -> (Tq, Tk)
    """The causal mask whose diagonal starts at this corner; the model's starts at the bottom right."""
    mask: Array = MODEL.causal_mask(Tq, Tk) if corner == "bottom-right" else np.tril(np.ones((Tq, Tk), dtype=bool))
    return mask


def corner_of(mass: Array) -> Corner | None:  # (Tq, Tk), summing to 1
    """The corner at which the diagonal of a causal mask starts, the stricter one if both would do; None without mask.

    A mask that closes nothing is none.
    """
    Tq, Tk = mass.shape
    corners: tuple[Corner, Corner] = ("bottom-right", "top-left")
    masks = [(causal_mask_from(corner, Tq, Tk), corner) for corner in corners]
    fits = [(int(mask.sum()), corner) for mask, corner in masks if not mask.all() and mass[~mask].sum() <= CLOSED]
    return min(fits)[1] if fits else None


def visible_keys(shape: tuple[int, ...], allowed: Array | None, corner: Corner | None) -> Array:  # -> (B, Tq, Tk)
    """Keys that a query chooses from: allowed ones, under the mask of a causal head."""
    _, Tq, Tk = shape
    visible = np.ones(shape, dtype=bool) if allowed is None else allowed
    if corner is not None:
        visible = visible & causal_mask_from(corner, Tq, Tk)
    return visible


def entropies(shares: Array) -> Array:  # (B, Tq, Tk) -> (B, Tq)
    """The entropy of each row in nats."""
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Array = -(shares * logs).sum(axis=-1)
    return found


def sink_of(shares: Array, judged: Array) -> tuple[int, float]:  # (B, Tq, Tk), (B, Tq) -> key, share of rows
    """The key that has more than half of the mass in the most rows, and in which share of them."""
    if judged.sum() < FEWEST:
        return 0, 0.0
    hits = (shares[judged] > 0.5).mean(axis=0)
    return int(hits.argmax()), float(hits.max())


def offset_of(shares: Array, judged: Array, corner: Corner | None) -> tuple[int, float]:  # (B, Tq, Tk), (B, Tq)
    """The distance key − query with the largest mean mass, of those that half of the rows have, and that mass.

    Where there are not as many keys as queries, only a causal head tells which key is the query's own.
    """
    Tq, Tk = shares.shape[1:]
    if judged.sum() < FEWEST or (Tq != Tk and corner is None):
        return 0, 0.0
    own = Tk - Tq if corner == "bottom-right" else 0
    place = np.arange(Tk) - np.arange(Tq)[:, np.newaxis] + Tq  # from 1
    mass = (shares * judged[..., np.newaxis]).sum(axis=0)
    rows = np.broadcast_to(judged.sum(axis=0)[:, np.newaxis], (Tq, Tk))
    masses, counts = (np.bincount(place.ravel(), some.ravel(), minlength=Tq + Tk) for some in (mass, rows))
    means = np.where(2 * counts >= judged.sum(), masses / np.maximum(counts, 1), 0)
    return int(means.argmax()) - Tq - own, float(means.max())


def row_distance(shares: Array, visible: Array, judged: Array) -> float | None:  # (B, Tq, Tk), the same, (B, Tq)
    """How far rows differ from what the row with the most keys would be over theirs, in total variation, on average.

    Each sample is taken by itself. A head whose scores do not depend on the query has 0, also under a causal mask.
    """
    if judged.sum() < FEWEST:
        return None
    keys = np.where(judged, visible.sum(axis=-1), 0)
    longest = keys.shape[1] - 1 - keys[:, ::-1].argmax(axis=1)
    samples = np.arange(len(shares))
    expected = shares[samples, longest][:, np.newaxis] * visible
    total = expected.sum(axis=-1, keepdims=True)
    expected = expected / np.where(total > 0, total, 1)
    compared = judged.copy()
    compared[samples, longest] = False
    return mean_over(np.abs(shares - expected).sum(axis=-1) / (1 + (total[..., 0] > 0)), compared)


def measure_head(weights: Array, allowed: Array | None = None, queries: Array | None = None) -> Measures:
    """Measures of one head with weights (B, Tq, Tk).

    `allowed`, of that shape, is True where a key may be attended to; `queries` (B, Tq) where a query is no padding.
    """
    _, Tq, Tk = weights.shape
    finite = np.isfinite(weights)
    whole: Array = np.asarray(finite.all(axis=-1))
    clean = np.where(whole[..., np.newaxis], weights, 0)
    sums = clean.sum(axis=-1)
    zero = whole & ~clean.any(axis=-1)
    filled = whole & ~zero
    positive = clean.clip(min=0)
    total = positive.sum(axis=-1)
    sound = whole & (total > 0) & (True if queries is None else queries)
    shares = positive / np.where(sound, total, 1)[..., np.newaxis]
    mass = shares.sum(axis=0) / max(1, sound.sum())
    corner = corner_of(mass) if sound.any() else None
    closed = None if allowed is None else mean_over((shares * ~allowed).sum(axis=-1), sound)
    respected = allowed if closed is not None and closed <= CLOSED else None
    visible = visible_keys(weights.shape, respected, corner)
    keys = visible.sum(axis=-1)
    judged = sound & (keys > 1)
    entropy, largest = entropies(shares), shares.max(axis=-1)
    sink, sink_rows = sink_of(shares, judged)
    offset, offset_mass = offset_of(shares, judged, corner)
    later = ~causal_mask_from("bottom-right", Tq, Tk)
    return Measures(
        not_finite=int(weights.size - finite.sum()),
        negative=int((weights < 0).sum()),
        zero_rows=int(zero.sum()),
        rows=sums.size,
        judged=int(judged.sum()),
        off=float(np.abs(sums[filled] - 1).max()) if filled.any() else None,
        columns_off=float(np.abs(clean.sum(axis=-2) - 1).max()) if whole.all() else None,
        closed=closed,
        future=float(mass[later].sum()) if sound.any() and later.any() else None,
        faint=float(later.mean()),
        corner=corner,
        entropy=mean_over(entropy, sound),
        share=mean_over(entropy / np.log(np.maximum(keys, 2)), judged),
        largest=mean_over(largest, sound),
        saturated=mean_over(largest > 0.99, judged),
        sink=sink,
        sink_rows=sink_rows,
        offset=offset,
        offset_mass=offset_mass,
        apart=row_distance(shares, visible, judged),
    )
