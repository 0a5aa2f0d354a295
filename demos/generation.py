"""Generation: one token at a time is appended; with keys and values kept each is read once, and no logit changes.

What that saves is counted, step by step, and timed, for longer and longer texts.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed, Text
from attention_lab.machine.timing import TIMES_DIFFER, fastest_seconds, two_digits
from attention_lab.result import Note, Result, Statement, series, table
from attention_lab.text import count, ids_of, listed, sentence_tokens
from attention_lab.variants import Call, Model, record_calls

Array = NDArray[np.floating]
Ids = NDArray[np.integer]
Cache = list[tuple[Array, Array]]
Work = tuple[int, int]

V, D_MODEL, H, LAYERS = 100, 32, 4, 2
SAME = 1e-9
LENGTHS = (16, 32, 64, 128, 256)  # tokens of the texts whose last one is timed
SPENT = 0.03  # seconds of runs of one step
MOST_SAVED = 2  # times the time: from there on, more is saved than is left
ROOM = 10  # texts that the positions last for, so that a model that never empties its cache does not run out of them


def count_work(calls: tuple[Call, ...]) -> Work:
    """Tokens that were projected and scores (query × key, of every head) that were computed, in all blocks."""
    return (
        sum(next(iter(call.arguments.values())).shape[-2] for call in calls),
        sum(call.result[1].size for call in calls),
    )


def read_all(model: Model, network: weights.Weights, ids: Ids) -> tuple[Array, Work]:
    """Logits (1, T, V) of a whole text, without a cache."""
    logits, calls = record_calls(model, ("attention",), lambda twin: twin.decoder_only(ids, network, H))
    return logits, count_work(calls)


def read_new(model: Model, network: weights.Weights, ids: Ids, cache: Cache) -> tuple[Array, Cache, Work]:
    """Logits of the new tokens, and the longer cache."""
    (logits, longer), calls = record_calls(model, ("attention",), lambda twin: twin.decode_next(ids, network, H, cache))
    return logits, longer, count_work(calls)


def greedy_token(logits: Array) -> Ids:  # (1, T, V) -> (1, 1)
    """The id with the largest logit at the last token."""
    favoured: Ids = logits[:, -1:].argmax(axis=-1)
    return favoured


def without_cache(model: Model, network: weights.Weights, ids: Ids, new: int) -> tuple[Ids, Array, list[Work]]:
    """Greedy decoding that reads the whole text again each time: all ids, the logits used, the work of each step."""
    used, bill = [], []
    for _ in range(new):
        logits, spent = read_all(model, network, ids)
        used.append(logits[:, -1])
        bill.append(spent)
        ids = np.append(ids, greedy_token(logits), axis=-1)
    return ids, np.stack(used), bill


def with_cache(model: Model, network: weights.Weights, ids: Ids, new: int) -> tuple[Ids, Array, list[Work], int]:
    """Greedy decoding that reads only new tokens; also returns how many numbers the cache holds at the end."""
    cache, fresh, used, bill = model.empty_cache(network, H, 1), ids, [], []
    for _ in range(new):
        logits, cache, spent = read_new(model, network, fresh, cache)
        used.append(logits[:, -1])
        bill.append(spent)
        fresh = greedy_token(logits)
        ids = np.append(ids, fresh, axis=-1)
    return ids, np.stack(used), bill, sum(kept.size for past in cache for kept in past)


def logits_in_pieces(model: Model, network: weights.Weights, ids: Ids, length: int) -> Array:  # (1, T) -> (1, T, V)
    """Logits of a text read a few tokens at a time, with a cache."""
    cache, pieces = model.empty_cache(network, H, 1), []
    for start in range(0, ids.shape[-1], length):
        logits, cache = model.decode_next(ids[:, start : start + length], network, H, cache)
        pieces.append(logits)
    return np.concatenate(pieces, axis=1)


def cache_error(model: Model, network: weights.Weights, ids: Ids) -> float:
    """Change of the last token's logits if another last token was tried from the same cache before."""
    _, prefix = model.decode_next(ids[:, :-1], network, H, model.empty_cache(network, H, 1))
    last, another = ids[:, -1:], (ids[:, -1:] + 1) % V
    first, _, again = (model.decode_next(one, network, H, prefix)[0] for one in (last, another, last))
    return float(np.abs(again - first).max())


def last_token_seconds(model: Model, network: weights.Weights, ids: Ids) -> list[float]:  # (1, T) -> two
    """Seconds for the logits after a text: when all of it is read again, and when its last token is new to a cache."""
    _, prefix = model.decode_next(ids[:, :-1], network, H, model.empty_cache(network, H, 1))
    again = partial(model.decoder_only, ids, network, H)
    added = partial(model.decode_next, ids[:, -1:], network, H, prefix)
    return fastest_seconds(again, added, enough=SPENT)


