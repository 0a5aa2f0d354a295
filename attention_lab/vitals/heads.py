"""Vital signs of multi-head attention: who moves whom, which weights matter, and whether heads are slices."""

from __future__ import annotations

import numpy as np

from attention_lab import weights as init
from attention_lab.variants import Model
from attention_lab.vitals.record import INF, Array, Setting, Vital, max_abs, normal

DRAWS = 8  # so that the slope of scores that have nothing to do with q · k is clearly not 1


def tokens(setting: Setting) -> tuple[Array, Array, init.Weights]:
    """Tokens x (B, Tq, d_model), a source (B, T, d_model) and the four projections."""
    rng, s = setting.rng(), setting
    return (
        normal(rng, s.B, s.Tq, s.d_model),
        normal(rng, s.B, s.T, s.d_model),
        init.heads(rng, s.d_model),
    )


def weights_of_heads(model: Model, setting: Setting) -> tuple[Array, Array]:  # -> (DRAWS h, T, T), twice
    """The weights of every head, read off the output, and q · k / √d_k computed head by head, for several draws.

    Weights need not be returned to be seen: as many tokens as a value is wide, and values that are the unit vectors,
    put the weights themselves into the output. Where they do not (no logarithm exists), they cannot be read.
    """
    rng, h, T = setting.rng(), setting.h, setting.d_k
    seen, expected = [], []
    for _ in range(DRAWS):
        x = normal(rng, T, setting.d_model) / 2  # scores so small that rounding shows in no weight
        w = init.heads(rng, setting.d_model)
        units = np.tile(np.eye(T), (1, h))  # the value of token j, in every head, is the unit vector j
        w["w_value"] = np.linalg.pinv(x) @ units
        w["w_out"] = np.eye(setting.d_model)
        output = model.multi_head(x, x, **w, h=h)
        query, key = ((x @ w[name]).reshape(T, h, T).swapaxes(0, 1) for name in ("w_query", "w_key"))
        seen.append(output.reshape(T, h, T).swapaxes(0, 1))
        expected.append(query @ key.swapaxes(-1, -2) / T**0.5)
    return np.concatenate(seen), np.concatenate(expected)


def head_sharpness(model: Model, setting: Setting) -> float:
    """Slope of the heads' log weights against q · k / √d_k."""
    weights, expected = weights_of_heads(model, setting)
    seen, expected = (a - a.mean(axis=-1, keepdims=True) for a in (np.log(weights), expected))
    return float((seen * expected).sum() / (expected**2).sum())


def head_misfit(model: Model, setting: Setting) -> float:
    """What of the heads' log weights is no multiple of q · k, as a share of their spread."""
    weights, expected = weights_of_heads(model, setting)
    seen, expected = (a - a.mean(axis=-1, keepdims=True) for a in (np.log(weights), expected))
    if max_abs(seen) < 1e-9:  # all scores alike: rounding is all there is to compare
        return float("nan")
    slope = (seen * expected).sum() / (expected**2).sum()
    return float(((seen - slope * expected) ** 2).sum() / (seen**2).sum())


def asymmetry(model: Model, setting: Setting) -> float:
    """How far the heads' scores are from symmetric; queries and keys of one projection make them so."""
    weights, _ = weights_of_heads(model, setting)
    scores = np.log(weights)
    cycle = scores[:, 0, 1] + scores[:, 1, 2] + scores[:, 2, 0] - scores[:, 1, 0] - scores[:, 2, 1] - scores[:, 0, 2]
    return max_abs(cycle)  # round a triangle and back, the constant of each row drops out


def split_merge_error(model: Model, setting: Setting) -> float:
    """Distance of tokens that were split into heads and merged again from what they were."""
    x, _, _ = tokens(setting)
    return max_abs(model.merge_heads(model.split_heads(x, setting.h)) - x)


def slice_error(model: Model, setting: Setting) -> float:
    """Distance of head i from columns i d_k to (i + 1) d_k of each token."""
    x, _, _ = tokens(setting)
    s = setting
    return max_abs(model.split_heads(x, s.h) - x.reshape(s.B, s.Tq, s.h, s.d_k).swapaxes(1, 2))


def head_reach(model: Model, setting: Setting) -> float:
    """The share of the output's columns that move when the values of the first head do."""
    x, source, w = tokens(setting)
    before = model.multi_head(x, source, **w, h=setting.h)
    w["w_value"] = w["w_value"].copy()
    w["w_value"][:, : setting.d_k] += 1
    after = model.multi_head(x, source, **w, h=setting.h)
    return float((np.abs(after - before).max(axis=(0, 1)) > 1e-12).mean())


def dead_weights(model: Model, setting: Setting) -> float:
    """How many of the four projections have no effect on the output."""
    x, source, w = tokens(setting)
    before = model.multi_head(x, source, **w, h=setting.h)
    dead = 0
    for name in w:
        after = model.multi_head(x, source, **{**w, name: w[name] + 0.3 * np.eye(setting.d_model)}, h=setting.h)
        dead += bool(np.allclose(after, before, rtol=0, atol=1e-12))
    return dead


