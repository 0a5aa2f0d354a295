"""Random weights of every part of the model, in which no bias is 0 and no gain 1. d_model is `d` here."""

from __future__ import annotations

import numpy as np

from attention_lab.weights import Weights, heads

Rng = np.random.Generator


def norm_weights(rng: Rng, d: int) -> Weights:
    """Gain and bias, (d,) each; neither is what it would be left out as."""
    return {"gain": 1 + 0.5 * rng.standard_normal(d), "bias": rng.standard_normal(d)}


def feed_forward_weights(rng: Rng, d: int, wide: int) -> Weights:
    """Both weights and both biases."""
    shapes = {"w_in": (d, wide), "b_in": (wide,), "w_out": (wide, d), "b_out": (d,)}
    return {name: rng.standard_normal(shape) / d**0.5 for name, shape in shapes.items()}


def encoder(rng: Rng, d: int) -> Weights:
    """One layer of an encoder, or one block of a GPT."""
    norms = {"norm_1": norm_weights(rng, d), "norm_2": norm_weights(rng, d)}
    return {"attention": heads(rng, d), "feed_forward": feed_forward_weights(rng, d, 2 * d + 1), **norms}


def decoder(rng: Rng, d: int) -> Weights:
    """One layer of a decoder."""
    return {**encoder(rng, d), "cross_attention": heads(rng, d), "norm_3": norm_weights(rng, d)}


def networks(rng: Rng, d: int, V: int = 9) -> Weights:
    """An encoder, a decoder and a GPT of two layers each, with one embedding."""
    tables = {"embedding": rng.standard_normal((V, d)) / d**0.5, "positions": rng.standard_normal((20, d))}
    layers = {"encoder": encoder, "decoder": decoder, "blocks": encoder}
    return tables | {name: [layer(rng, d) for _ in range(2)] for name, layer in layers.items()}
