"""Vital signs of the loss, of the labels, and of decoding with a cache."""

from __future__ import annotations

import numpy as np

from attention_lab.variants import Model
from attention_lab.vitals.masks import V, gpt
from attention_lab.vitals.record import Array, Setting, Vital, max_abs, normal
from attention_lab.weights import Weights


def labels(setting: Setting) -> Array:  # -> (B, T), the last two of each row are padding where there are three
    """Labels of real words, and padding at the end."""
    ids = setting.rng().integers(1, V, (setting.B, setting.T))
    ids[:, max(1, setting.T - 2) :] = 0
    return ids


def confident(ids: Array, size: float = 50.0) -> Array:  # -> (B, T, V)
    """Logits of a model that is sure of these labels."""
    return size * np.eye(V)[ids]


def uniform_loss(model: Model, setting: Setting) -> float:
    """Loss of a model that knows nothing, less ln V."""
    wanted = labels(setting)
    return float(model.cross_entropy(np.zeros((*wanted.shape, V)), wanted) - np.log(V))


def perfect_loss(model: Model, setting: Setting) -> float:
    """Loss of a model that is sure and right, in nats."""
    return float(model.cross_entropy(confident(labels(setting)), labels(setting)))


def wrong_loss(model: Model, setting: Setting) -> float:
    """Loss of a model that is sure and wrong by 50, in nats."""
    return float(model.cross_entropy(confident(labels(setting) % (V - 1) + 1), labels(setting)))


def loss_overflow(model: Model, setting: Setting) -> float:
    """1 if the loss of logits of ±1e4 is not finite."""
    return float(not np.isfinite(model.cross_entropy(confident(labels(setting), 1e4), labels(setting))))


def loss_offset(model: Model, setting: Setting) -> float:
    """How far the loss moves when 1000 is taken off all logits, which changes no probability."""
    wanted = labels(setting)
    logits = normal(setting.rng(), *wanted.shape, V)
    return abs(float(model.cross_entropy(logits - 1000, wanted) - model.cross_entropy(logits, wanted)))


def padding_in_loss(model: Model, setting: Setting) -> float:
    """How far the loss moves when the logits of padded positions do, which nobody should look at."""
    wanted = labels(setting)
    logits = normal(setting.rng(), *wanted.shape, V)
    moved = logits + np.where((wanted == 0)[..., np.newaxis], 5 * normal(setting.rng(), V), 0)
    return abs(float(model.cross_entropy(moved, wanted) - model.cross_entropy(logits, wanted)))


def label_shift(model: Model, setting: Setting) -> float:
    """How many steps ahead of what the decoder reads its label lies; 1 is the next token."""
    target = np.tile(np.arange(10, 10 + setting.T), (setting.B, 1))
    read, owed = model.teacher_forcing(target)
    return float((owed[:, 0] - read[:, 0]).mean())


def label_count(model: Model, setting: Setting) -> float:
    """Labels too many or too few: one for each token read is right."""
    read, owed = model.teacher_forcing(np.ones((setting.B, setting.T), dtype=int))
    return float(owed.shape[-1] - read.shape[-1])


def copying_loss(model: Model, setting: Setting) -> float:
    """Loss of a model that only repeats what it reads: it must not be rewarded."""
    rng = setting.rng()
    target = (np.arange(setting.T) + rng.integers(0, V, (setting.B, 1))) % (V - 1) + 1
    read, owed = model.teacher_forcing(target)
    return float(model.cross_entropy(confident(read), owed))


def decoded(model: Model, setting: Setting, weights: Weights, ids: Array, lengths: list[int]) -> Array:  # -> (B, T, V)
    """Logits of ids decoded in pieces of these lengths, with a cache."""
    cache, start, pieces = model.empty_cache(weights, setting.h, len(ids)), 0, []
    for length in lengths:
        logits, cache = model.decode_next(ids[:, start : start + length], weights, setting.h, cache)
        pieces.append(logits)
        start += length
    return np.concatenate(pieces, axis=1)


