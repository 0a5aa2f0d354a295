"""Decoding: one chosen token is appended to what was said so far, and the network is asked again."""

from __future__ import annotations

import numpy as np

from attention_lab.train.tree import Array
from attention_lab.variants import Model
from attention_lab.weights import Weights


def likeliest(logits: Array, first: int) -> Array:  # (B, V) -> (B,)
    """The id with the largest logit, of those from `first` on: padding and the like are no answers."""
    return np.asarray(logits[:, first:].argmax(axis=-1) + first)


def greedy(model: Model, source: Array, weights: Weights, h: int, T: int, start: int, first: int) -> Array:
    """(B, Tk) -> (B, T): what an encoder–decoder says, the likeliest token each time, after the id `start`."""
    memory = model.encode(source, weights, h)
    said = np.full((len(source), 1), start)
    for _ in range(T):
        logits = model.decode(said, memory, source, weights, h)
        said = np.concatenate([said, likeliest(logits[:, -1], first)[:, np.newaxis]], axis=1)
    return said[:, 1:]
