"""Worked: one query and three keys, small enough to follow with a pencil, and three variations on them."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Seed
from attention_lab.result import Column, Result, Statement, table
from attention_lab.variants import Model, softmax_input

Array = NDArray[np.floating]

QUERY = np.array([[1.0, 0.0]])
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUES = np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
NOT_THE_THIRD = np.array([[True, True, False]])
LOUDER = (0.0, 1.0, 4.0, 16.0)  # dot products that the second key is raised to
CASES = 1000  # random ones


def vector_text(values: Array, digits: int = 4) -> str:
    """A row of numbers as D3 writes it: "[1.6044, 1.1978]"."""
    return f"[{', '.join(f'{value:.{digits}f}' for value in values)}]"


def shape_text(array: Array) -> str:
    """A shape as text: "1 × 3"."""
    return " × ".join(map(str, array.shape))


def by_pencil(query: Array, keys: Array, values: Array) -> Array:  # (2,), (3, 2), (3, 2) -> (2,)
    """Output of attention by plain sums, without the model and without array operations."""
    scores = [(query[0] * k[0] + query[1] * k[1]) / sqrt(2) for k in keys]
    total = sum(exp(score) for score in scores)
    shares = [exp(score) / total for score in scores]
    return np.array([sum(share * v[column] for share, v in zip(shares, values, strict=True)) for column in (0, 1)])


def attend(model: Model, query: Array, keys: Array, mask: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
    """(Tq, 2), (3, 2) -> (Tq, 2), (Tq, 3). The model gets copies, since one may write into what it is given."""
    output, weights = model.attention(query.copy(), keys.copy(), VALUES.copy(), mask)
    return output, weights


def raise_second_key(model: Model, dot_product: float) -> tuple[Array, Array]:  # -> (2,), (3,): output, weights
    """The example with the second key changed so that its dot product with the query is this one."""
    keys = KEYS.copy()
    keys[1, 0] = dot_product
    output, weights = attend(model, QUERY, keys)
    return output[0], weights[0]


def blocking_error(model: Model, rng: np.random.Generator) -> float:
    """Largest difference, over random cases, between blocking the third key and rescaling the other two weights."""
    query, keys = rng.standard_normal((CASES, 1, 2)), rng.standard_normal((CASES, 3, 2))
    _, before = model.attention(query.copy(), keys, keys)
    _, after = model.attention(query.copy(), keys, keys, NOT_THE_THIRD)
    kept = np.where(NOT_THE_THIRD, before, 0)
    return float(np.abs(after * kept.sum(axis=-1, keepdims=True) - kept).max())


def run(model: Model, *, seed: Seed = 0) -> Result:
    """The example of D3: dot products, ÷ √2, softmax, blend; then equal scores, a raised score and a blocked key.

    The seed draws the random cases on which the last statement is tested as well.
    """
    (output,), (weights,) = attend(model, QUERY, KEYS)
    (scaled,) = softmax_input(model, QUERY.copy(), KEYS)
    pencil = by_pencil(QUERY[0], KEYS, VALUES)
    (average,), (equal,) = attend(model, 0 * QUERY, KEYS)
    louder = [raise_second_key(model, dot_product) for dot_product in LOUDER]
    distance = np.array([np.linalg.norm(moved - VALUES[1]) for moved, _ in louder])
    blocked = attend(model, QUERY, KEYS, NOT_THE_THIRD)[1][0]
    _, square = attend(model, KEYS, KEYS)
    rows, columns = square.sum(axis=-1), square.sum(axis=0)
    error = blocking_error(model, np.random.default_rng(seed))

    return Result(
        (
            table(
                "stages",
                "softmax(QKᵀ ÷ √d_k) V: n queries, m keys, row i is query i and column j is key j",
                ("stage", "shape", "here"),
                (
                    ("Q: what each query looks for", "n × d_k", shape_text(QUERY)),
                    ("QKᵀ: how well i and j match", "n × m", shape_text(QUERY @ KEYS.T)),
                    ("÷ √d_k", "n × m", shape_text(scaled[np.newaxis])),
                    ("softmax, row by row: weights", "n × m", shape_text(weights[np.newaxis])),
                    ("@ V: values, blended", "n × d_v", shape_text(output[np.newaxis])),
                ),
            ),
            table(
                "steps",
                "Query [1, 0] against three keys",
                ("key", Column("dot product", 0), Column("÷ √2", 3), Column("weight", 4), "value"),
                zip(
                    [vector_text(key, 0) for key in KEYS],
                    (QUERY @ KEYS.T)[0],
                    scaled,
                    weights,
                    [vector_text(value, 0) for value in VALUES],
                    strict=True,
                ),
            ),
            Statement(
                "by-pencil",
                "The model's attention gives what one gets on paper.",
                f"The model blends the values to {vector_text(output)}, a pencil to {vector_text(pencil)}.",
                holds=bool(np.allclose(output, pencil, rtol=0, atol=1e-12)),
                value=float(output[0]),
                source="D3",
            ),
            Statement(
                "no-score-no-exclusion",
                "Two keys that match equally well share equally, and a dot product of 0 still gets something.",
                f"The weights are {vector_text(weights)}: the first and the third key match.",
                holds=bool(abs(weights[0] - weights[2]) < 1e-12 and 0 < weights[1] < weights[0]),
                value=float(weights[1]),
                source="D3",
            ),
            Statement(
                "rows-not-columns",
                "Every row of weights sums to 1; a column need not.",
                f"With the keys as queries the rows sum to {vector_text(rows)}, the columns to {vector_text(columns)}.",
                holds=bool(np.all(np.abs(rows - 1) < 1e-6) and np.any(np.abs(columns - 1) > 0.01)),
                source="D3",
            ),
            Statement(
                "equal-scores",
                "Equal scores give equal weights, and the output is the plain average of the values.",
                f"A query of zeros gets weights {vector_text(equal)} and output {vector_text(average)}; "
                f"the average is {vector_text(VALUES.mean(axis=0))}.",
                holds=bool(np.ptp(equal) < 1e-12 and np.allclose(average, VALUES.mean(axis=0), rtol=0, atol=1e-12)),
                source="D3",
            ),
            table(
                "raised",
                "The second key is raised; its value is [0, 2]",
                (Column("dot product", 0), Column("weight", 4), "output", Column("distance", 4)),
                [
                    (dot_product, share[1], vector_text(moved), far)
                    for dot_product, (moved, share), far in zip(LOUDER, louder, distance, strict=True)
                ],
            ),
            Statement(
                "raise-one",
                "Raise one score and the output moves to its value.",
                f"As its dot product goes from {LOUDER[0]:.0f} to {LOUDER[-1]:.0f}, the output's distance from "
                f"[0, 2] goes from {distance[0]:.2f} to {distance[-1]:.4f}.",
                holds=bool(np.all(np.diff(distance) < 0) and distance[-1] < 0.01),
                value=float(distance[-1]),
                source="D3",
            ),
            Statement(
                "block-one",
                "Block the third key: its weight is exactly 0 and the others keep their proportions.",
                f"The weights become {vector_text(blocked)}, where the third is {blocked[2]:g}. "
                f"In {CASES:,} random cases the largest error is {error:.1g}.",
                holds=bool(blocked[2] == 0 and abs(blocked.sum() - 1) < 1e-12 and error < 1e-12),
                value=float(blocked[2]),
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
