"""The inputs of norms, layers and whole networks, of training and of generation; see `inputs.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from attention_lab.check.inputs import (
    OTHER,
    SMALL,
    SQUARE,
    Arguments,
    Parts,
    Probe,
    Probes,
    ProbeSizes,
    Rng,
    normal,
    padded,
    visible,
)
from attention_lab.check.weights import decoder, encoder, feed_forward_weights, networks, norm_weights
from attention_lab.weights import NORM_EPS, heads

# ---- the rest of the block ----


def norm_probes(rng: Rng) -> Probes:
    """Tokens far from mean 0 and deviation 1; then tiny ones."""

    def inputs(size: ProbeSizes, lead: int, scale: float = 3.0, dtype: Any = float) -> Arguments:
        shape = (*size.front(lead), size.Tq, size.d_model) if lead >= 0 else (size.d_model,)
        arguments = {"x": scale * (normal(rng, *shape) + 0.4), **norm_weights(rng, size.d_model)}
        return {name: value.astype(dtype) for name, value in arguments.items()} | {"eps": NORM_EPS}

    leads = (1, 0, -1)
    return (
        *(Probe("tokens", inputs(size, lead), lead) for lead in leads for size in (SMALL, OTHER)),
        *(Probe("tiny tokens", inputs(SMALL, lead, 1e-3), lead, "tiny numbers") for lead in leads),
        *(Probe("float32", inputs(SMALL, lead, dtype=np.float32), lead, "float32") for lead in leads),
    )


def feed_forward_probes(rng: Rng) -> Probes:
    """Tokens, both weights, both biases."""

    def inputs(size: ProbeSizes, lead: int, dtype: Any = float) -> Arguments:
        weights = feed_forward_weights(rng, size.d_model, 2 * size.d_model + 3)
        arguments = {"x": normal(rng, *size.front(lead), size.Tq, size.d_model), **weights}
        return {name: value.astype(dtype) for name, value in arguments.items()}

    return (
        *(Probe("tokens", inputs(size, lead), lead) for lead in (1, 0) for size in (SMALL, OTHER)),
        *(Probe("float32", inputs(SMALL, lead, np.float32), lead, "float32") for lead in (1, 0)),
    )


def dropout_probes(rng: Rng) -> Probes:
    """Many numbers at rates that are not one half, in training and not."""
    x = 1 + rng.random((60, 100))
    rates = [Probe("in training", {"x": x, "rate": rate, "training": True}) for rate in (0.2, 0.3)]
    return (*rates, Probe("in evaluation", {"x": x, "rate": 0.2, "training": False}))


def dropped(arguments: Arguments, parts: Parts) -> Parts:
    """What dropout does to numbers: the share that is 0, and what the others are multiplied by.

    The share is random; near the rate, or what the rate leaves, it counts as that. The factor is as exact as floats.
    """
    x, rate, output = arguments["x"], arguments["rate"], parts.get("output")
    if output is None or output.shape != x.shape:
        return parts
    kept = output != 0
    share = float(1 - kept.mean())
    meant = next((one for one in (0.0, rate, 1 - rate) if abs(share - one) < 0.03), share)
    times = np.median(output[kept] / x[kept]) if kept.any() else 0.0
    return {"share": np.asarray(meant), "times": np.asarray(times, output.dtype if output.dtype.kind == "f" else float)}


def layer_probes(kind: str) -> Callable[[Rng], Probes]:
    """Tokens through one layer, with and without masks; for a decoder's layer also the memory."""
    weights = decoder if kind == "decoder" else encoder

    def inputs(rng: Rng, size: ProbeSizes) -> Arguments:
        tokens = {"x": normal(rng, size.B, size.Tq, size.d_model)}
        if kind == "decoder":
            tokens["memory"] = normal(rng, size.B, size.Tk, size.d_model)
        return {**tokens, "layer": weights(rng, size.d_model), "h": size.h}

    def masked(rng: Rng, size: ProbeSizes) -> Arguments:
        masks = {"mask": visible(rng, size.Tq, size.Tq)}
        if kind == "decoder":
            masks["memory_mask"] = visible(rng, size.B, 1, size.Tq, size.Tk)
        return {**inputs(rng, size), **masks}

    def found(rng: Rng) -> Probes:
        sizes = {"some tokens": SMALL, "other sizes": OTHER, "as many queries as keys": SQUARE}
        return (
            *(Probe(name, inputs(rng, size), 1) for name, size in sizes.items()),
            *(Probe(f"{name}, with masks", masked(rng, size), 1) for name, size in sizes.items()),
        )

    return found


# ---- whole networks, training, generation ----

