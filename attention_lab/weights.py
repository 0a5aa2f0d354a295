"""Untrained weights for the model: nested dicts of arrays, as `transformer.py` takes them.

Matrices are normal with variance 1 / rows, so that inputs of variance 1 give outputs of variance 1. Embedding
rows have variance 1 / d_model: `embed` multiplies them by √d_model, and the tied logits stay of the order of one.
Biases are zero and gains one, as they are before training.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention_lab.transformer import layer_norm

Weights = dict[str, Any]

NORM_EPS: float = signature(layer_norm).parameters["eps"].default  # what the model's norms add to the variance


def projection(rng: np.random.Generator, rows: int, columns: int, dtype: DTypeLike) -> NDArray[Any]:
    """(rows, columns), normal, variance 1 / rows."""
    return np.asarray(rng.standard_normal((rows, columns)) / rows**0.5, dtype=dtype)


def heads(rng: np.random.Generator, d_model: int, dtype: DTypeLike = float) -> Weights:
    """The four projections of multi-head attention, each (d_model, d_model)."""
    return {name: projection(rng, d_model, d_model, dtype) for name in ("w_query", "w_key", "w_value", "w_out")}


def norm(d_model: int, dtype: DTypeLike = float) -> Weights:
    """Gain and bias of a layer norm, each (d_model,)."""
    return {"gain": np.ones(d_model, dtype), "bias": np.zeros(d_model, dtype)}


def feed_forward(rng: np.random.Generator, d_model: int, d_ff: int, dtype: DTypeLike = float) -> Weights:
    """(d_model, d_ff) and (d_ff, d_model) with their biases."""
    return {
        "w_in": projection(rng, d_model, d_ff, dtype),
        "b_in": np.zeros(d_ff, dtype),
        "w_out": projection(rng, d_ff, d_model, dtype),
        "b_out": np.zeros(d_model, dtype),
    }


def encoder_layer(rng: np.random.Generator, d_model: int, d_ff: int, dtype: DTypeLike = float) -> Weights:
    """An encoder layer, which is also a pre-norm block: attention, feed-forward and two norms."""
    return {
        "attention": heads(rng, d_model, dtype),
        "norm_1": norm(d_model, dtype),
        "feed_forward": feed_forward(rng, d_model, d_ff, dtype),
        "norm_2": norm(d_model, dtype),
    }


def decoder_layer(rng: np.random.Generator, d_model: int, d_ff: int, dtype: DTypeLike = float) -> Weights:
    """A decoder layer: two attentions, feed-forward and three norms."""
    return {
        "attention": heads(rng, d_model, dtype),
        "norm_1": norm(d_model, dtype),
        "cross_attention": heads(rng, d_model, dtype),
        "norm_2": norm(d_model, dtype),
        "feed_forward": feed_forward(rng, d_model, d_ff, dtype),
        "norm_3": norm(d_model, dtype),
    }


def embedding(rng: np.random.Generator, vocabulary: int, d_model: int, dtype: DTypeLike = float) -> NDArray[Any]:
    """(V, d_model), normal, variance 1 / d_model."""
    return np.asarray(rng.standard_normal((vocabulary, d_model)) / d_model**0.5, dtype=dtype)


def decoder_only(
    rng: np.random.Generator, vocabulary: int, d_model: int, d_ff: int, layers: int, T: int, dtype: DTypeLike = float
) -> Weights:
    """D2's network: an embedding, T learned positions and pre-norm blocks."""
    return {
        "embedding": embedding(rng, vocabulary, d_model, dtype),
        "positions": embedding(rng, T, d_model, dtype),
        "blocks": [encoder_layer(rng, d_model, d_ff, dtype) for _ in range(layers)],
    }


def encoder_decoder(
    rng: np.random.Generator, vocabulary: int, d_model: int, d_ff: int, layers: int, dtype: DTypeLike = float
) -> Weights:
    """The paper's network: one embedding shared by both towers, `layers` encoder and as many decoder layers."""
    return {
        "embedding": embedding(rng, vocabulary, d_model, dtype),
        "encoder": [encoder_layer(rng, d_model, d_ff, dtype) for _ in range(layers)],
        "decoder": [decoder_layer(rng, d_model, d_ff, dtype) for _ in range(layers)],
    }
