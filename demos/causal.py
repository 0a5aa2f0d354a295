"""Causal: a triangular mask makes the future invisible, so that a decoder may not copy what it should predict."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Seed, Text
from attention_lab.result import Note, Result, Statement, matrix
from attention_lab.text import ids_of, sentence_tokens
from attention_lab.variants import Model, attempt

Array = NDArray[np.floating]

D_MODEL, D_K = 64, 16
SAME = 1e-12


def attend(model: Model, x: Array, projections: list[Array], mask: Array | None) -> tuple[Array, Array]:
    """Self-attention over one sentence: (T, d_model) -> output (T, d_k), weights (T, T)."""
    query, key, value = (x @ projection for projection in projections)
    output, shares = model.attention(query, key, value, mask)
    return output, shares


def token_influence(model: Model, x: Array, projections: list[Array], mask: Array, rng: np.random.Generator) -> Array:
    """Change of each token's output when a token is replaced: (T, d_model) -> (T, T), rows are outputs."""
    before, _ = attend(model, x, projections, mask)
    moved = []
    for place in range(len(x)):
        changed = x.copy()
        changed[place] = rng.standard_normal(D_MODEL)
        after, _ = attend(model, changed, projections, mask)
        moved.append(np.abs(after - before).max(axis=-1))
    return np.stack(moved, axis=1)


def refusal_result(mask: NDArray[np.bool_], tokens: tuple[str, ...], reason: str) -> Result:
    """The result for a model that refuses to attend under its mask (T, T): the mask and the reason."""
    return Result(
        (
            matrix("mask", "The causal mask: 1 = may attend", mask, tokens, tokens, digits=0),
            Statement(
                "accepted",
                "Under the causal mask every token may attend to something.",
                f"Asked to attend under it, {reason}.",
                holds=False,
            ),
        )
    )


def run(model: Model, *, text: Text = "the fox has seen it", seed: Seed = 0) -> Result:
    """A sentence through one attention with random weights, with a causal mask and without."""
    tokens = sentence_tokens(text, at_least=2)
    T = len(tokens)
    rng = np.random.default_rng(seed)
    embedding = weights.embedding(rng, len(set(tokens)), D_MODEL)
    projections = [weights.projection(rng, D_MODEL, D_K, float) for _ in range(3)]
    x = model.embed(np.array([ids_of(tokens)]), embedding)[0]

    mask = model.causal_mask(T)
    seen, refused = attempt(lambda: attend(model, x, projections, mask))
    if seen is None:
        return refusal_result(mask, tokens, refused)
    _, masked = seen
    _, unmasked = attend(model, x, projections, None)
    future = np.triu(np.ones((T, T), dtype=bool), k=1)
    sums = masked.sum(axis=-1)
    query, key, value = (x @ projection for projection in projections)
    _, alone = model.attention(query[-1:], key, value, model.causal_mask(1, T))
    apart = np.abs(alone[0] - masked[-1]).max()
    leaked, unmasked_future = masked[future].max(), unmasked[future].max()
    reached = token_influence(model, x, projections, mask, rng)[future].max()
    past = unmasked * ~future
    shared_out = np.abs(masked - past / past.sum(axis=-1, keepdims=True)).max()

    return Result(
        (
            matrix("unmasked", "Without a mask every token sees every other", unmasked, tokens, tokens),
            matrix("masked", "With the causal mask", masked, tokens, tokens, mask | (masked != 0)),
            Note(
                "untrained",
                "The weights are random: their digits mean nothing, only which are there does. D0 prints [1], "
                "[.29 .71], [.283 .36 .357], [.317 .267 .261 .155], [.228 .134 .172 .153 .314], from an unknown seed.",
            ),
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
                "Under the mask every row still sums to 1.",
                f"The rows sum to {sums.min():.4f} at least and {sums.max():.4f} at most.",
                holds=bool(np.all(np.abs(sums - 1) < SAME)),
                source="D0, D4",
            ),
            Statement(
                "future-zero",
                "A token's weight on the future is exactly 0.",
                f"The largest weight on a later token is {leaked:.2g} with the mask, {unmasked_future:.2f} without.",
                holds=bool(leaked == 0),
                value=float(leaked),
                source="D0, D4",
            ),
            Statement(
                "future-silent",
                "Whatever comes later, the output before it does not change.",
                f"Each of the {T} tokens was replaced in turn; earlier outputs moved by {reached:.2g} at most.",
                holds=bool(reached == 0),
                value=float(reached),
            ),
            Statement(
                "shared-out",
                "What the future had is shared out among the past, to each key in proportion.",
                f"The largest difference from the unmasked weights, shared out so, is {shared_out:.2g}.",
                holds=bool(shared_out < SAME),
                value=float(shared_out),
                source="D4",
            ),
            Statement(
                "alone",
                "The last token, asked alone, gets the same row: a text is continued without asking the others again.",
                f"One query against {T} keys: the largest difference from the last row is {apart:.2g}.",
                holds=bool(apart < SAME),
                value=float(apart),
                source="D4",
            ),
            Note(
                "mask-or-not",
                "Without the mask such layers make a BERT, trained to fill a gap; with it a GPT, trained to continue.",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
