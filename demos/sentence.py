"""Sentence: one row of an untrained heatmap, and why nothing may be read into it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab.demo import Param, Seed, Text
from attention_lab.result import Column, Note, Result, Statement, matrix, table
from attention_lab.text import sentence_tokens
from attention_lab.variants import Model, attempt

Array = NDArray[np.floating]

D_MODEL, D_K = 64, 16
SHOWN = 4  # favourites
NO_FUTURE = "Under the causal mask the words that come later get exactly 0."
WORD = "it"  # whose row is read; in a sentence without it, the last word's


def untrained(seed: int, T: int) -> tuple[Array, Array, Array]:  # -> query, key, value, each (T, d_k)
    """D4's recipe: a random vector for each token and three random projections, drawn in this order."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((T, D_MODEL))
    w_query, w_key, w_value = (rng.standard_normal((D_MODEL, D_K)) / D_MODEL**0.5 for _ in range(3))
    return x @ w_query, x @ w_key, x @ w_value


def run(
    model: Model,
    *,
    text: Text = "the animal did not cross the street because it was too tired",
    seeds: Annotated[int, Param("over how many seeds the favourite word is counted", at_least=2, at_most=2000)] = 20,
    seed: Seed = 7,
) -> Result:
    """The row of "it" (else of the last word) in an untrained attention, unmasked and causal, then over many seeds.

    D4's recipe. It prints .15 where "it" attends to itself under the causal mask; the weight is .14497, hence .14 here.
    """
    tokens = sentence_tokens(text, at_least=2)
    T = len(tokens)
    row = tokens.index(WORD) if WORD in tokens else T - 1
    mask = model.causal_mask(T)

    query, key, value = untrained(seed, T)
    _, unmasked = model.attention(query, key, value)
    masked, refused = attempt(lambda: model.attention(query, key, value, mask))
    if masked is None:
        asked_for = f"Asked to attend under the model's causal mask, {refused}."
        return Result((Statement("no-future", NO_FUTURE, asked_for, holds=False, source="D4"),))
    causal = masked[1]
    off = max(np.abs(seen.sum(axis=-1) - 1).max() for seen in (unmasked, causal))
    later, later_unmasked = (np.triu(seen, k=1).sum(axis=-1).mean() for seen in (causal, unmasked))

    rows = np.array([model.attention(*untrained(seed + extra, T))[1][row] for extra in range(seeds)])
    wins = np.bincount(rows.argmax(axis=-1), minlength=T)
    chosen = np.flatnonzero(wins)
    most = chosen[np.argsort(-wins[chosen], kind="stable")]
    favourite = int(unmasked[row].argmax())

    return Result(
        (
            matrix(
                "row",
                f'What "{tokens[row]}" attends to, word {row + 1} of {T}',
                np.stack([unmasked[row], causal[row]], axis=-1),
                tokens,
                ("sees all", "causal"),
                mask=np.stack([np.ones(T, dtype=bool), mask[row] | (causal[row] != 0)], axis=-1),
                row_title="key",
                column_title=f'query "{tokens[row]}"',
            ),
            matrix("causal", "Every row under the causal mask", causal, tokens, tokens, mask=mask | (causal != 0)),
            Statement(
                "rows-sum",
                "Every row sums to 1, with the mask and without.",
                f"The sums of {2 * T} rows are off by {off:.0e} at most.",
                holds=bool(off < 1e-9),
                source="D4",
            ),
            Statement(
                "no-future",
                NO_FUTURE,
                f"On average a row gives them {later:.2f} of its weight, and {later_unmasked:.2f} without the mask.",
                holds=bool(np.all(np.triu(causal, k=1) == 0)),
                source="D4",
            ),
            Note(
                "tempting",
                f'It looks as if "{tokens[row]}" meant "{tokens[favourite]}". Nothing here was trained: other random '
                f"numbers, same sentence.",
            ),
            table(
                "favourites",
                f'The words that "{tokens[row]}" attends to most, over seeds {seed} to {seed + seeds - 1}',
                ("word", "place", "seeds where it wins", Column("weight, on average")),
                ((tokens[place], place + 1, wins[place], rows[:, place].mean()) for place in most[:SHOWN]),
            ),
            Statement(
                "noise",
                "The favourite is a matter of the seed: an untrained row says nothing about meaning.",
                f"{len(chosen)} of {T} words win with one seed or another; the most frequent wins {wins.max()} of "
                f"{seeds}.",
                holds=len(chosen) > 1,
                value=float(wins.max() / seeds),
                source="D4",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
