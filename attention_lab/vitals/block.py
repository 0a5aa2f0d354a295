"""Vital signs of what stands around attention: layer norm, residuals, feed-forward, dropout."""

from __future__ import annotations

import numpy as np

from attention_lab import weights as init
from attention_lab.variants import Model
from attention_lab.vitals.record import INF, Array, Measure, Setting, Vital, max_abs, normal

WIDTH = 64  # wide enough for the eps of a norm not to be seen in ordinary data


def norm_output(model: Model, x: Array) -> Array:
    """Layer norm without gain and bias."""
    return np.asarray(model.layer_norm(x, **init.norm(x.shape[-1])))


def ordinary_tokens(setting: Setting) -> Array:  # -> (B, T, WIDTH)
    """Tokens with a mean of 3 and a deviation of 2, each token scaled a little differently."""
    rng = setting.rng()
    return 3 + 2 * normal(rng, setting.B, setting.T, WIDTH) * (1 + rng.random((setting.B, setting.T, 1)))


def norm_mean(model: Model, setting: Setting) -> float:
    """Largest distance of a normed token's mean from 0."""
    return max_abs(norm_output(model, ordinary_tokens(setting)).mean(axis=-1))


def norm_deviation(model: Model, setting: Setting) -> float:
    """Largest distance of a normed token's standard deviation from 1."""
    return max_abs(norm_output(model, ordinary_tokens(setting)).std(axis=-1) - 1)


def norm_one_hot(model: Model, setting: Setting) -> float:
    """What the norm makes of the 1 in [1, 0, 0, 0]; √3 with the biased deviation, 1.5 with the unbiased."""
    return float(norm_output(model, np.array([[1.0, 0, 0, 0], [0, 2.0, 0, 0]]))[0, 0])


def norm_of_tiny(model: Model, setting: Setting) -> float:
    """The deviation of a normed token whose own is 1e-4: eps under the root holds it at about 0.03."""
    x = ordinary_tokens(setting)
    tiny = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True) * 1e-4
    return float(norm_output(model, tiny).std(axis=-1).mean())


def norm_neighbour(model: Model, setting: Setting) -> float:
    """How far a normed token moves when another token does."""
    x = ordinary_tokens(setting)
    moved = x.copy()
    moved[:, -1] += np.arange(WIDTH)
    return max_abs((norm_output(model, moved) - norm_output(model, x))[:, :-1])


def features_moved_by(name: str) -> Measure:
    """How many features of normed tokens move when the first number of `name` does, if the first one is among them."""

    def measure(model: Model, setting: Setting) -> float:
        x, one = ordinary_tokens(setting), init.norm(WIDTH)
        changed = {**one, name: one[name] + np.eye(WIDTH)[0]}
        moved = np.abs(model.layer_norm(x, **changed) - model.layer_norm(x, **one)).max(axis=(0, 1)) > 1e-12
        return float(moved[0] * moved.sum())

    return measure


def quiet(layer: init.Weights) -> init.Weights:
    """A layer whose sublayers propose no change: the weights that make their output are zero."""
    silent = ("w_value", "w_out")
    return {
        name: {key: np.zeros_like(w) if key in silent else w for key, w in part.items()} for name, part in layer.items()
    }


def residual_error(model: Model, setting: Setting) -> float:
    """How far a pre-norm block moves a token when its sublayers propose nothing."""
    rng, s = setting.rng(), setting
    layer = quiet(init.encoder_layer(rng, s.d_model, 2 * s.d_model + 1))
    x = normal(rng, s.B, s.T, s.d_model)
    return max_abs(model.pre_norm_block(x, layer, s.h) - x)


def post_norm_residual_error(model: Model, setting: Setting) -> float:
    """How far encoder and decoder layers move an already normed token when their sublayers propose nothing."""
    rng, s = setting.rng(), setting
    encoder = quiet(init.encoder_layer(rng, s.d_model, 2 * s.d_model + 1))
    decoder = quiet(init.decoder_layer(rng, s.d_model, 2 * s.d_model + 1))
    x = normal(rng, s.B, s.T, s.d_model)
    x = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    moved = (model.encoder_layer(x, encoder, s.h), model.decoder_layer(x, x, decoder, s.h))
    return max(max_abs(after - x) for after in moved)


def branch_input(model: Model, setting: Setting) -> float:
    """How far a pre-norm block's change depends on the size of its input: the norm inside makes it not to."""
    rng, s = setting.rng(), setting
    layer = init.encoder_layer(rng, s.d_model, 2 * s.d_model + 1)
    x = 1e3 * normal(rng, s.B, s.T, s.d_model)
    once, tenfold = (model.pre_norm_block(y, layer, s.h) - y for y in (x, 10 * x))
    return max_abs(tenfold - once)


def stream_deviation(model: Model, setting: Setting) -> float:
    """Distance of the deviation of tokens that leave a post-norm layer from 1."""
    rng, s = setting.rng(), setting
    layer = init.encoder_layer(rng, s.d_model, 2 * s.d_model + 1)
    return max_abs(model.encoder_layer(5 * normal(rng, s.B, s.T, s.d_model), layer, s.h).std(axis=-1) - 1)


