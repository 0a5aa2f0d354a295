"""Decoding: with a cache exactly as without, and greedy means the likeliest."""

from __future__ import annotations

import numpy as np
import pytest

from attention_lab import weights as init
from attention_lab.breaks import BREAKS
from attention_lab.train.generate import continue_ids, decode_target, greedy_pick, sampling_pick
from attention_lab.variants import healthy, load

V, H = 9, 2
MODEL = healthy()


def gpt(T: int = 6):
    return init.decoder_only(np.random.default_rng(0), V, 8, 16, 2, T)


@pytest.mark.parametrize("prompt", [1, 3, 6, 11])
@pytest.mark.parametrize("length", [1, 4, 20])
def test_cached_is_uncached_also_beyond_the_learned_positions(prompt: int, length: int):
    ids = np.random.default_rng(1).integers(0, V, (3, prompt))
    for pick in (lambda: greedy_pick(0), lambda: sampling_pick(np.random.default_rng(2), 3)):
        cached, anew = (continue_ids(MODEL, ids, gpt(), H, length, pick(), cached=how) for how in (True, False))
        assert (cached == anew).all()
        assert cached.shape == (3, prompt + length)
        assert (cached[:, :prompt] == ids).all()


def test_a_broken_cache_says_something_else():
    one = next(one for one in BREAKS if one.name == "cache-key-for-value")
    model, ids = load(*one.patches), np.array([[1, 2, 3]])
    weights = gpt(32)
    pick = [sampling_pick(np.random.default_rng(0), 0) for _ in range(2)]
    assert (
        continue_ids(model, ids, weights, H, 20, pick[0]) != continue_ids(model, ids, weights, H, 20, pick[1], False)
    ).any()


def test_greedy_decoding_picks_what_the_model_finds_likeliest():
    weights = init.encoder_decoder(np.random.default_rng(0), V, 8, 16, 1)
    source = np.array([[3, 4, 5], [6, 7, 8]])
    said = decode_target(MODEL, source, weights, H, 4, 1, greedy_pick(3))
    read = np.concatenate([np.full((2, 1), 1), said[:, :-1]], axis=1)
    logits = MODEL.encoder_decoder(source, read, weights, H)
    assert (said == logits[..., 3:].argmax(axis=-1) + 3).all()


def test_drawing_follows_the_probabilities():
    logits = np.log(np.array([[0.2, 0.5, 0.3]])).repeat(20000, axis=0)
    counts = np.bincount(sampling_pick(np.random.default_rng(0), 0)(logits), minlength=3) / 20000
    np.testing.assert_allclose(counts, [0.2, 0.5, 0.3], atol=0.02)
