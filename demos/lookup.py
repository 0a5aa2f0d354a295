"""Lookup: a dict needs the exact key; attention compares the query with every key and blends the values."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.errors import BadInput
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.text import listed
from attention_lab.variants import Model

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
SHARPER = (1, 2, 4, 8, 16, 32)  # factors on the query
SETS, SET_SIZE = 200, 5  # random sets of keys


def found(
    model: Model, key: Array
) -> NDArray[np.bool_]:  # (sets, T, d_k) -> (sets, T): does a very sharp query find its own key?
    """Ask with every key for itself, 1,000 times as sharp: True where its own weight is above one half."""
    _, weights = model.attention(1000 * key, key, key)
    own: NDArray[np.bool_] = np.diagonal(weights, axis1=-2, axis2=-1) > 0.5
    return own


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
    described = ", ".join(f"{amount:g}" for amount in query)
    exact = {features: name for name, features in KEYS.items()}.get(query)

    sharp = [model.attention(factor * key, key, value) for factor in SHARPER]
    own_share = np.array([np.diagonal(share).min() for _, share in sharp])
    error = np.array([np.abs(output - value).max(axis=0) for output, _ in sharp])  # (factors, 2)

    random = np.random.default_rng(seed).standard_normal((SETS, SET_SIZE, len(FEATURES)))
    any_length = found(model, random)
    one_length = found(model, random / np.linalg.norm(random, axis=-1, keepdims=True))

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
                f"{blend[0]:.2f} legs and {blend[1]:.1f} km/h.",
                holds=bool(np.all((blend >= value.min(axis=0)) & (blend <= value.max(axis=0)))),
                value=float(blend[0]),
                source="D0",
            ),
            table(
                "sharper",
                "Every animal asks for itself, with its query multiplied",
                ("query ×", Column("own share", 4), Column("legs off by", 4), Column("km/h off by", 4)),
                zip(SHARPER, own_share, *error.T, strict=True),
            ),
            Statement(
                "dict-in-the-limit",
                "The sharper the query, the closer attention comes to the dict.",
                f"From × {SHARPER[0]} to × {SHARPER[-1]} an animal's own share grows from {own_share[0]:.4f} to "
                f"{own_share[-1]:.4f}; the largest error falls from {error[0].max():.2f} to {error[-1].max():.2f}.",
                holds=bool(np.all(np.diff(own_share) >= 0) and error[-1].max() < 1e-9),
                value=float(own_share[-1]),
                source="D0",
            ),
            Statement(
                "any-keys",
                "Every set of distinct keys can be used as a dict in this way.",
                f"Of {any_length.size:,} random keys {any_length.sum():,} find themselves: a dot product prefers long "
                "keys.",
                holds=bool(any_length.all()),
            ),
            Statement(
                "one-length",
                "Distinct keys of one length can.",
                f"Brought to one length, {one_length.sum():,} of the same {one_length.size:,} keys find themselves.",
                holds=bool(one_length.all()),
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
