"""Masking: to hide a key its score must be −∞ before softmax; every other way leaks, or breaks somewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Cell, Column, Matrix, Result, Statement, matrix, table
from attention_lab.variants import Model, softmax_input

Array = NDArray[np.floating]
Mask = NDArray[np.bool_]
Way = Callable[[Array, Mask], Array]  # scores (T, T), mask (T, T) -> weights (T, T)

D_K = 16
PICTURE = 8  # rows and columns of the heatmap
FAR_ABOVE = 2000.0  # what a forbidden score is raised by: more than exp can take
FAR_BELOW = 1e5  # what a key that may be seen is lowered by: below any fill that is not large enough


def ways_to_hide(model: Model) -> dict[str, Way]:
    """Usual ways to hide keys, by name, each around the model's own softmax."""
    softmax = model.softmax

    def renormalised(scores: Array, mask: Mask) -> Array:
        kept = softmax(scores) * mask
        shares: Array = kept / kept.sum(axis=-1, keepdims=True)
        return shares

    return {
        "no mask": lambda scores, _: softmax(scores),
        "score = −∞": lambda scores, mask: softmax(np.where(mask, scores, -np.inf)),
        "score = −1e9": lambda scores, mask: softmax(np.where(mask, scores, scores.dtype.type(-1e9))),
        "score = 0": lambda scores, mask: softmax(np.where(mask, scores, 0)),
        "score × mask": lambda scores, mask: softmax(scores * mask),
        "weight × mask": lambda scores, mask: softmax(scores) * mask,
        "weight × mask, ÷ sum": renormalised,
    }


def forbidden_weight(weights: Array, mask: Mask) -> float:  # (T, T), (T, T)
    """Mean share of a row's weight on forbidden keys; NaN if the weights are not finite."""
    return float((weights * ~mask).sum(axis=-1).mean())


def forbidden_weights(ways: dict[str, Way], scores: Array, mask: Mask) -> dict[str, float]:
    """Forbidden weight of every way to hide."""
    return {name: forbidden_weight(way(scores, mask), mask) for name, way in ways.items()}


def hidden_far_above(model: Model, query: Array, key: Array, mask: Mask) -> float:
    """Weight on the first query's forbidden keys when its allowed keys score far lower."""
    key = key - FAR_BELOW * mask[0][:, np.newaxis] * np.sign(query[0])
    return forbidden_weight(model.attention(query[:1], key, key, mask[:1])[1], mask[:1])


def weight_cell(weight: float) -> Cell:
    """A weight as a cell; text if it is no number."""
    return "not a number" if np.isnan(weight) else weight


def top_left(weights: Array, shape: tuple[int, ...]) -> tuple[Matrix, ...]:
    """The first rows and columns of (T, T) weights; nothing if a softmax changed their shape."""
    if weights.shape != shape:
        return ()
    labels = [str(place) for place in range(len(weights))][:PICTURE]
    return (matrix("leak", "Forbidden scores filled with 0", weights[:PICTURE, :PICTURE], labels, labels),)


def refusal_reason(model: Model, query: Array, key: Array, mask: Mask) -> str:
    """The model's reason for refusing this mask; "" if it accepts the mask."""
    try:
        model.attention(query, key, key, mask)
    except ValueError as reason:
        return str(reason)
    return ""


