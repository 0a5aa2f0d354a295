"""Vital signs of masks: who may attend to whom, what hides a key, and what an output may depend on."""

from __future__ import annotations

import numpy as np

from attention_lab import weights as init
from attention_lab.variants import Model
from attention_lab.vitals.attention import random_inputs
from attention_lab.vitals.record import INF, Array, Setting, Vital, max_abs, normal

FAR_AHEAD = 25  # stretch at which scores of hidden keys lead by 30 and more
V = 11  # words known to the networks measured here; 0 is padding


def allowed(setting: Setting, rows: int) -> Array:  # -> (rows, T) bool
    """Which of T keys each of the last `rows` tokens may see: written out here, not asked of the model."""
    query, key = np.arange(setting.T - rows, setting.T)[:, np.newaxis], np.arange(setting.T)
    return key <= query


def seen(model: Model, setting: Setting, stretch: float = 1.0) -> Array:  # -> (B, h, Tq, T)
    """Weights under the model's own causal mask; for the first query every key but the last is lowered by `stretch`."""
    query, key, value = random_inputs(setting)
    key[..., :-1, :] -= stretch * np.sign(query[..., :1, :])
    _, weights = model.attention(query, key, value, model.causal_mask(setting.Tq, setting.T))
    return np.asarray(weights)


def future_mass(model: Model, setting: Setting) -> float:
    """The largest weight that a query gives to its future."""
    return max_abs(seen(model, setting) * ~allowed(setting, setting.Tq))


def future_mass_at_huge_logits(model: Model, setting: Setting) -> float:
    """The same, when the scores of the future are larger than those of the past by tens of thousands."""
    return max_abs(seen(model, setting, 1e5) * ~allowed(setting, setting.Tq))


def hidden_scores(model: Model, setting: Setting) -> float:
    """How far the weights of the other queries move when the last key changes, which they may not see."""
    mask = model.causal_mask(setting.T)
    _, before = model.attention(*random_inputs(setting, setting.T), mask)
    query, key, value = random_inputs(setting, setting.T)
    key[..., -1, :] += 5 * np.sign(query[..., -1, :])  # the last query, which may see it, now sees little else
    _, after = model.attention(query, key, value, mask)
    return max_abs((after - before)[..., :-1, :])


def mask_effect(model: Model, setting: Setting) -> float:
    """How far a mask that hides the first key from everybody moves a weight, at the most."""
    mask = np.ones((setting.Tq, setting.T), dtype=bool)
    mask[:, 0] = False
    return max_abs(model.attention(*random_inputs(setting), mask)[1] - model.attention(*random_inputs(setting))[1])


def masked_row_sums(model: Model, setting: Setting) -> float:
    """Largest distance of a row's sum from 1 under a causal mask, also where hidden scores lead by 30 and more."""
    sums = [seen(model, setting, stretch).sum(axis=-1) for stretch in (1, FAR_AHEAD)]
    return max_abs(np.stack(sums) - 1)


def hidden_past(model: Model, setting: Setting) -> float:
    """How many cells of the past have no weight."""
    return float((allowed(setting, setting.Tq) & ~(seen(model, setting) > 0)[0, 0]).sum())


def furthest_ahead(model: Model, setting: Setting) -> float:
    """How many steps ahead of itself a query sees at most, by the mask alone; negative: not even itself."""
    rows, columns = np.nonzero(model.causal_mask(setting.T))
    return float((columns - rows).max())


def visible_when_decoding(model: Model, setting: Setting) -> float:
    """How many of T keys a single new query sees."""
    return float(model.causal_mask(1, setting.T).sum() - setting.T)


def padded_sentences(setting: Setting) -> Array:  # -> (B, T) ids
    """Sentences of different length: each has one padding token more than the one before it, the first has one.

    No word is 1, which is padding elsewhere: a mask that hides that id hides none of them.
    """
    ids = setting.rng().integers(2, V, (setting.B, setting.T))
    for b in range(setting.B):
        ids[b, max(1, setting.T - 1 - b) :] = 0
    return ids


def padding_mass(model: Model, setting: Setting) -> float:
    """The largest weight on a padded key, under the model's own padding mask."""
    ids = padded_sentences(setting)
    _, weights = model.attention(*random_inputs(setting), model.padding_mask(ids))
    return max_abs(weights * (ids == 0)[:, np.newaxis, np.newaxis, :])


