"""Order: attention without positions sees a bag of words; only what is added to the tokens tells it who came first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Seed, Text
from attention_lab.errors import BadInput
from attention_lab.result import Column, Result, Statement, table
from attention_lab.text import ids_of, sentence_tokens
from attention_lab.variants import Model, attempt

Array = NDArray[np.floating]

D_MODEL, D_K = 64, 16
SHUFFLES = 100
SAME = 1e-9  # two vectors whose numbers differ by less are the same up to rounding


def attend(model: Model, x: Array, projections: list[Array], mask: Array | None = None) -> Array:  # -> (T, d_k)
    """Self-attention over one sentence or several of one length."""
    query, key, value = (x @ projection for projection in projections)
    output: Array = model.attention(query, key, value, mask)[0]
    return output


def set_distance(some: Array, others: Array) -> float:  # (T, d), (T, d)
    """How far the two sets of rows are apart: the row with the furthest nearest row on the other side. 0: same set."""
    apart = np.abs(some[:, np.newaxis] - others).max(axis=-1)
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))


def word_moves(some: Array, reversed_rows: Array) -> Array:  # (T, d), (T, d) -> (T,)
    """Distance of each word's output from its output in the reversed sentence."""
    distance: Array = np.linalg.norm(some - reversed_rows[::-1], axis=-1)
    return distance


def run(model: Model, *, text: Text = "cat ate food", seed: Seed = 0) -> Result:
    """A sentence forwards and backwards through one attention with random weights, without and with positions.

    The outputs are compared as sets, as D0 does, and word by word; then under any permutation (D3).
    """
    tokens = sentence_tokens(text, at_least=2)
    if tokens == tokens[::-1]:
        raise BadInput(f"--text {text!r} is the same forwards and backwards.", "Give a sentence whose order matters.")
    T = len(tokens)
    rng = np.random.default_rng(seed)
    ids = np.array(ids_of(tokens))
    embedding = weights.embedding(rng, len(set(tokens)), D_MODEL)
    projections = [weights.projection(rng, D_MODEL, D_K, float) for _ in range(3)]

    bag = embedding[ids] * D_MODEL**0.5  # what embed() gives, without the positions
    plain, plain_back = (attend(model, x, projections) for x in (bag, bag[::-1]))
    placed, placed_back = (
        attend(model, model.embed(order[np.newaxis], embedding)[0], projections) for order in (ids, ids[::-1])
    )
    without, with_positions = set_distance(plain, plain_back), set_distance(placed, placed_back)

    shuffles = rng.permuted(np.tile(np.arange(T), (SHUFFLES, 1)), axis=1)
    shuffled, all_refused = attempt(lambda: attend(model, bag[shuffles], projections))
    error = np.nan if shuffled is None else np.abs(shuffled - plain[shuffles]).max()
    mask = model.causal_mask(T)
    masked, refused = attempt(lambda: [attend(model, x, projections, mask) for x in (bag, bag[::-1])])
    causal = set_distance(*masked) if masked else np.nan
    forwards, backwards = " ".join(tokens), " ".join(tokens[::-1])

    return Result(
        (
            table(
                "moved",
                f"{forwards!r} against {backwards!r}: how far each word's output moves",
                ("word", "place", "place reversed", Column("without", 4), Column("with positions", 4)),
                zip(
                    tokens,
                    range(T),
                    reversed(range(T)),
                    word_moves(plain, plain_back),
                    word_moves(placed, placed_back),
                    strict=True,
                ),
            ),
            Statement(
                "bag-of-words",
                "Without positions both orders give the same set of output vectors.",
                f"The two sets are {without:.1g} apart.",
                holds=without < SAME,
                value=without,
                source="D0, D2",
            ),
            Statement(
                "positions-tell",
                "With positions the two orders give different sets of output vectors.",
                f"The two sets are {with_positions:.2f} apart.",
                holds=with_positions > SAME,
                value=with_positions,
                source="D0",
            ),
            Statement(
                "equivariance",
                "Without positions, reordering the input rows reorders the output rows and does nothing else.",
                f"Under {SHUFFLES} random permutations of {T} tokens "
                + (all_refused or f"the largest difference is {error:.1g}")
                + ".",
                holds=bool(error < SAME),
                value=float(error),
                source="D3",
            ),
            Statement(
                "mask-tells",
                "Positions are the only thing that can tell the order.",
                f"Without them, but under the model's causal mask, the two sets are {causal:.2g} apart."
                if masked
                else f"Not tested under the model's causal mask: {refused}.",
                holds=causal < SAME if masked else None,
                value=causal if masked else None,
                source="D0",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
