"""Vital signs of score, scale, softmax and blend: an attention function without a mask.

Only outputs and weights are looked at, and the weights only where they are what is asked for.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from attention_lab.variants import Model
from attention_lab.vitals.record import INF, Array, Measure, Setting, Vital, max_abs, normal


def random_inputs(setting: Setting, rows: int | None = None) -> tuple[Array, Array, Array]:
    """Query (B, h, Tq, d_k), key (B, h, T, d_k), value (B, h, T, d_v)."""
    rng, s = setting.rng(), setting
    lead = (s.B, s.h)
    query = normal(rng, *lead, rows or s.Tq, s.d_k)
    return query, normal(rng, *lead, s.T, s.d_k), normal(rng, *lead, s.T, s.d_v)


def row_sums(model: Model, setting: Setting) -> float:
    """Largest distance of a row of weights from 1."""
    _, weights = model.attention(*random_inputs(setting))
    return max_abs(weights.sum(axis=-1) - 1)


def column_sums(model: Model, setting: Setting) -> float:
    """Largest distance of a column of weights from 1."""
    _, weights = model.attention(*random_inputs(setting))
    return max_abs(weights.sum(axis=-2) - 1)


def smallest_weight(model: Model, setting: Setting) -> float:
    """The smallest weight: a share cannot be negative."""
    _, weights = model.attention(*random_inputs(setting))
    return float(weights.min())


def sharpness(model: Model, setting: Setting) -> float:
    """Slope of the log weights against q · k / √d_k; log weights are scores up to a constant per row."""
    query, key, _ = random_inputs(setting)
    expected = query @ np.swapaxes(key, -1, -2) / setting.d_k**0.5
    _, weights = model.attention(*random_inputs(setting))
    seen = np.log(weights)
    expected, seen = (x - x.mean(axis=-1, keepdims=True) for x in (expected, seen))
    return float((seen * expected).sum() / (expected**2).sum())


def misfit(model: Model, setting: Setting) -> float:
    """What of the log weights is no multiple of q · k, as a share of their spread."""
    query, key, value = random_inputs(setting)
    _, weights = model.attention(query, key, value)
    expected = query @ np.swapaxes(key, -1, -2)
    seen = np.log(weights)
    expected, seen = (x - x.mean(axis=-1, keepdims=True) for x in (expected, seen))
    slope = (seen * expected).sum() / (expected**2).sum()
    return float(((seen - slope * expected) ** 2).sum() / (seen**2).sum())


@cache
def many_rows(d_k: int, seed: int) -> tuple[Array, Array]:  # -> (16, 24, d_k), (16, 32, d_k)
    """Sixteen times 24 queries and 32 keys of this width. Drawn once: drawing them takes longer than measuring."""
    rng = np.random.default_rng(seed)
    return normal(rng, 16, 24, d_k), normal(rng, 16, 32, d_k)


def many_weights(model: Model, d_k: int, setting: Setting) -> Array:  # -> (16, 24, 32)
    """The weights of 24 queries over 32 keys of width d_k, sixteen times, each a matrix by itself."""
    rows = zip(*many_rows(d_k, setting.seed), strict=True)
    return np.stack([model.attention(query.copy(), key.copy(), key.copy())[1] for query, key in rows])


def entropy_at(d_k: int) -> Measure:
    """The mean entropy of a row of weights at this width, in nats; ln 32 = 3.47 is uniform."""

    def measure(model: Model, setting: Setting) -> float:
        weights = many_weights(model, d_k, setting)
        return float(-(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1).mean())

    return measure


def largest_weight_at(d_k: int) -> Measure:
    """The mean of the largest weight of a row at this width."""

    def measure(model: Model, setting: Setting) -> float:
        return float(many_weights(model, d_k, setting).max(axis=-1).mean())

    return measure


def surviving_gradient(model: Model, setting: Setting) -> float:
    """The mean of Σ w (1 − w) at d_k = 64: the trace of softmax's Jacobian, 0 when one weight is 1."""
    weights = many_weights(model, 64, setting)
    return float((weights * (1 - weights)).sum(axis=-1).mean())


def overflow_in(dtype: type[np.floating], size: float) -> Measure:
    """How many of 4 weights are not finite when logits of 0 and of ±size stand in one row."""

    def measure(model: Model, setting: Setting) -> float:
        logits = np.array([[size, size - 1, 0, -size]], dtype=dtype)
        return float((~np.isfinite(model.softmax(logits))).sum())

    return measure


def low_row(model: Model, setting: Setting) -> float:
    """How many of 4 weights are not finite when the logits of one row lie 20,000 below those of the other."""
    logits = np.array([[1e4, 1e4 - 1], [-1e4, -1e4 - 1]])
    return float((~np.isfinite(model.softmax(logits))).sum())


def blend_error(model: Model, setting: Setting) -> float:
    """Distance of the output from the mean of the values, when all keys are alike."""
    query, key, value = random_inputs(setting)
    output, _ = model.attention(query, np.ones_like(key), value)
    return max_abs(output - value.mean(axis=-2, keepdims=True))


def dead_inputs(model: Model, setting: Setting) -> float:
    """How many of query, key and value have no effect on the output."""
    before, _ = model.attention(*random_inputs(setting))
    dead = 0
    for place in range(3):
        changed = random_inputs(setting)
        changed[place][..., 0, :] += 1
        dead += bool(np.allclose(model.attention(*changed)[0], before, rtol=0, atol=1e-12))
    return dead


