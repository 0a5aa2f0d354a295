"""The model's networks as trainable ones: untrained weights, logits with their labels, and attention maps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from attention_lab import weights as init
from attention_lab.train.tree import Array
from attention_lab.variants import Model
from attention_lab.weights import Weights


@dataclass(frozen=True)
class NetworkSizes:
    """Sizes of a network, and T, the tokens of an example."""

    d_model: int = 32
    heads: int = 4
    layers: int = 1
    T: int = 8


class Batch(NamedTuple):
    """Ids of B examples: `source` (B, Tk) is read, `target` (B, T) is predicted. Decoder-only ones ignore `source`."""

    source: Array
    target: Array


class MapSpec(NamedTuple):
    """An attention map to record: the call of attention, counted from the last, and the ids of its rows and columns."""

    name: str
    call: int
    rows: Array
    columns: Array
    causal: bool


@dataclass(frozen=True)
class Network:
    """`start` gives untrained weights in float32; `logits` gives (B, T, V) and the labels (B, T) they should meet."""

    name: str
    start: Callable[[np.random.Generator, int, NetworkSizes], Weights]
    logits: Callable[[Model, Weights, Batch, int], tuple[Any, Array]]
    maps: Callable[[Model, Batch], tuple[MapSpec, ...]]


# ---- the paper's network: reads a source, writes a target ----


def start_both(rng: np.random.Generator, V: int, sizes: NetworkSizes) -> Weights:
    """An encoder and a decoder of as many layers."""
    return init.encoder_decoder(rng, V, sizes.d_model, 2 * sizes.d_model, sizes.layers, np.float32)


def target_logits(model: Model, weights: Weights, batch: Batch, h: int) -> tuple[Any, Array]:
    """Logits of the decoder, which reads the target shifted right, and labels (B, T)."""
    read, owed = model.teacher_forcing(batch.target)
    return model.encoder_decoder(batch.source, read, weights, h), owed


def decoder_maps(model: Model, batch: Batch) -> tuple[MapSpec, ...]:
    """Maps of the last layer: the decoder's self-attention and its cross-attention."""
    read, _ = model.teacher_forcing(batch.target)
    return (
        MapSpec("decoder looks at source", -1, read[0], batch.source[0], False),
        MapSpec("decoder looks at itself", -2, read[0], read[0], True),
    )


ENCODER_DECODER = Network("encoder-decoder", start_both, target_logits, decoder_maps)


# ---- its encoder alone: says something about each token ----


def start_encoder(rng: np.random.Generator, V: int, sizes: NetworkSizes) -> Weights:
    """The encoder without the decoder."""
    both = start_both(rng, V, sizes)
    return {"embedding": both["embedding"], "encoder": both["encoder"]}


def token_logits(model: Model, weights: Weights, batch: Batch, h: int) -> tuple[Any, Array]:
    """Logits of each token through the tied embedding, and labels, which are padding where nothing is predicted."""
    return model.encode(batch.source, weights, h) @ weights["embedding"].T, batch.target


def encoder_maps(_: Model, batch: Batch) -> tuple[MapSpec, ...]:
    """Map of the last layer, in which every token attends to all tokens."""
    return (MapSpec("last layer", -1, batch.source[0], batch.source[0], False),)


ENCODER = Network("encoder", start_encoder, token_logits, encoder_maps)


# ---- D2's network: goes on with what it reads ----


def start_decoder(rng: np.random.Generator, V: int, sizes: NetworkSizes) -> Weights:
    """Pre-norm blocks, and a learned position for each of T tokens."""
    return init.decoder_only(rng, V, sizes.d_model, 2 * sizes.d_model, sizes.layers, sizes.T, np.float32)


def next_logits(model: Model, weights: Weights, batch: Batch, h: int) -> tuple[Any, Array]:
    """Logits of each token, and the next tokens as labels."""
    read, owed = model.teacher_forcing(batch.target)
    return model.decoder_only(read, weights, h), owed


def block_maps(model: Model, batch: Batch) -> tuple[MapSpec, ...]:
    """Map of the last block, in which a token attends to itself and to earlier tokens."""
    read, _ = model.teacher_forcing(batch.target)
    return (MapSpec("last block", -1, read[0], read[0], True),)


DECODER_ONLY = Network("decoder-only", start_decoder, next_logits, block_maps)
