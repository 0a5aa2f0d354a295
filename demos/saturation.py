"""Saturation: scores that are too large make softmax certain, and a certain softmax passes almost no gradient on."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.variants import Model, softmax_input

Array = NDArray[np.floating]

DRAWN_BEFORE = 12 * 64 + 3 * 64 * 16  # D4 goes on with a generator that drew a sentence and three projections
CERTAIN = 0.99  # a softmax whose largest weight is above this
RAISED = 1000.0  # added to every score: e to the 1,000 is more than a float can hold
NUDGE = 1e-4  # on a score, to measure a slope


def entropy(weights: Array) -> Array:  # (..., T) -> (...): nats
    """Entropy of each row: 0 if one weight is 1, ln T if all are equal."""
    spread: Array = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1)
    return spread


def softmax_gradient(model: Model, scores: Array) -> Array:  # (queries, T) -> (queries,)
    """How far each weight moves with its own score, summed over the keys: the trace of softmax's Jacobian.

    Measured by nudging one score at a time; for a softmax it is 1 − Σ weight², which lies between 0 and 1 − 1 / T.
    """
    total = np.zeros(scores.shape[:-1])
    for key in range(scores.shape[-1]):
        nudge = np.where(np.arange(scores.shape[-1]) == key, NUDGE, 0)
        moved = model.softmax(scores + nudge) - model.softmax(scores - nudge)
        total += moved[..., key] / (2 * NUDGE)
    return total


def summary_row(name: str, weights: Array, slope: Array) -> tuple[str, float, float, float, float]:
    """One line of the table, from (queries, T) weights and (queries,) gradients."""
    largest = weights.max(axis=-1)
    return name, largest.mean(), entropy(weights).mean(), slope.mean(), 100 * float((largest > CERTAIN).mean())


def run(
    model: Model,
    *,
    d_k: Annotated[int, Param("width of query and keys", at_least=1, at_most=10**6)] = 64,
    keys: Annotated[int, Param("how many keys a query scores", at_least=2, at_most=128)] = 32,
    queries: Annotated[int, Param("how many queries, each with keys of its own", at_least=1, at_most=10**6)] = 2000,
    seed: Seed = 7,
) -> Result:
    """Random queries, each against random keys of its own, with and without ÷ √d_k: how certain softmax becomes.

    Largest weight and entropy (nats) say how certain, the gradient what is left to learn from; means over all queries.
    """
    require_memory(
        8.0 * queries * ((keys + 1) * d_k + 8 * keys),
        f"--queries {queries} with --keys {keys} and --d-k {d_k}",
        "Give smaller ones.",
    )
    rng = np.random.default_rng(seed)
    rng.standard_normal(DRAWN_BEFORE)
    drawn = rng.standard_normal((queries, 1 + keys, d_k))  # the same stream as a query, its keys, the next query …
    query, key = drawn[:, :1], drawn[:, 1:]

    raw_scores = (query @ np.swapaxes(key, -1, -2))[:, 0]
    raw, raw_slope = model.softmax(raw_scores), softmax_gradient(model, raw_scores)
    scaled = model.attention(query, key, key)[1][:, 0]
    scaled_scores = softmax_input(model, query, key)[:, 0]
    scaled_slope = softmax_gradient(model, scaled_scores)
    even_scores = np.zeros((1, keys))
    even, even_slope = model.softmax(even_scores), softmax_gradient(model, even_scores)

    certain = raw.max(axis=-1) > CERTAIN
    left = raw_slope[certain].mean() if certain.any() else np.nan
    say_raw, say_scaled = np.exp(entropy(raw).mean()), np.exp(entropy(scaled).mean())
    share_left = raw_slope.mean() / scaled_slope.mean()
    raw_spread, spread = raw_scores.std(), scaled_scores.std()
    raised = model.softmax(raw_scores + RAISED)
    finite, shifted = bool(np.isfinite(raised).all()), np.abs(raised - raw).max()

    return Result(
        (
            table(
                "certainty",
                f"{queries:,} queries, each against {keys} random keys at d_k {d_k}",
                (
                    "scores",
                    Column("largest weight", 3),
                    Column("entropy", 3, "nats"),
                    Column("gradient", 3),
                    Column("certain", 1, "%"),
                ),
                (
                    summary_row("raw", raw, raw_slope),
                    summary_row("scaled", scaled, scaled_slope),
                    summary_row("all equal", even, even_slope),
                ),
            ),
            Note(
                "gradient",
                "Gradient: how far each weight follows a nudge of its own score, as a share of the nudge, summed over "
                "the keys. It is 1 − the sum of weight²: 0 where one weight has everything.",
            ),
            Statement(
                "too-large",
                "Raw scores spread by √d_k if components are independent with mean 0 and variance 1; the model divides "
                "that away.",
                f"Their standard deviation is {raw_spread:.2f} before, where √{d_k} is {d_k**0.5:.2f}, "
                f"and {spread:.2f} after.",
                holds=bool(abs(raw_spread / d_k**0.5 - 1) < 0.05 and abs(spread - 1) < 0.05),
                value=float(raw_spread),
                source="D4",
            ),
            Statement(
                "one-has-the-say",
                "Unscaled, a query listens to about one key; scaled, to many.",
                f"The mean entropy is {entropy(raw).mean():.3f} and {entropy(scaled).mean():.3f} nats, of ln {keys} = "
                f"{np.log(keys):.2f} at most: as if {say_raw:.1f} and {say_scaled:.1f} of {keys} keys had a say.",
                holds=bool(say_raw < 2 and say_scaled > keys / 2),
                value=float(say_raw),
                source="D4",
            ),
            Statement(
                "certain-is-dead",
                "A softmax that is certain passes almost no gradient on.",
                f"Where one weight is above {CERTAIN} ({100 * certain.mean():.0f} % of the unscaled queries) the "
                f"gradient is {left:.3f}; even weights have {even_slope.mean():.3f}."
                if certain.any()
                else f"No unscaled query has a weight above {CERTAIN}, so this run cannot show it.",
                holds=bool(left < 0.05 * even_slope.mean()) if certain.any() else None,
                value=float(left) if certain.any() else None,
                source="D4",
            ),
            Statement(
                "all-dead",
                "Without ÷ √d_k the gradient is dead.",
                f"At d_k {d_k}, on average {raw_slope.mean():.3f} is left of the {scaled_slope.mean():.3f} that scaled "
                f"scores have: {100 * share_left:.0f} %; {100 * certain.mean():.0f} % of the queries are certain.",
                holds=bool(share_left < 0.05),
                value=float(share_left),
                source="D0",
            ),
            Statement(
                "stable",
                "Softmax subtracts the largest score first: no weight changes, and huge scores give numbers, too.",
                f"With {RAISED:,.0f} added to every raw score "
                + (f"no weight moves by more than {shifted:.1g}." if finite else "some weights are no numbers."),
                holds=finite and bool(shifted < 1e-9),
                value=float(shifted),
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