def source_rows_heard(model: Model, setting: Setting) -> float:
    """How many of the source's tokens move nothing at all in the output."""
    x, source, w = tokens(setting)
    before = model.multi_head(x, source, **w, h=setting.h)
    deaf = 0
    for j in range(setting.T):
        changed = source.copy()
        changed[:, j] += 1
        deaf += bool(np.allclose(model.multi_head(x, changed, **w, h=setting.h), before, rtol=0, atol=1e-12))
    return deaf


def rows_unmoved(model: Model, setting: Setting) -> float:
    """How many output rows stay where they are when one token moves, in self-attention: none should."""
    _, x, w = tokens(setting)
    moved = x.copy()
    moved[:, 1] += 1
    change = model.multi_head(moved, moved, **w, h=setting.h) - model.multi_head(x, x, **w, h=setting.h)
    return float((np.abs(change).max(axis=(0, 2)) <= 1e-12).sum())


def sample_influence(model: Model, setting: Setting) -> float:
    """How far the outputs of the other samples move when the last one does, in self-attention."""
    _, x, w = tokens(setting)
    moved = x.copy()
    moved[-1] += 1
    change = model.multi_head(moved, moved, **w, h=setting.h) - model.multi_head(x, x, **w, h=setting.h)
    return max_abs(change[:-1])


def permutation_error(model: Model, setting: Setting) -> float:
    """Distance between reordering the tokens first and reordering the output afterwards."""
    _, x, w = tokens(setting)
    order = setting.rng().permutation(setting.T)
    y = x[:, order]
    return max_abs(model.multi_head(y, y, **w, h=setting.h) - model.multi_head(x, x, **w, h=setting.h)[:, order])


def output_rows(model: Model, setting: Setting) -> float:
    """How many output rows too many (or too few, negative) there are: one for each query is right."""
    x, source, w = tokens(setting)
    return float(model.multi_head(x, source, **w, h=setting.h).shape[-2] - setting.Tq)


def memory_heard(model: Model, setting: Setting) -> float:
    """How far the last token that leaves a decoder layer moves when the first of as many memory vectors does."""
    x, memory, _ = tokens(setting)
    memory = memory[:, : setting.Tq]
    layer = init.decoder_layer(setting.rng(), setting.d_model, 2 * setting.d_model + 1)
    moved = memory.copy()
    moved[:, 0] += normal(setting.rng(), setting.d_model)
    before, after = (model.decoder_layer(x, one, layer, setting.h) for one in (memory, moved))
    return max_abs((after - before)[:, -1])


def projection_error(model: Model, setting: Setting) -> float:
    """Distance of the output from source W_V W_O, when one token fills the source: attention returns its value."""
    x, source, w = tokens(setting)
    source = np.repeat(source[:, :1], setting.T, axis=1)
    return max_abs(model.multi_head(x, source, **w, h=setting.h) - source[:, :1] @ w["w_value"] @ w["w_out"])


HEADS = (
    Vital(
        "head-sharpness",
        "heads",
        "ratio",
        0.99,
        1.01,
        "Scores of each head are q · k / √d_k: sharpness 1.",
        head_sharpness,
    ),
    Vital("head-misfit", "heads", "share", 0, 1e-9, "Each head's scores come from its own q · k.", head_misfit),
    Vital("asymmetry", "heads", "nats", 1e-6, INF, "Looking at a token is not being looked at by it.", asymmetry),
    Vital(
        "split-merge", "heads", "distance", 0, 0, "Splitting into heads and merging undo each other.", split_merge_error
    ),
    Vital("slices", "heads", "distance", 0, 0, "Head i is slice i of every token.", slice_error),
    Vital(
        "head-reach", "heads", "share", 1, 1, "The output projection mixes every head into every column.", head_reach
    ),
    Vital("dead-weights", "heads", "count", 0, 0, "Of W_Q, W_K, W_V, W_O, those without effect.", dead_weights),
    Vital("deaf-to", "heads", "count", 0, 0, "Source tokens that nobody hears.", source_rows_heard),
    Vital("rows-unmoved", "heads", "count", 0, 0, "When one token moves, every output row does.", rows_unmoved),
    Vital("sample-influence", "heads", "distance", 0, 1e-9, "Samples do not hear each other.", sample_influence),
    Vital("permutation", "heads", "distance", 0, 1e-9, "Reordered tokens give reordered outputs.", permutation_error),
    Vital("output-rows", "heads", "rows", 0, 0, "One output row for each query, none more.", output_rows),
    Vital(
        "memory-heard", "heads", "distance", 1e-6, INF, "The last target token hears the first of memory.", memory_heard
    ),
    Vital(
        "projections",
        "heads",
        "distance",
        0,
        1e-6,
        "A value goes through W_V and W_O, once, untransposed.",
        projection_error,
    ),
)
