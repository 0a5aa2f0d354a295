"""Decoding: one chosen token is appended to what was said so far, and the network is asked again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attention_lab.train.tree import Array
from attention_lab.variants import Model
from attention_lab.weights import Weights

Pick = Callable[[Array], Array]  # (B, V) logits -> (B,) ids


def greedy_pick(first: int) -> Pick:
    """Greedy: the id with the largest logit among ids from `first` on, which leaves out padding and the like."""
    return lambda logits: np.asarray(logits[:, first:].argmax(axis=-1) + first)


def sampling_pick(rng: np.random.Generator, first: int) -> Pick:
    """Sampling: a random id from `first` on, with the model's probabilities."""

    def pick(logits: Array) -> Array:
        noise = rng.gumbel(size=logits[:, first:].shape)  # the largest of logit + Gumbel noise is a draw of the softmax
        return np.asarray((logits[:, first:] + noise).argmax(axis=-1) + first)

    return pick


def append_pick(ids: Array, logits: Array, pick: Pick) -> Array:  # (B, T), (B, T, V) -> (B, T + 1)
    """The ids, and the one picked after the last of them."""
    return np.concatenate([ids, pick(logits[:, -1])[:, np.newaxis]], axis=1)


def decode_target(model: Model, source: Array, weights: Weights, h: int, T: int, start: int, pick: Pick) -> Array:
    """(B, Tk) -> (B, T): tokens that an encoder–decoder writes after the id `start`; the encoder runs once."""
    memory = model.encode(source, weights, h)
    said = np.full((len(source), 1), start)
    for _ in range(T):
        said = append_pick(said, model.decode(said, memory, source, weights, h), pick)
    return said[:, 1:]


def continue_ids(model: Model, ids: Array, weights: Weights, h: int, T: int, pick: Pick, cached: bool = True) -> Array:
    """(B, P) -> (B, P + T): continuation by a decoder-only network, cached or reading all tokens at each step.

    Once all learned positions are taken, the older half of the tokens is dropped.
    """
    room, start, cache = len(weights["positions"]), max(0, ids.shape[1] - len(weights["positions"])), None
    for _ in range(T):
        if ids.shape[1] - start > room:
            start, cache = ids.shape[1] - (room + 1) // 2, None
        if cached:
            new = ids[:, start:] if cache is None else ids[:, -1:]
            logits, cache = model.decode_next(new, weights, h, cache or model.empty_cache(weights, h, len(ids)))
        else:
            logits = model.decoder_only(ids[:, start:], weights, h)
        ids = append_pick(ids, logits, pick)
    return ids
