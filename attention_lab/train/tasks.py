"""What a model is trained to do: each task draws its own batches, and says which network they go into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attention_lab import weights as init
from attention_lab.errors import unknown
from attention_lab.train.generate import greedy
from attention_lab.train.tree import Array
from attention_lab.variants import Model
from attention_lab.weights import Weights

PAD, BOS, EOS = 0, 1, 2
SPECIAL = ("<pad>", "<bos>", "<eos>")
FIRST = len(SPECIAL)  # the first id that is an answer
SYMBOLS = tuple("ABCDEFGHIJ")


@dataclass(frozen=True)
class Batch:
    """Ids of B examples: what the network reads, and what it should say. `source` is empty where it only continues."""

    source: Array
    target: Array


@dataclass(frozen=True)
class Sizes:
    """How large the network is, and T, the tokens of an example."""

    d_model: int = 32
    heads: int = 4
    layers: int = 1
    T: int = 8


@dataclass(frozen=True)
class Network:
    """One of the model's networks. `logits` also gives the labels; `generate`, where it can, what it says by itself.

    `maps` names attention maps of one example: which call of attention it is, counted from the last, and the ids of its
    rows and columns.
    """

    name: str
    start: Callable[[np.random.Generator, int, Sizes], Weights]
    logits: Callable[[Model, Weights, Batch, int], tuple[Any, Array]]
    maps: Callable[[Model, Batch], list[tuple[str, int, tuple[Array, Array]]]]
    generate: Callable[[Model, Weights, Batch, int], Array] | None = None


@dataclass(frozen=True)
class Task:
    """A thing to learn. `batch` draws B examples of T tokens; `vocabulary` spells the ids."""

    name: str
    summary: str
    network: Network
    vocabulary: tuple[str, ...]
    batch: Callable[[np.random.Generator, int, int], Batch]
    sizes: Sizes = field(default_factory=Sizes)
    steps: int = 400
    rate: float = 3e-3


# ---- networks ----


def start_encoder_decoder(rng: np.random.Generator, V: int, sizes: Sizes) -> Weights:
    """Untrained weights in float32."""
    return init.encoder_decoder(rng, V, sizes.d_model, 2 * sizes.d_model, sizes.layers, np.float32)


def translated(model: Model, weights: Weights, batch: Batch, h: int) -> tuple[Any, Array]:
    """(B, T, V) and (B, T): the decoder reads the target, shifted right, and owes it."""
    read, owed = model.teacher_forcing(batch.target)
    return model.encoder_decoder(batch.source, read, weights, h), owed


def translate(model: Model, weights: Weights, batch: Batch, h: int) -> Array:
    """(B, T): what the decoder says when it reads only its own words."""
    return greedy(model, batch.source, weights, h, batch.target.shape[-1] - 1, BOS, FIRST)


def decoder_maps(model: Model, batch: Batch) -> list[tuple[str, int, tuple[Array, Array]]]:
    """In its last layer the decoder looks at the source, after looking at itself."""
    read, _ = model.teacher_forcing(batch.target)
    return [("decoder looks at source", -1, (read[0], batch.source[0])), ("decoder", -2, (read[0], read[0]))]


ENCODER_DECODER = Network("encoder-decoder", start_encoder_decoder, translated, decoder_maps, translate)


# ---- tasks ----


def rewritten(change: Callable[[Array], Array]) -> Callable[[np.random.Generator, int, int], Batch]:
    """Batches of symbols, and after BOS what becomes of them."""

    def batch(rng: np.random.Generator, B: int, T: int) -> Batch:
        source = rng.integers(FIRST, FIRST + len(SYMBOLS), (B, T))
        return Batch(source, np.concatenate([np.full((B, 1), BOS), change(source)], axis=1))

    return batch


REVERSE = Task(
    "reverse",
    "Say a sequence of symbols backwards.",
    ENCODER_DECODER,
    SPECIAL + SYMBOLS,
    rewritten(lambda source: source[:, ::-1]),
)

TASKS = (REVERSE,)


def find_task(name: str) -> Task:
    """The task of this name. Raises UnknownName with the nearest ones."""
    by_name = {task.name: task for task in TASKS}
    if name not in by_name:
        raise unknown("task", name, by_name, "attn-lab train")
    return by_name[name]
