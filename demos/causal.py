"""Causal: a triangular mask makes the future invisible, so that a decoder may not copy what it should predict."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Seed, Text
from attention_lab.result import Note, Result, Statement, matrix
from attention_lab.text import ids_of, words
from attention_lab.variants import Model

Array = NDArray[np.floating]

D_MODEL, D_K = 64, 16
SAME = 1e-12


def attend(model: Model, x: Array, projections: list[Array], mask: Array | None) -> tuple[Array, Array]:
    """Self-attention over one sentence: (T, d_model) -> output (T, d_k), weights (T, T)."""
    query, key, value = (x @ projection for projection in projections)
    output, shares = model.attention(query, key, value, mask)
    return output, shares


def influence(model: Model, x: Array, projections: list[Array], mask: Array, rng: np.random.Generator) -> Array:
    """How far each token's output moves when another one is replaced: (T, d_model) -> (T, T), row = output."""
    before, _ = attend(model, x, projections, mask)
    moved = []
    for place in range(len(x)):
        changed = x.copy()
        changed[place] = rng.standard_normal(D_MODEL)
        after, _ = attend(model, changed, projections, mask)
        moved.append(np.abs(after - before).max(axis=-1))
    return np.stack(moved, axis=1)


def run(model: Model, *, text: Text = "the fox has seen it", seed: Seed = 0) -> Result:
    """A sentence through one attention with random weights, with a causal mask and without.

    D0 shows five such tokens without saying which seed it drew: the shape is the same here, the digits are not.
    """
    tokens = words(text, at_least=2)
    T = len(tokens)
    rng = np.random.default_rng(seed)
    embedding = weights.embedding(rng, len(set(tokens)), D_MODEL)
    projections = [weights.projection(rng, D_MODEL, D_K, float) for _ in range(3)]
    x = model.embed(np.array(ids_of(tokens)), embedding)

    mask = model.causal_mask(T)
    _, masked = attend(model, x, projections, mask)
    _, unmasked = attend(model, x, projections, None)
    future = np.triu(np.ones((T, T), dtype=bool), k=1)
    sums = masked.sum(axis=-1)
    query, key, value = (x @ projection for projection in projections)
    _, alone = model.attention(query[-1:], key, value, model.causal_mask(1, T))
    apart = np.abs(alone[0] - masked[-1]).max()
    leaked, unmasked_future = masked[future].max(), unmasked[future].max()
    reached = influence(model, x, projections, mask, rng)[future].max()
    last = np.abs(masked[-1] - unmasked[-1]).max()

    return Result(
        (
            matrix("unmasked", "Without a mask every token sees every other", unmasked, tokens, tokens),
            matrix("masked", "With the causal mask", masked, tokens, tokens, mask | (masked != 0)),
            Note("untrained", "The weights are random: their digits mean nothing, only which of them are there does."),
            Statement(
                "first-row",
                "The first token can only attend to itself: its weight is 1.",
                f"{tokens[0]!r} gives itself {masked[0, 0]:.4f} with the mask, {unmasked[0, 0]:.4f} without.",
                holds=bool(abs(masked[0, 0] - 1) < SAME),
                value=float(masked[0, 0]),
                source="D0",
            ),
            Statement(
                "rows-sum",
                "Every row still sums to 1: what the future had is shared out among the past.",
                f"The rows sum to {sums.min():.4f} at least and {sums.max():.4f} at most.",
                holds=bool(np.all(np.abs(sums - 1) < SAME)),
                source="D0, D4",
            ),
            Statement(
                "future-zero",
                "A token's weight on the future is exactly 0.",
                f"The largest weight on a later token is {leaked:g} with the mask, {unmasked_future:.2f} without.",
                holds=bool(leaked == 0),
                value=float(leaked),
                source="D0, D4",
            ),
            Statement(
                "future-silent",
                "Whatever comes later, the output before it does not change.",
                f"Each of the {T} tokens was replaced in turn; no earlier output moved by more than {reached:g}.",
                holds=bool(reached == 0),
                value=float(reached),
            ),
            Statement(
                "last-row",
                "The last token has no future: the mask changes nothing in its row.",
                f"Its weights with and without the mask differ by {last:.1g} at most.",
                holds=bool(last < SAME),
                value=float(last),
                source="D4",
            ),
            Statement(
                "alone",
                "The last token, asked alone, sees the same keys: a text is continued without asking the others again.",
                f"One query against {T} keys: its weights differ by {apart:.1g} at most from the last row.",
                holds=bool(apart < SAME),
                value=float(apart),
                source="D4",
            ),
            Note(
                "mask-or-not",
                "Without the mask such layers make a BERT, with it a GPT. The two are also trained for different "
                "things: to fill a gap, and to continue.",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
