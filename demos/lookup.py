"""Lookup: a dict needs the exact key; attention compares the query with every key and blends the values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.errors import BadInput
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.text import count, listed
from attention_lab.variants import Model, attempt

Array = NDArray[np.floating]

FEATURES = ("fur", "tame", "hunts", "wings")  # 1 is yes, -1 is no
KEYS: dict[str, tuple[float, ...]] = {
    "cat": (1.0, 1.0, 1.0, -1.0),
    "wolf": (1.0, -1.0, 1.0, -1.0),
    "horse": (1.0, 1.0, -1.0, -1.0),
    "goose": (-1.0, 1.0, -1.0, 1.0),
    "eagle": (-1.0, -1.0, 1.0, 1.0),
}
LEGS_AND_SPEED = ((4.0, 48.0), (4.0, 60.0), (4.0, 70.0), (2.0, 90.0), (2.0, 130.0))  # km/h, rounded
DOG = (1.0, 0.5, 1.0, -1.0)  # furry, not always tame, hunts, no wings: equal to no key
SHARPER = (1, 2, 4, 8)  # factors on the query in the table
SHARPEST = 64
SETS, SET_SIZE = 200, 5  # random sets of keys


def self_lookup(model: Model, factor: float, key: Array, value: Array) -> tuple[float, float]:
    """Smallest own weight when every key, scaled by `factor`, is the query; and the largest error of the values."""
    output, weights = model.attention(factor * key, key, value)
    return float(np.diagonal(weights).min()), float(np.abs(output - value).max())


def judge_self_lookup(model: Model, key: Array) -> tuple[bool, str]:  # (sets, T, d_k)
    """Whether every key, as a query 1,000 times as sharp, gives itself over half of the weight; and a sentence."""
    answered, refused = attempt(lambda: model.attention(1000 * key, key, key))
    if answered is None:
        return False, f"Given {len(key)} sets of them, {refused}."
    own = np.diagonal(answered[1], axis1=-2, axis2=-1) > 0.5
    return bool(own.all()), f"Of {own.size:,} random keys {own.sum():,} find themselves."


def run(
    model: Model,
    *,
    query: Annotated[
        tuple[float, ...], Param("what to look for, four times: fur, tame, hunts, wings", at_least=-100, at_most=100)
    ] = DOG,
    seed: Seed = 0,
) -> Result:
    """Look up a dog among animals that are no dogs: scores, shares in percent, and the blend of the values.

    The table of animals is made by hand. The seed draws the random keys on which the last statement is tested.
    """
    if len(query) != len(FEATURES):
        raise BadInput(
            f"--query is given {len(query)} times.", f"Give it {len(FEATURES)} times: {', '.join(FEATURES)}."
        )
    key, value = np.array(list(KEYS.values())), np.array(LEGS_AND_SPEED)
    looked_for = np.array([query])
    (blend,), (weights,) = model.attention(looked_for, key, value)
    if blend.shape != value[0].shape:
        seen = f"It has {count(len(blend), 'number')}, and a value has {len(value[0])}."
        return Result((Statement("blend", "The answer is a mixture of the values.", seen, holds=False, source="D0"),))
    described = ", ".join(f"{amount:g}" for amount in query)
    exact = {features: name for name, features in KEYS.items()}.get(query)

    sharper = [(factor, *self_lookup(model, factor, key, value)) for factor in (*SHARPER, SHARPEST)]
    own_share, error = [share for _, share, _ in sharper], [off for *_, off in sharper]

    random = np.random.default_rng(seed).standard_normal((SETS, SET_SIZE, len(FEATURES)))
    one_length = random / np.linalg.norm(random, axis=-1, keepdims=True)
    (found_any, seen_any), (found_one, seen_one) = (judge_self_lookup(model, keys) for keys in (random, one_length))

    return Result(
        (
            Note("words", "A query says what is wanted, a key what an entry offers, a value what it hands out."),
            table(
                "shares",
                f"The query [{described}] scores every key; shares blend legs and speed",
                ("key", "score", Column("share", 1, "%"), "legs", Column("speed", 1, "km/h")),
                [
                    *zip(KEYS, (looked_for @ key.T)[0], 100 * weights, *value.T, strict=True),
                    ("blend", None, 100 * weights.sum(), *blend),
                ],
            ),
            Statement(
                "always-answers",
                "Every key gets a share of the 100 %, so any query has an answer.",
                f"The dict {'raises KeyError' if exact is None else f'returns {exact}'}; attention hands out, in %, "
                f"{listed(100 * weights, 1)}: together {100 * weights.sum():.1f}.",
                holds=bool(np.all(weights > 0) and abs(weights.sum() - 1) < 1e-9),
                source="D0",
            ),
            Statement(
                "blend",
                "The answer is a mixture: it lies between the values and need not be any of them.",
                f"It has {blend[0]:.2f} legs and {blend[1]:.1f} km/h.",
                holds=bool(np.all((blend >= value.min(axis=0)) & (blend <= value.max(axis=0)))),
                value=float(blend[0]),
                source="D0",
            ),
            table(
                "sharper",
                "Every animal asks for itself, with its query multiplied: the worst of them",
                ("query ×", Column("own share", 4), Column("km/h or legs off by", 4)),
                sharper[: len(SHARPER)],
            ),
            Statement(
                "dict-in-the-limit",
                "The sharper the query, the closer attention comes to the dict.",
                f"From × {SHARPER[0]} to × {SHARPEST} an animal's own share grows from {own_share[0]:.4f} to "
                f"{own_share[-1]:.4f}; what it is handed is off by {error[0]:.2f}, then by {error[-1]:.4f}.",
                holds=bool(np.all(np.diff(own_share) > -1e-9) and own_share[0] < own_share[-1] and error[-1] < 1e-6),
                value=own_share[-1],
                source="D0",
            ),
            Statement(
                "any-keys",
                "Any distinct keys make a dict, once the query is sharp enough.",
                f"{seen_any} A dot product prefers long keys.",
                holds=found_any,
            ),
            Statement(
                "one-length",
                "Distinct keys of one length make a dict, once the query is sharp enough.",
                f"{seen_one} Here each was first divided by its length.",
                holds=found_one,
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