def time_last_tokens(model: Model, rng: np.random.Generator) -> list[list[float]]:  # -> (len(LENGTHS), 2)
    """Seconds for the last token of random texts, without a cache and with one."""
    network = weights.decoder_only(rng, V, D_MODEL, 4 * D_MODEL, LAYERS, ROOM * LENGTHS[-1])
    ids = rng.integers(0, V, (1, LENGTHS[-1]))
    return [last_token_seconds(model, network, ids[:, :length]) for length in LENGTHS]


def times_text(seconds: list[float]) -> str:
    """Times without and with a cache, in ms."""
    return " and ".join(two_digits(1000 * one) for one in seconds)


def run(
    model: Model,
    *,
    text: Text = "the animal did not cross the street",
    new: Annotated[int, Param("how many tokens to append", at_least=2, at_most=64)] = 6,
    seed: Seed = 0,
) -> Result:
    """A prompt continued by an untrained network, with a cache and without: the tokens, the logits and the work.

    Two blocks of 4 heads, d_model 32, 100 words. Work is counted off the arrays' shapes. Time is measured for the last
    token of longer texts, of random words.
    """
    tokens = sentence_tokens(text, at_least=2)
    prompt = np.array([ids_of(tokens)])
    T = len(tokens) + new
    network = weights.decoder_only(np.random.default_rng(seed), V, D_MODEL, 4 * D_MODEL, LAYERS, ROOM * T)

    plain_ids, plain, plain_bill = without_cache(model, network, prompt, new)
    ids, logits, bill, kept = with_cache(model, network, prompt, new)
    apart = float(np.abs(logits - plain).max())
    whole = model.decoder_only(ids, network, H)
    pieces = {n: float(np.abs(logits_in_pieces(model, network, ids, n) - whole).max()) for n in (1, 2, 3)}
    worst = float(np.max(list(pieces.values())))
    twice = float(np.abs(logits_in_pieces(model, network, ids, 2) - logits_in_pieces(model, network, ids, 2)).max())
    branch = cache_error(model, network, ids)
    projected, plain_projected = sum(step[0] for step in bill), sum(step[0] for step in plain_bill)
    expected = 2 * LAYERS * D_MODEL * (T - 1)  # the last token is chosen, and not read
    seconds = time_last_tokens(model, np.random.default_rng(seed))
    saved = seconds[-1][0] / seconds[-1][1]

    return Result(
        (
            table(
                "work",
                f"{count(len(tokens), 'token')} continued by {new}: what each step computes, in {LAYERS} blocks",
                ("step", "tokens read", "read, cached", "scores", "scores, cached"),
                (
                    (i + 1, *(number for pair in zip(alone, cached, strict=True) for number in pair))
                    for i, (alone, cached) in enumerate(zip(plain_bill, bill, strict=True))
                ),
            ),
            Statement(
                "same-tokens",
                "With a cache the same tokens are generated.",
                f"{int((ids == plain_ids)[:, len(tokens) :].sum())} of {new} are the same; the logits they were chosen "
                f"by differ by {apart:.2g} at most.",
                holds=bool(np.array_equal(ids, plain_ids) and apart < SAME),
                value=apart,
                source="D4",
            ),
            Statement(
                "each-token-once",
                "With a cache each token is read once, in each block.",
                f"{projected} readings for {T - 1} tokens in {LAYERS} blocks; without a cache {plain_projected}.",
                holds=projected == LAYERS * (T - 1),
                value=float(projected),
                source="D4",
            ),
            Statement(
                "any-pieces",
                "In how many pieces a text is read does not matter.",
                f"Read {listed(pieces)} at a time, its logits differ by {worst:.2g} at most from those of the whole.",
                holds=worst < SAME,
                value=worst,
            ),
            Statement(
                "nothing-left-over",
                "A cache belongs to one text: neither a second reading nor another continuation changes anything.",
                f"Read a second time its logits move by {twice:.2g}; after another continuation by {branch:.2g}.",
                holds=twice == 0 and branch == 0,
                value=max(twice, branch),
            ),
            Statement(
                "price",
                "The price is memory: a key and a value for each token and block.",
                f"{kept:,} numbers are kept for {T - 1} tokens; 2 × {LAYERS} × {D_MODEL} for each make {expected:,}.",
                holds=kept == expected,
                value=float(kept),
                source="D4",
            ),
            series(
                "seconds",
                "How long the next token takes",
                "tokens of the text",
                "ms",
                LENGTHS,
                {
                    "all read again": (1000 * again for again, _ in seconds),
                    "cached": (1000 * added for _, added in seconds),
                },
            ),
            Note("times", TIMES_DIFFER),
            Statement(
                "time-saved",
                "Of a long text, a cache saves most of the time that the next token takes.",
                f"Of {LENGTHS[-1]} tokens the last one takes {times_text(seconds[-1])} ms, "
                f"without a cache and with one: {two_digits(saved)} times as long without. "
                f"Of {LENGTHS[0]} it takes {times_text(seconds[0])} ms.",
                holds=saved > MOST_SAVED,
                value=saved,
                source="D4",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
