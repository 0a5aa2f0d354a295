"""Recurrence: an RNN hands the first token through one update after another; attention reaches it in one step."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights as init
from attention_lab.demo import Param, Seed
from attention_lab.machine.timing import TIMES_DIFFER, fastest_seconds, two_digits
from attention_lab.result import Column, Note, Result, Statement, series, table
from attention_lab.text import listed
from attention_lab.variants import Model

Array = NDArray[np.floating]

SENTENCES = 64  # whose sensitivity is averaged, as each draws attention to other tokens
NUDGE = 1e-4
PROJECTIONS = ("w_query", "w_key", "w_value")
NEIGHBOURS = 10  # tokens, at most, among the nearest and among the farthest
LONGER = (200, 1000)  # tokens, where time is measured
TINY = 1e-300  # less than that has no power of ten


def recurrent_weights(rng: np.random.Generator, d: int, radius: float) -> Array:  # -> (d, d)
    """Random weights from a state to the next; `radius` is the size of their largest eigenvalue."""
    drawn = rng.standard_normal((d, d))
    scaled: Array = drawn * (radius / np.abs(np.linalg.eigvals(drawn)).max())
    return scaled


def rnn(x: Array, w_state: Array, w_input: Array) -> Array:  # (T, d), (d, d), (d, d) -> (T, d)
    """The state after each token. Each needs the one before, so no two can be computed at the same time."""
    states = [np.tanh(x[0] @ w_input)]
    for token in x[1:]:
        states.append(np.tanh(states[-1] @ w_state + token @ w_input))
    return np.stack(states)


def rnn_sensitivity(states: Array, w_state: Array, w_input: Array) -> Array:  # -> (T,): newest token first
    """How steeply the last state depends on each token: the slopes of all the updates in between, multiplied."""
    slope, sizes = np.eye(len(w_state)), []  # slope: of the last state in the current one
    for state in states[::-1]:
        into_tanh = (1 - state**2)[:, np.newaxis] * slope
        sizes.append(np.linalg.norm(w_input @ into_tanh))
        slope = w_state @ into_tanh
    return np.array(sizes)


def with_token_moved(
    rows: Array, token: int, step: Array
) -> Array:  # (sentences, T, d), (sentences, d) -> (sentences, T, d)
    """The rows, with one token of each sentence moved by a step."""
    moved = rows.copy()
    moved[:, token] += step
    return moved


def attention_sensitivity(model: Model, rng: np.random.Generator, x: Array, w: init.Weights) -> Array:
    """(sentences, T, d) -> (T,), newest first: how far the last output moves when each token is nudged, per unit."""
    projected = [(x @ w[name], w[name]) for name in PROJECTIONS]
    sizes = []
    for token in reversed(range(x.shape[1])):
        direction = rng.standard_normal((len(x), x.shape[-1]))
        step = NUDGE * direction / np.linalg.norm(direction, axis=-1, keepdims=True)
        outputs = []
        for nudge in (step, -step):
            query, key, value = (with_token_moved(rows, token, nudge @ matrix) for rows, matrix in projected)
            outputs.append(model.attention(query[:, -1:], key, value)[0])
        sizes.append(np.linalg.norm(outputs[0] - outputs[1], axis=-1).mean() / (2 * NUDGE))
    return np.array(sizes)


def measure_seconds(model: Model, x: Array, w_state: Array, w: init.Weights) -> list[float]:  # two, in seconds
    """All T states of an RNN one after the other, and all T outputs of attention at once."""
    return fastest_seconds(
        partial(rnn, x, w_state, w["w_query"]),
        lambda: model.attention(x @ w["w_query"], x @ w["w_key"], x @ w["w_value"]),
    )


def share_text(share: float) -> str:
    """A share as text: 0.39, or 10^-13 if it is tiny."""
    return two_digits(share) if 1e-3 <= share < 1e3 else f"10^{np.log10(max(share, TINY)):.0f}"


def weights_statement(left: list[float]) -> Statement:
    """A statement on whether the remaining influence of the first token depends on the recurrent weights."""
    powers = np.log10(left)
    apart = float(powers.max() - powers.min())
    return Statement(
        "depends-on-weights",
        "How much is lost depends on the recurrent weights.",
        f"From the least to the most that was left lie {apart:.0f} powers of ten.",
        holds=apart > 3,
        value=apart,
    )


def rnn_name(radius: float) -> str:
    """Name of an RNN by its radius, with enough digits to be unique."""
    return f"RNN {radius:.15g}"


def run(
    model: Model,
    *,
    tokens: Annotated[
        int, Param("how many tokens; the last one looks back at the first", at_least=5, at_most=128)
    ] = 50,
    radius: Annotated[
        tuple[float, ...],
        Param("largest eigenvalue of the RNN's recurrent weights; repeatable", at_least=0.1, at_most=10, once=True),
    ] = (0.9, 2.0, 3.0),
    d_model: Annotated[int, Param("width of a token and of the RNN's state", at_least=2, at_most=128)] = 64,
    seed: Seed = 0,
) -> Result:
    """How much of each token reaches the last one, through an RNN and through attention, both untrained.

    Measured as sensitivity: how far the last output moves when a token is nudged, compared with the newest token. The
    RNN is a plain one: state = tanh(state W + token U). Its loop runs in Python, which is part of its time.
    """
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((SENTENCES, tokens, d_model))
    w = init.heads(rng, d_model)
    recurrent = [recurrent_weights(rng, d_model, size) for size in radius]
    states = [rnn(x[0], w_state, w["w_query"]) for w_state in recurrent]
    slopes = [rnn_sensitivity(of, w_state, w["w_query"]) for of, w_state in zip(states, recurrent, strict=True)]
    heard = attention_sensitivity(model, rng, x, w)
    left = {rnn_name(size): slope / slope[0] for size, slope in zip(radius, slopes, strict=True)}
    left["attention"] = heard / heard[0]

    updates = len(states[0]) - 1
    ends = [max(float(slope[-1] / slope[0]), TINY) for slope in slopes]
    some = min(NEIGHBOURS, updates // 2)
    level = float(heard[-some:].mean() / heard[1 : 1 + some].mean())
    first = float(model.attention(x[:, -1:] @ w["w_query"], x @ w["w_key"], x)[1][..., 0].mean())
    lengths = sorted({tokens, *LONGER})
    long = rng.standard_normal((lengths[-1], d_model))
    clock = [measure_seconds(model, long[:length], recurrent[0], w) for length in lengths]
    ahead = [loop / at_once for loop, at_once in clock]
    shown = sorted({1, updates // 2, updates})
    drawn = {name: left[name] for name in (rnn_name(min(radius)), rnn_name(max(radius)), "attention")}

    return Result(
        (
            Note(
                "radius",
                f"RNN {radius[0]:g} has recurrent weights whose largest eigenvalue has size {radius[0]:g}: by about so "
                "much an update stretches what it hands on, before tanh limits it.",
            ),
            series(
                "left",
                f"What is left of a token in the output of token {tokens}, as a power of ten; 0 for the newest",
                "tokens back",
                "left, log10",
                range(tokens),
                {name: np.log10(np.maximum(values, TINY)) for name, values in drawn.items()},
                digits=1,
            ),
            table(
                "some",
                "What is left, as a share of what the newest token has",
                ("through", *(f"{back} back" for back in shown)),
                ((name, *(share_text(values[back]) for back in shown)) for name, values in left.items()),
            ),
            Statement(
                "one-step",
                f"Token 1 reaches token {tokens} through {updates} updates of an RNN, or one step of attention.",
                f"The RNN computed {updates} states between the two, each from the one before. One call of attention, "
                f"and a nudge of token 1 moves the output of token {tokens} by {heard[-1]:.3f} of its size.",
                holds=updates == tokens - 1 and bool(heard[-1] > 1e-6),
                value=float(heard[-1]),
                source="D0, D2",
            ),
            Statement(
                "lossy",
                "The updates of an RNN lose the first token little by little.",
                f"{updates} updates leave {listed(map(share_text, ends))} of it, with a largest eigenvalue of "
                f"{listed(f'{size:g}' for size in radius)}.",
                holds=all(end < 1 for end in ends),
                value=ends[0],
                source="D0",
            ),
            *([weights_statement(ends)] if len(ends) > 1 else []),
            Note(
                "not-memory",
                "A nudge that grows is not a memory either: so does every other one, and they can no longer be told "
                "apart. Weights that neither lose nor explode have to be found and kept by training.",
            ),
            Statement(
                "distance-free",
                "To attention, distance does not matter: it hears the farthest tokens as well as the nearest.",
                f"The {some} farthest have {level:.2f} times the effect of the {some} nearest, the newest left out. "
                f"They share it, though: with {tokens} tokens, token 1 gets a weight of {first:.3f} on average.",
                holds=0.7 < level < 1.4,
                value=level,
                source="D2",
            ),
            table(
                "time",
                "All tokens of one sequence: a loop of updates, and attention at once",
                ("tokens", Column("RNN", 2, "ms"), Column("attention", 2, "ms"), Column("RNN ÷ attention")),
                (
                    (length, 1000 * loop, 1000 * at_once, two_digits(loop / at_once))
                    for length, (loop, at_once) in zip(lengths, clock, strict=True)
                ),
            ),
            Note("times", TIMES_DIFFER),
            Statement(
                "less-ahead",
                "Attention has no loop to wait in, but the longer the sequence, the less that gains: n² against n.",
                f"The loop took {listed(map(two_digits, ahead))} times as long as attention with {listed(lengths)} "
                "tokens.",
                holds=ahead[-1] < ahead[0] / 2,
                value=ahead[-1] / ahead[0],
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