def batch_influence(model: Model, setting: Setting) -> float:
    """How far the other samples' and heads' outputs move when one head of one sample does."""
    before, _ = model.attention(*random_inputs(setting))
    changed = random_inputs(setting)
    for array in changed:
        array[-1, -1] += 1
    after, _ = model.attention(*changed)
    still = np.ones(before.shape[:2], dtype=bool)
    still[-1, -1] = False
    return max_abs((after - before)[still])


def output_shape(model: Model, setting: Setting) -> float:
    """1 if Tq queries over T keys with values d_v wide give (Tq, d_v), else 0."""
    output, _ = model.attention(*random_inputs(setting))
    return float(output.shape == (setting.B, setting.h, setting.Tq, setting.d_v))


def not_repeated(model: Model, setting: Setting) -> float:
    """Distance between two calls on the same input."""
    inputs = random_inputs(setting)
    return max_abs(model.attention(*inputs)[0] - model.attention(*inputs)[0])


def inputs_changed(model: Model, setting: Setting) -> float:
    """How many of query, key, value and mask were written to."""
    mask = np.ones((setting.Tq, setting.T), dtype=bool)
    mask[:, 0] = False
    inputs = [*random_inputs(setting), mask]
    copies = [array.copy() for array in inputs]
    model.attention(*inputs)
    return sum(not np.array_equal(array, copy) for array, copy in zip(inputs, copies, strict=True))


def error_in_float32(model: Model, setting: Setting) -> float:
    """Distance between the output in float32 and in float64."""
    exact, _ = model.attention(*random_inputs(setting))
    single, _ = model.attention(*(array.astype(np.float32) for array in random_inputs(setting)))
    return max_abs(single - exact)


def bytes_per_number(model: Model, setting: Setting) -> float:
    """Bytes of a number of the output, when the input is float32."""
    output, _ = model.attention(*(array.astype(np.float32) for array in random_inputs(setting)))
    return float(output.dtype.itemsize)


def tiling_error(model: Model, setting: Setting) -> float:
    """Distance between tiled attention, in tiles of 2 × 3, and untiled."""
    return max_abs(model.tiled_attention(*random_inputs(setting), 2, 3) - model.attention(*random_inputs(setting))[0])


ATTENTION = (
    Vital("row-sums", "attention", "distance", 0, 1e-6, "Every row of weights sums to 1.", row_sums),
    Vital("column-sums", "attention", "distance", 1e-3, INF, "Columns need not sum to 1, and do not.", column_sums),
    Vital("smallest-weight", "attention", "share", 0, 1, "No weight is negative.", smallest_weight),
    Vital("sharpness", "attention", "ratio", 0.99, 1.01, "Scores are q · k / √d_k: sharpness 1.", sharpness),
    Vital("score-misfit", "attention", "share", 0, 1e-9, "Scores are a multiple of q · k, and nothing else.", misfit),
    *(
        Vital(
            f"entropy-{d_k}", "attention", "nats", 2.91, 3.15, f"Entropy over 32 keys at d_k = {d_k}.", entropy_at(d_k)
        )
        for d_k in (4, 64, 512)
    ),
    *(
        Vital(
            f"largest-{d_k}",
            "attention",
            "share",
            low,
            high,
            f"Largest of 32 weights, d_k = {d_k}.",
            largest_weight_at(d_k),
        )
        for d_k, low, high in ((4, 0.117, 0.24), (64, 0.149, 0.225), (512, 0.149, 0.225))
    ),
    Vital(
        "gradient", "attention", "share", 0.9, 0.94, "Gradient that survives softmax at d_k = 64.", surviving_gradient
    ),
    Vital(
        "overflow-16",
        "attention",
        "count",
        0,
        0,
        "Weights not finite: logits ±1e4, float16.",
        overflow_in(np.float16, 1e4),
    ),
    Vital(
        "overflow-32",
        "attention",
        "count",
        0,
        0,
        "Weights not finite: logits ±1e4, float32.",
        overflow_in(np.float32, 1e4),
    ),
    Vital(
        "overflow-64",
        "attention",
        "count",
        0,
        0,
        "Weights not finite: logits ±1e4, float64.",
        overflow_in(np.float64, 1e4),
    ),
    Vital("low-row", "attention", "count", 0, 0, "Weights not finite: a row far below another.", low_row),
    Vital("blend", "attention", "distance", 0, 1e-6, "Equal keys give the plain average of the values.", blend_error),
    Vital("dead-inputs", "attention", "count", 0, 0, "Of query, key and value, those without effect.", dead_inputs),
    Vital(
        "batch-influence",
        "attention",
        "distance",
        0,
        1e-9,
        "Samples and heads do not hear each other.",
        batch_influence,
    ),
    Vital("output-shape", "attention", "yes/no", 1, 1, "Tq queries over T keys give (Tq, d_v).", output_shape),
    Vital("repeat", "attention", "distance", 0, 0, "Two calls on the same input agree.", not_repeated),
    Vital("inputs-changed", "attention", "count", 0, 0, "Inputs are read, never written to.", inputs_changed),
    Vital("float32-error", "attention", "distance", 0, 1e-5, "Float32 agrees with float64.", error_in_float32),
    Vital("float32-kept", "attention", "bytes", 4, 4, "Float32 in, float32 out.", bytes_per_number),
    Vital("tiling", "attention", "distance", 0, 1e-6, "Tiled attention equals attention.", tiling_error),
)