NETWORKS = {  # B, Tq, Tk, d_model, h
    "padded sentences": (2, 5, 7, 12, 3),
    "other sizes": (3, 8, 6, 8, 2),
    "as many queries as keys": (3, 6, 6, 12, 2),
}


def encode_probes(rng: Rng) -> Probes:
    """Padded sentences through an encoder."""

    def inputs(B: int, _: int, T: int, d: int, h: int) -> Arguments:
        return {"source": padded(rng, B, T), "weights": networks(rng, d), "h": h}

    return tuple(Probe(name, inputs(*sizes)) for name, sizes in NETWORKS.items())


def decode_probes(rng: Rng) -> Probes:
    """A target that reads a memory; both padded, the shorter source beside the longer target."""

    def inputs(B: int, Tq: int, Tk: int, d: int, h: int) -> Arguments:
        texts = {"target": padded(rng, B, Tq), "memory": normal(rng, B, Tk, d)}
        return {**texts, "source": padded(rng, B, Tk)[::-1].copy(), "weights": networks(rng, d), "h": h}

    return tuple(Probe(name, inputs(*sizes)) for name, sizes in NETWORKS.items())


def network_probes(rng: Rng) -> Probes:
    """Source and target through both halves."""
    made = decode_probes(rng)
    return tuple(Probe(one.name, {n: v for n, v in one.arguments.items() if n != "memory"}) for one in made)


def decoder_only_probes(rng: Rng) -> Probes:
    """Ids through a GPT."""

    def inputs(B: int, T: int, _: int, d: int, h: int) -> Arguments:
        return {"ids": rng.integers(0, 9, size=(B, T)), "weights": networks(rng, d), "h": h}

    return tuple(Probe(name, inputs(*sizes)) for name, sizes in NETWORKS.items())


def teacher_probes(rng: Rng) -> Probes:
    """Targets."""
    return tuple(Probe("targets", {"target": rng.integers(1, 9, size=shape)}) for shape in ((2, 6), (3, 9)))


def loss_probes(rng: Rng) -> Probes:
    """Logits and labels, some of them padding; then logits that overflow. All in a batch, and all in one row."""

    def inputs(B: int, T: int, V: int, scale: float) -> Arguments:
        return {"logits": scale * normal(rng, B, T, V), "labels": padded(rng, B, T, V)}

    ordinary = [Probe("padded labels", inputs(B, T, V, 2.0)) for B, T, V in ((2, 5, 9), (3, 7, 11))]
    whole = {"logits": 2 * normal(rng, 2, 4, 9), "labels": rng.integers(1, 9, size=(2, 4))}
    large = Probe("logits of thousands", inputs(2, 5, 9, 1000.0), edge="large logits")
    low = inputs(2, 5, 9, 800.0)
    low["logits"] = np.minimum(low["logits"], 1)
    unlikely = Probe("labels far below the others", low, edge="labels of no probability")
    batches = (*ordinary, Probe("no padding", whole), large, unlikely)
    return (*batches, *map(in_a_row, batches))


def in_a_row(probe: Probe) -> Probe:
    """The logits and labels of all sentences one after the other: (N, V) and (N,)."""
    logits, labels = probe.arguments["logits"], probe.arguments["labels"]
    arguments = {"logits": logits.reshape(-1, logits.shape[-1]), "labels": labels.reshape(-1)}
    return Probe(f"{probe.name}, in a row", arguments, -1, probe.edge)


def cached_probes(rng: Rng) -> Probes:
    """Several new tokens, and one, after a past."""

    def inputs(size: ProbeSizes, new: int) -> Arguments:
        past = tuple(normal(rng, size.B, size.h, 4, size.d_k) for _ in "kv")
        x = normal(rng, size.B, new, size.d_model)
        return {"x": x, "past": past, **heads(rng, size.d_model), "h": size.h}

    calls = (("three new tokens", SMALL, 3), ("one new token", OTHER, 1), ("four new tokens", OTHER, 4))
    return tuple(Probe(name, inputs(size, new), 1) for name, size, new in calls)


def next_probes(rng: Rng) -> Probes:
    """New ids after the cache of some."""

    def inputs(B: int, new: int, d: int, h: int) -> Arguments:
        cache = [tuple(normal(rng, B, h, 4, d // h) for _ in "kv") for _ in range(2)]
        return {"ids": rng.integers(0, 9, size=(B, new)), "weights": networks(rng, d), "h": h, "cache": cache}

    return tuple(Probe("after a past", inputs(*sizes)) for sizes in ((2, 3, 12, 3), (3, 1, 8, 2)))
