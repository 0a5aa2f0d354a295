"""Loss: what the decoder owes is the next token, and padding is owed by nobody."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Seed
from attention_lab.result import Column, Result, Statement, table
from attention_lab.variants import Model

Array = NDArray[np.floating]
Ids = NDArray[np.integer]

PAD, V, D_MODEL, H = 0, 16, 32, 4  # D3's ids: 0 fills up, 1 begins, 2 ends a sentence, words follow
SOURCE = np.array([[3, 4, 2, PAD], [5, 6, 7, 2]])
TARGET = np.array([[1, 8, 9, 2, PAD], [1, 10, 11, 12, 2]])
SURE, HUGE = 50.0, 1e4  # by how much a logit is above all others
SAME = 1e-6


def confident_logits(ids: Ids, size: float) -> Array:  # (B, T) -> (B, T, V)
    """Logits of a model that answers with these ids, each logit `size` above the others."""
    logits: Array = size * np.eye(V)[ids]
    return logits


def other_tokens(ids: Ids) -> Ids:
    """For each id another id, never padding."""
    return ids % (V - 1) + 1


def model_loss(model: Model, logits: Array, labels: Ids) -> float:
    """The model's loss in nats; NaN and infinity are results too."""
    with np.errstate(all="ignore"):
        return float(model.cross_entropy(logits, labels)) + 0.0  # no −0


def run(model: Model, *, seed: Seed = 0) -> Result:
    """D3's batch of two sentences: what the decoder reads, what it owes, and what five models are charged for it.

    The untrained one is an encoder–decoder of one layer each, d_model 32, 4 heads; the others are made up.
    """
    rng = np.random.default_rng(seed)
    network = weights.encoder_decoder(rng, V, D_MODEL, 4 * D_MODEL, 1)
    read, labels = model.teacher_forcing(TARGET)
    logits = model.encoder_decoder(SOURCE, read, network, H)

    models = {
        "knows nothing": np.zeros_like(logits),
        "untrained": logits,
        "sure and right": confident_logits(labels, SURE),
        "sure and wrong": confident_logits(other_tokens(labels), SURE),
        "repeats what it reads": confident_logits(read, SURE),
    }
    costs = {name: model_loss(model, made, labels) for name, made in models.items()}
    is_pad = (labels == PAD)[..., np.newaxis]
    elsewhere = np.where(is_pad, rng.standard_normal(logits.shape), logits)
    moved = abs(model_loss(model, elsewhere, labels) - costs["untrained"])
    huge = [model_loss(model, confident_logits(ids, HUGE), labels) for ids in (labels, other_tokens(labels))]
    lowered = abs(model_loss(model, logits - HUGE, labels) - costs["untrained"])

    return Result(
        (
            table(
                "batch",
                "Two sentences, as the decoder reads them and as it is graded",
                ("", "first", "second"),
                (
                    (name, *(" ".join(map(str, row)) for row in ids))
                    for name, ids in (("target", TARGET), ("decoder reads", read), ("labels", labels))
                ),
            ),
            Statement(
                "next-token",
                "Each token that is read has the token after it as its label.",
                f"{read.shape[-1]} tokens are read and {labels.shape[-1]} labels owed; first label {labels[0, 0]}, "
                f"after {TARGET[0, 0]} comes {TARGET[0, 1]}.",
                holds=bool(np.array_equal(read, TARGET[:, :-1]) and np.array_equal(labels, TARGET[:, 1:])),
                source="D3",
            ),
            table(
                "costs",
                f"What a model is charged for each label, on average; ln V = {np.log(V):.4f}",
                ("model", Column("loss", 4, "nats")),
                costs.items(),
            ),
            Statement(
                "scale",
                "Knowing nothing costs ln V, being sure and right nothing, being sure and wrong the whole gap.",
                f"{costs['knows nothing']:.4f} of ln {V} = {np.log(V):.4f}; {costs['sure and right']:.4f}; "
                f"{costs['sure and wrong']:.4f} of {SURE:g}.",
                holds=abs(costs["knows nothing"] - np.log(V)) < SAME
                and abs(costs["sure and right"]) < SAME
                and abs(costs["sure and wrong"] - SURE) < SAME,
            ),
            Statement(
                "copying",
                "Repeating what one reads is no answer.",
                f"It costs {costs['repeats what it reads']:.2f} nats, more than knowing nothing.",
                holds=costs["repeats what it reads"] > np.log(V),
                value=costs["repeats what it reads"],
            ),
            Statement(
                "padding",
                "Padding does not count: what the model says there changes nothing.",
                f"Other logits at {int(is_pad.sum())} of {labels.size} labels move the loss by {moved:.4f}.",
                holds=moved < SAME,
                value=moved,
                source="D3",
            ),
            Statement(
                "huge",
                f"Logits of {HUGE:g} have a loss too, and what is added to all of them does not matter.",
                f"Right costs {huge[0]:.4f}, wrong {huge[1]:.4f}. Logits lowered by {HUGE:g} move it by {lowered:.4f}.",
                holds=abs(huge[0]) < SAME and abs(huge[1] - HUGE) < SAME and lowered < SAME,
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
