"""Dropout: while training a few numbers are set to zero and the rest enlarged; afterwards nothing is touched."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed
from attention_lab.result import Column, Result, Statement, matrix, table
from attention_lab.variants import Model

Array = NDArray[np.floating]

SHAPE = (100, 512)  # tokens of the paper's width
PICTURE = (6, 10)  # tokens and columns of the picture
SPREADS = 5  # a share may lie this many standard deviations from its expectation


def run(
    model: Model,
    *,
    rate: Annotated[float, Param("share of the numbers that is dropped", at_least=0.01, at_most=0.9)] = 0.1,
    seed: Seed = 0,
) -> Result:
    """A hundred tokens through dropout, in training twice and in evaluation twice. The paper's rate is 0.1."""
    rng = np.random.default_rng(seed)
    x = 1 + rng.random(SHAPE)  # no number is 0 before
    once, again = (model.dropout(x, rate, rng, training=True) for _ in range(2))
    outside = [model.dropout(x, rate, rng, training=False) for _ in range(2)]

    dropped = float((once == 0).mean())
    factors = (once / x)[once != 0]
    share_spread = (rate * (1 - rate) / x.size) ** 0.5
    mean_spread = float((rate / (1 - rate) * (x**2).mean() / x.size) ** 0.5 / x.mean())
    kept_as = 1 / (1 - rate)
    mean = float(once.mean() / x.mean())
    changed = float(np.mean([(y != x).mean() for y in outside]))
    differ = float(((once == 0) != (again == 0)).mean())

    rows, columns = PICTURE
    return Result(
        (
            matrix(
                "dropped",
                f"A corner of the tokens after dropout at {rate:g}: a factor for each number",
                (once / x)[:rows, :columns],
                [f"token {i + 1}" for i in range(rows)],
                [str(column) for column in range(columns)],
                row_title="token",
                column_title="column",
            ),
            table(
                "calls",
                f"{x.size:,} numbers through dropout at {rate:g}",
                ("call", Column("set to 0", 4), Column("mean, of before", 4)),
                (
                    (name, (y == 0).mean(), y.mean() / x.mean())
                    for name, y in (
                        ("training", once),
                        ("training again", again),
                        ("evaluation", outside[0]),
                        ("evaluation again", outside[1]),
                    )
                ),
            ),
            Statement(
                "share",
                "In training the share that was asked for is dropped.",
                f"{dropped:.4f} of the numbers are 0, asked for were {rate:g}.",
                holds=abs(dropped - rate) < SPREADS * share_spread,
                value=dropped,
                source="D3",
            ),
            Statement(
                "enlarged",
                "What is kept is enlarged by 1 / (1 − rate), so the mean stays.",
                f"What is kept is {factors.min():.4f} to {factors.max():.4f} times what it was, 1 / (1 − {rate:g}) is "
                f"{kept_as:.4f}; the mean is {mean:.4f} of what it was.",
                holds=bool(np.allclose(factors, kept_as, rtol=1e-9) and abs(mean - 1) < SPREADS * mean_spread),
                value=mean,
            ),
            Statement(
                "fresh",
                "Each call in training drops other numbers.",
                f"Of two calls, {differ:.4f} of the numbers are dropped by one only.",
                holds=differ > 0,
            ),
            Statement(
                "off",
                "In evaluation nothing is touched.",
                f"{changed:.4f} of the numbers are other ones afterwards.",
                holds=changed == 0,
                value=changed,
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