def cached(model: Model, setting: Setting, lengths: list[int]) -> float:
    """Distance of logits decoded with a cache from those of the whole at once."""
    weights, ids = gpt(setting)
    return max_abs(decoded(model, setting, weights, ids, lengths) - model.decoder_only(ids, weights, setting.h))


def cache_error(model: Model, setting: Setting) -> float:
    """Token by token."""
    return cached(model, setting, [1] * setting.T)


def cache_error_in_pieces(model: Model, setting: Setting) -> float:
    """A prompt of all but three tokens, then two, then one."""
    return cached(model, setting, [setting.T - 3, 2, 1])


def cache_left_over(model: Model, setting: Setting) -> float:
    """How far the logits of a sentence move when it is read a second time, from an empty cache again."""
    weights, ids = gpt(setting)
    half = ids[:, : max(1, setting.T // 2)]  # two of them are no more than the learned positions have places for
    first, again = (
        model.decode_next(half, weights, setting.h, model.empty_cache(weights, setting.h, setting.B))[0]
        for _ in range(2)
    )
    return max_abs(again - first)


def cache_branches(model: Model, setting: Setting) -> float:
    """How far the logits after a prefix move when another continuation of that prefix was tried before."""
    weights, ids = gpt(setting)
    start = max(1, setting.T - 2)
    _, prefix = model.decode_next(ids[:, :start], weights, setting.h, model.empty_cache(weights, setting.h, setting.B))
    first, again = (model.decode_next(ids[:, start : start + 1], weights, setting.h, prefix)[0] for _ in range(2))
    return max_abs(again - first)


def cache_growth(model: Model, setting: Setting) -> float:
    """How many keys are kept beyond the tokens read so far, after all but one and then that one."""
    weights, ids = gpt(setting)
    _, cache = model.decode_next(ids[:, :-1], weights, setting.h, model.empty_cache(weights, setting.h, setting.B))
    _, cache = model.decode_next(ids[:, -1:], weights, setting.h, cache)
    return float(cache[0][0].shape[-2] - setting.T)


TRAINING = (
    Vital("loss-uniform", "loss", "nats", -1e-6, 1e-6, "A model that knows nothing has loss ln V.", uniform_loss),
    Vital("loss-perfect", "loss", "nats", -1e-6, 1e-6, "A model that is sure and right has loss 0.", perfect_loss),
    Vital("loss-wrong", "loss", "nats", 50 - 1e-6, 50 + 1e-6, "Sure and wrong costs the whole gap.", wrong_loss),
    Vital("loss-overflow", "loss", "yes/no", 0, 0, "The loss of huge logits is finite.", loss_overflow),
    Vital("loss-offset", "loss", "nats", 0, 1e-9, "An amount added to all logits changes nothing.", loss_offset),
    Vital("loss-padding", "loss", "nats", 0, 1e-9, "Padded positions do not count.", padding_in_loss),
    Vital("label-shift", "loss", "steps", 1, 1, "The label is the next token.", label_shift),
    Vital("label-count", "loss", "labels", 0, 0, "One label for each token read.", label_count),
    Vital("loss-copying", "loss", "nats", 10, 60, "Repeating what one reads is no answer.", copying_loss),
    Vital("cache", "cache", "distance", 0, 1e-9, "Decoding with a cache changes nothing.", cache_error),
    Vital(
        "cache-pieces",
        "cache",
        "distance",
        0,
        1e-9,
        "Decoding several tokens at once gives the same logits.",
        cache_error_in_pieces,
    ),
    Vital("cache-left-over", "cache", "distance", 0, 0, "A new sentence starts with nothing.", cache_left_over),
    Vital(
        "cache-branches",
        "cache",
        "distance",
        0,
        0,
        "A continuation that was dropped leaves no trace in the cache.",
        cache_branches,
    ),
    Vital("cache-growth", "cache", "keys", 0, 0, "One key is kept for each token.", cache_growth),
)