def bend(model: Model, setting: Setting) -> float:
    """How far the feed-forward layer is from a straight line: f(x) + f(−x) against 2 f(0)."""
    rng, s = setting.rng(), setting
    w = init.feed_forward(rng, s.d_model, 2 * s.d_model + 1)
    x = normal(rng, s.T, s.d_model)
    return max_abs(model.feed_forward(x, **w) + model.feed_forward(-x, **w) - 2 * model.feed_forward(0 * x, **w))


def feed_forward_neighbour(model: Model, setting: Setting) -> float:
    """How far the feed-forward output of a token moves when another token does."""
    rng, s = setting.rng(), setting
    w = init.feed_forward(rng, s.d_model, 2 * s.d_model + 1)
    x = normal(rng, s.T, s.d_model)
    moved = x.copy()
    moved[-1] += 1
    return max_abs((model.feed_forward(moved, **w) - model.feed_forward(x, **w))[:-1])


def dead_feed_forward_weights(model: Model, setting: Setting) -> float:
    """How many of the feed-forward layer's four weights have no effect."""
    rng, s = setting.rng(), setting
    w = init.feed_forward(rng, s.d_model, 2 * s.d_model + 1)
    x = normal(rng, s.T, s.d_model)
    before = model.feed_forward(x, **w)
    changed = ({**w, name: w[name] + 0.3} for name in w)
    return sum(bool(np.allclose(model.feed_forward(x, **other), before, rtol=0, atol=1e-12)) for other in changed)


def feed_forward_signs(model: Model, setting: Setting) -> float:
    """The share of negative numbers among what the feed-forward layer proposes: it must be able to take away."""
    rng, s = setting.rng(), setting
    w = init.feed_forward(rng, s.d_model, 2 * s.d_model + 1)
    return float((model.feed_forward(normal(rng, 64, s.d_model), **w) < 0).mean())


def dropout_in_evaluation(model: Model, setting: Setting) -> float:
    """The share of numbers that dropout changes outside training."""
    x = ordinary_tokens(setting)
    return float((model.dropout(x, 0.5, setting.rng(), training=False) != x).mean())


def dropout_mean(model: Model, setting: Setting) -> float:
    """The mean of ten thousand ones after dropout of a quarter of them."""
    return float(model.dropout(np.ones((100, 100)), 0.25, setting.rng(), training=True).mean())


def dropout_share(model: Model, setting: Setting) -> float:
    """The share of ten thousand ones that dropout of a quarter sets to zero."""
    return float((model.dropout(np.ones((100, 100)), 0.25, setting.rng(), training=True) == 0).mean())


BLOCK = (
    Vital("norm-mean", "norm", "distance", 0, 1e-9, "A normed token has mean 0.", norm_mean),
    Vital("norm-deviation", "norm", "distance", 0, 1e-3, "A normed token has standard deviation 1.", norm_deviation),
    Vital("norm-one-hot", "norm", "value", 1.731, 1.733, "[1, 0, 0, 0] is normed to √3 at the 1.", norm_one_hot),
    Vital("norm-tiny", "norm", "deviation", 0.02, 0.05, "eps stands under the root.", norm_of_tiny),
    Vital("norm-neighbour", "norm", "distance", 0, 1e-9, "A token is normed by itself.", norm_neighbour),
    Vital("norm-gain", "norm", "count", 1, 1, "A gain works on its own feature only.", features_moved_by("gain")),
    Vital("norm-bias", "norm", "count", 1, 1, "A bias works on its own feature only.", features_moved_by("bias")),
    Vital(
        "residual", "block", "distance", 0, 1e-9, "A pre-norm block without proposals changes nothing.", residual_error
    ),
    Vital(
        "residual-post",
        "block",
        "distance",
        0,
        1e-3,
        "A post-norm layer whose branches add nothing keeps a normed token.",
        post_norm_residual_error,
    ),
    Vital("branch-input", "block", "distance", 0, 0.1, "The norm stands inside the branch.", branch_input),
    Vital("stream", "block", "distance", 0, 1e-3, "What leaves a post-norm layer is normed.", stream_deviation),
    Vital("bend", "block", "distance", 1e-3, INF, "The feed-forward layer is no straight line.", bend),
    Vital(
        "signs", "block", "share", 0.1, 0.9, "Feed-forward proposes more and less, not only more.", feed_forward_signs
    ),
    Vital(
        "feed-forward-neighbour",
        "block",
        "distance",
        0,
        1e-9,
        "Feed-forward works token by token.",
        feed_forward_neighbour,
    ),
    Vital(
        "dead-feed-forward",
        "block",
        "count",
        0,
        0,
        "Of its four weights, those without effect.",
        dead_feed_forward_weights,
    ),
    Vital(
        "dropout-evaluation", "dropout", "share", 0, 0, "Outside training nothing is dropped.", dropout_in_evaluation
    ),
    Vital("dropout-mean", "dropout", "mean", 0.97, 1.03, "Dropout keeps the mean.", dropout_mean),
    Vital("dropout-share", "dropout", "share", 0.22, 0.28, "Dropout drops the share it was asked to.", dropout_share),
)