def hidden_words(model: Model, setting: Setting) -> float:
    """How many words of a sentence that holds every word once, and then padding, are hidden by the padding mask."""
    ids = np.arange(1, V + 1)[np.newaxis] % V
    rng, s = setting.rng(), setting
    query, key = normal(rng, 1, s.h, 1, s.d_k), normal(rng, 1, s.h, V, s.d_k)
    _, weights = model.attention(query, key, key, model.padding_mask(ids))
    return float((weights[..., :-1] == 0).any(axis=(0, 1, 2)).sum())


def decoder_mass(model: Model, setting: Setting) -> float:
    """The largest weight on a key that is padding or lies in the future, under the model's own decoder mask."""
    ids = padded_sentences(setting)
    _, weights = model.attention(*random_inputs(setting, setting.T), model.decoder_mask(ids))
    hidden = (ids == 0)[:, np.newaxis, np.newaxis, :] | ~allowed(setting, setting.T)
    return max_abs(weights * hidden)


def blind_row(model: Model, setting: Setting) -> float:
    """What a query that may see nothing gets: 1 a clear error, 0 numbers, and NaN if it gets that."""
    mask = np.ones((setting.Tq, setting.T), dtype=bool)
    mask[0] = False
    try:
        output, _ = model.attention(*random_inputs(setting), mask)
    except ValueError:
        return 1.0
    return float("nan") if np.isnan(output).any() else 0.0


def nan_count(model: Model, setting: Setting) -> float:
    """How many outputs of masked attention are not finite."""
    output, _ = model.attention(*random_inputs(setting), model.causal_mask(setting.Tq, setting.T))
    return float((~np.isfinite(output)).sum())


def gpt(setting: Setting) -> tuple[init.Weights, Array]:
    """An untrained decoder-only network of two blocks, and ids (B, T) without padding."""
    rng, s = setting.rng(), setting
    weights = init.decoder_only(rng, V, s.d_model, 2 * s.d_model + 1, 2, s.T)
    return weights, rng.integers(1, V, (s.B, s.T))


def translator(setting: Setting) -> tuple[init.Weights, Array, Array]:
    """An untrained encoder–decoder of one layer each, padded source ids (B, T) and target ids (B, Tq)."""
    rng, s = setting.rng(), setting
    weights = init.encoder_decoder(rng, V, s.d_model, 2 * s.d_model + 1, 1)
    return weights, padded_sentences(setting), rng.integers(2, V, (s.B, s.Tq))


def future_influence(model: Model, setting: Setting) -> float:
    """How far the logits of all tokens but the last move when the last one is another word."""
    weights, ids = gpt(setting)
    other = ids.copy()
    other[:, -1] = ids[:, -1] % (V - 1) + 1
    before, after = (model.decoder_only(x, weights, setting.h) for x in (ids, other))
    return max_abs((after - before)[:, :-1])


def past_influence(model: Model, setting: Setting) -> float:
    """How far the logits of the last token move when the first one is another word."""
    weights, ids = gpt(setting)
    other = ids.copy()
    other[:, 0] = ids[:, 0] % (V - 1) + 1
    before, after = (model.decoder_only(x, weights, setting.h) for x in (ids, other))
    return max_abs((after - before)[:, -1])


def target_future_influence(model: Model, setting: Setting) -> float:
    """The same as future influence, in the decoder of the encoder–decoder."""
    weights, source, target = translator(setting)
    other = target.copy()
    other[:, -1] = target[:, -1] % (V - 1) + 1
    before, after = (model.encoder_decoder(source, x, weights, setting.h) for x in (target, other))
    return max_abs((after - before)[:, :-1])


def encoder_padding(model: Model, setting: Setting) -> float:
    """How far the encoder's output at real words moves when padding is embedded differently."""
    weights, source, _ = translator(setting)
    before = model.encode(source, weights, setting.h)
    weights["embedding"][0] += normal(setting.rng(), setting.d_model)
    return max_abs((model.encode(source, weights, setting.h) - before)[source != 0])