def run(
    model: Model,
    *,
    tokens: Annotated[int, Param("length of the sequence", at_least=3, at_most=4096)] = 6,
    seed: Seed = 0,
) -> Result:
    """Random scores of which a triangular mask of the demo's own hides some, in every way that people write: who leaks.

    Then two hard rows: one whose forbidden scores are far above the others, and one that may attend to nothing.
    """
    require_memory(8.0 * 14 * tokens**2, f"--tokens {tokens}", "Give fewer of them.")
    rng = np.random.default_rng(seed)
    query, key, value = rng.standard_normal((3, tokens, D_K))
    mask = np.tril(np.ones((tokens, tokens), dtype=bool))
    nothing = np.zeros((1, tokens), dtype=bool)
    scores = softmax_input(model, query, key)

    ways = ways_to_hide(model)
    with np.errstate(invalid="ignore", over="ignore"):  # 0 / 0, −∞ − −∞ and −1e9 in float16 are what is looked for
        weights = {name: way(scores, mask) for name, way in ways.items()}
        raised = forbidden_weights(ways, scores[:1] + FAR_ABOVE * ~mask[:1], mask[:1])
        no_key = forbidden_weights(ways, scores[:1], nothing)
        in_half = forbidden_weights(ways, scores.astype(np.float16), mask)["score = −1e9"]
        half_fill = np.float16(-1e9)
        ahead = hidden_far_above(model, query, key, mask)
        refused = refusal_reason(model, query[:1], key, nothing)
    weights["the model"] = model.attention(query, key, value, mask)[1]

    leak = {name: forbidden_weight(shares, mask) for name, shares in weights.items()}
    sums = {name: shares.sum(axis=-1) for name, shares in weights.items()}
    off = {name: float(np.abs(shares - weights["score = −∞"]).max()) for name, shares in weights.items()}

    return Result(
        (
            *top_left(weights["score = 0"], scores.shape),
            table(
                "ways",
                f"{tokens} tokens, all later keys forbidden: their weight, the least sum of a row",
                ("way", Column("forbidden", 3), Column("least sum", 3), Column("off −∞ by", 3)),
                [(name, leak[name], sums[name].min(), round(off[name], 12)) for name in weights],
            ),
            Statement(
                "model",
                "The model hides forbidden keys, however high they score: their weight is exactly 0.",
                f"Forbidden keys get {leak['the model']:.3g} of a row on average, and {ahead:.3g} where they score "
                "higher by far.",
                holds=leak["the model"] == ahead == 0,
                value=leak["the model"],
                source="D0, D3",
            ),
            Statement(
                "zero-leaks",
                "A 0 is an ordinary score: keys filled with 0, or multiplied by it, keep real weight.",
                f"They keep {leak['score = 0']:.3f} and {leak['score × mask']:.3f} of a row on average; without any "
                f"mask it is {leak['no mask']:.3f}.",
                holds=min(leak["score = 0"], leak["score × mask"]) > 0.05,
                value=leak["score = 0"],
                source="D0",
            ),
            Statement(
                "zeroed-afterwards",
                "Weights zeroed after softmax no longer sum to 1.",
                f"Rows sum to {sums['weight × mask'].min():.3f} at least; divided by that sum, their weights differ by "
                f"{off['weight × mask, ÷ sum']:.1g} at most from those of −∞.",
                holds=bool(sums["weight × mask"].min() < 0.95),
                value=float(sums["weight × mask"].min()),
                source="D3",
            ),
            table(
                "hard-rows",
                f"Weight on forbidden keys in two hard rows: their scores raised by {FAR_ABOVE:,.0f}; no key allowed",
                ("way", Column("raised", 3), Column("no key", 3)),
                [(name, weight_cell(raised[name]), weight_cell(no_key[name])) for name in ways],
            ),
            Statement(
                "minus-1e9",
                "−1e9 is as good as −∞ for a row that has a key.",
                f"It leaves {leak['score = −1e9']:.3g} on forbidden keys. In float16 it is stored as "
                f"{'−∞' if np.isinf(half_fill) else half_fill} and leaves {in_half:.3g}.",
                holds=off["score = −1e9"] == 0 and in_half == 0,
                value=leak["score = −1e9"],
                source="D2",
            ),
            Statement(
                "no-key",
                "A row that may attend to nothing has no softmax: the model refuses it.",
                (f"It says: {refused}." if refused else "It went on and returned weights.")
                + f" −1e9 would put {no_key['score = −1e9']:.3f} on forbidden keys there.",
                holds=bool(refused),
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