def encoder_reach(model: Model, setting: Setting) -> float:
    """How far the encoder's output at the first word moves when the last word is another."""
    weights, source, _ = translator(setting)
    source = np.where(source == 0, 2, source)
    other = source.copy()
    other[:, -1] = source[:, -1] % (V - 1) + 1
    return max_abs((model.encode(other, weights, setting.h) - model.encode(source, weights, setting.h))[:, 0])


def padding_influence(model: Model, setting: Setting) -> float:
    """How far the logits move when what stands on the padded positions of the source is embedded differently."""
    weights, source, target = translator(setting)
    before = model.encoder_decoder(source, target, weights, setting.h)
    weights["embedding"][0] += normal(setting.rng(), setting.d_model)
    after = model.encoder_decoder(source, target, weights, setting.h)
    return max_abs((after - before)[..., 1:])  # the logit of PAD itself is made with its embedding


def source_influence(model: Model, setting: Setting) -> float:
    """How far the logits of the decoder move when the first word of the source is another."""
    weights, source, target = translator(setting)
    other = source.copy()
    other[:, 0] = source[:, 0] % (V - 1) + 1
    before, after = (model.encoder_decoder(x, target, weights, setting.h) for x in (source, other))
    return max_abs(after - before)


def memory_reach(model: Model, setting: Setting) -> float:
    """How far the first logits move when the last vector of a memory as long as the target is another."""
    weights, source, _ = translator(setting)
    source = np.where(source == 0, 2, source)
    memory = normal(setting.rng(), setting.B, setting.T, setting.d_model)
    other = memory.copy()
    other[:, -1] += 1
    before, after = (model.decode(source, x, source, weights, setting.h) for x in (memory, other))
    return max_abs((after - before)[:, 0])


MASKS = (
    Vital("future-mass", "mask", "share", 0, 0, "A causal query gives its future no weight.", future_mass),
    Vital(
        "future-mass-huge",
        "mask",
        "share",
        0,
        0,
        "Future keys get no weight, however huge their scores.",
        future_mass_at_huge_logits,
    ),
    Vital("hidden-scores", "mask", "distance", 0, 1e-9, "A hidden key has no say in any weight.", hidden_scores),
    Vital("mask-effect", "mask", "distance", 1e-3, INF, "A mask changes the weights.", mask_effect),
    Vital(
        "masked-row-sums",
        "mask",
        "distance",
        0,
        1e-6,
        "Rows sum to 1 under a mask, whatever is hidden.",
        masked_row_sums,
    ),
    Vital("hidden-past", "mask", "count", 0, 0, "Nothing of the past is hidden.", hidden_past),
    Vital("furthest-ahead", "mask", "steps", 0, 0, "The furthest a causal query sees is itself.", furthest_ahead),
    Vital("decoding-view", "mask", "keys", 0, 0, "One new query sees every key: none missing.", visible_when_decoding),
    Vital("padding-mass", "mask", "share", 0, 0, "Padded keys get no weight.", padding_mass),
    Vital("hidden-words", "mask", "count", 0, 0, "The padding mask hides no real word.", hidden_words),
    Vital(
        "decoder-mass", "mask", "share", 0, 0, "Neither future nor padding: the decoder mask hides both.", decoder_mass
    ),
    Vital("blind-row", "mask", "1 error, 0 none", 1, 1, "A row that may see nothing is rejected.", blind_row),
    Vital("nan", "mask", "count", 0, 0, "Masked attention is finite.", nan_count),
    Vital("future-influence", "mask", "distance", 0, 1e-9, "No logit depends on later tokens.", future_influence),
    Vital(
        "past-influence", "mask", "distance", 1e-6, INF, "The last logits depend on the first token.", past_influence
    ),
    Vital("target-future", "mask", "distance", 0, 1e-9, "The decoder does not read ahead.", target_future_influence),
    Vital("padding-influence", "mask", "distance", 0, 1e-9, "What stands on padding is not heard.", padding_influence),
    Vital("source-influence", "mask", "distance", 1e-6, INF, "The decoder hears the source.", source_influence),
    Vital("encoder-padding", "mask", "distance", 0, 1e-9, "In the encoder no word hears padding.", encoder_padding),
    Vital("encoder-reach", "mask", "distance", 1e-6, INF, "The encoder reads ahead: it may.", encoder_reach),
    Vital("memory-reach", "mask", "distance", 1e-6, INF, "The first target token hears all memory.", memory_reach),
)
