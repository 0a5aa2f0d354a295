"""Pictures of a model's outputs as matrices, for a healthy and a broken model side by side.

PICTURES is one ordered list; the page of a break shows those that changed. Most pictures need outputs only, no returned
weights. Cells that the right mask forbids are hidden only if they are exactly zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from attention_lab import weights as init
from attention_lab.result import Matrix, matrix
from attention_lab.variants import Model
from attention_lab.vitals import attention, block, masks, training
from attention_lab.vitals.record import Array, Setting, normal

COLUMNS = 6  # columns shown of a wide array


class Drawing(NamedTuple):
    """The data of a picture: labelled numbers, and the cells that may hold one (True) or are hidden."""

    values: Any
    rows: Sequence[str]
    columns: Sequence[str]
    allowed: Array | None = None
    digits: int = 2
    row_title: str = "query"
    column_title: str = "key"


Draw = Callable[[Model, Setting, Sequence[str]], Drawing]  # from a model, a setting and a label for each of T tokens


@dataclass(frozen=True)
class Picture:
    """One matrix that can be drawn of any model."""

    name: str
    title: str
    draw: Draw

    def matrix(self, model: Model, setting: Setting, words: Sequence[str]) -> Matrix:
        """The picture of this model; `words` labels the T tokens."""
        with np.errstate(all="ignore"):  # NaN and overflow are symptoms of a fault
            return matrix(self.name, self.title, *self.draw(model, setting, words))


def weights_drawing(weights: Array, rows: Sequence[str], columns: Sequence[str], mask: Array) -> Drawing:
    """Weights (rows, columns); a cell that the mask forbids is hidden if it is zero."""
    return Drawing(weights, rows, columns, mask | (weights != 0))


def plain_weights(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """The first head's weights without a mask."""
    _, weights = model.attention(*attention.random_inputs(setting, setting.T))
    return weights_drawing(weights[0, 0], words, words, np.ones((setting.T, setting.T), dtype=bool))


def causal_weights(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """The first head's weights under the model's causal mask."""
    _, weights = model.attention(*attention.random_inputs(setting, setting.T), model.causal_mask(setting.T))
    return weights_drawing(weights[0, 0], words, words, masks.allowed(setting, setting.T))


def decoding_weights(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """The weights of the last two tokens alone, over the keys of all."""
    rows = min(2, setting.T)
    _, weights = model.attention(*attention.random_inputs(setting, rows), model.causal_mask(rows, setting.T))
    return weights_drawing(weights[0, 0], words[-rows:], words, masks.allowed(setting, rows))


def padded_weights(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """The last sample's weights under the model's padding mask."""
    ids = masks.padded_sentences(setting)
    _, weights = model.attention(*attention.random_inputs(setting), model.padding_mask(ids))
    labels = [word if real else "PAD" for word, real in zip(words, ids[-1], strict=True)]
    allowed = np.broadcast_to(ids[-1] != 0, weights[-1, 0].shape)
    return weights_drawing(weights[-1, 0], words[: setting.Tq], labels, allowed)


def row_influence(before: Array, after: Sequence[Array]) -> Array:  # (T, ...), a (T, ...) for each token -> (T, tokens)
    """Largest change of each row for each moved token, as shares of the largest change."""
    moves = np.array([np.abs(moved - before).max(axis=-1) for moved in after]).T
    top = float(np.nanmax(moves, initial=0.0))
    return moves / top if top > 0 else moves


def attention_influence(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Influence of each token on each output row of multi-head self-attention."""
    rng, s = setting.rng(), setting
    x, w = normal(rng, 1, s.T, s.d_model), init.heads(rng, s.d_model)
    moved = [x + np.eye(s.T)[j][:, np.newaxis] for j in range(s.T)]
    before, *after = (model.multi_head(y, y, **w, h=s.h)[0] for y in (x, *moved))
    return Drawing(row_influence(before, after), words, words, column_title="token moved")


def logit_influence(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Influence of each token on the logits of each token, in the decoder-only network."""
    weights, ids = masks.gpt(setting)
    ids = ids[:1]
    moved = [np.where(np.arange(setting.T) == j, ids % (masks.V - 1) + 1, ids) for j in range(setting.T)]
    before, *after = (model.decoder_only(tokens, weights, setting.h)[0] for tokens in (ids, *moved))
    moves = row_influence(before, after)
    allowed = masks.allowed(setting, setting.T) | (moves != 0)
    return Drawing(moves, words, words, allowed, column_title="token replaced")


def translation_influence(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Influence of each target token on the logits of each target token, in the encoder–decoder."""
    weights, source, target = masks.translator(setting)
    source, target, rows = source[:1], target[:1], setting.Tq
    moved = [np.where(np.arange(rows) == j, target % (masks.V - 1) + 1, target) for j in range(rows)]
    before, *after = (model.encoder_decoder(source, tokens, weights, setting.h)[0] for tokens in (target, *moved))
    moves = row_influence(before, after)
    mask = np.tril(np.ones((rows, rows), dtype=bool)) | (moves != 0)
    return Drawing(moves, words[:rows], words[:rows], mask, column_title="token replaced")


def first_columns(x: Array, words: Sequence[str]) -> Drawing:
    """The first columns of an array with one row for each token."""
    columns = [str(column) for column in range(x.shape[-1])][:COLUMNS]
    return Drawing(x[:, :COLUMNS], words, columns, row_title="token", column_title="column")


def extreme_softmax(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Softmax of logits far from zero, row by row."""
    logits = np.array([[1e4, 1e4 - 1, 0], [-1e4, -1e4 - 1, -1e4], [900, 899, 0]], dtype=np.float32)
    rows, columns = ("1e4", "−1e4", "900"), ("x", "x − 1", "others")
    return Drawing(model.softmax(logits), rows, columns, row_title="x", column_title="logit")


def position_codes(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """The model's table of positions."""
    places = [str(place) for place in range(setting.T)]
    return first_columns(model.sinusoidal_positions(setting.T, 2 * COLUMNS), places)


def embedded_tokens(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Embedded words with their positions, in a batch of two."""
    rng = setting.rng()
    ids = np.tile(np.arange(setting.T) % masks.V, (2, 1))
    return first_columns(model.embed(ids, normal(rng, masks.V, 2 * COLUMNS) / 4)[1], words)


def rotary_scores(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Scores of equal queries and keys after rotation, as shares of the score at distance 0."""
    ones = np.ones((setting.T, 2 * COLUMNS))
    turned = model.rope(ones, np.arange(setting.T))
    return Drawing(turned @ turned.T / (2 * COLUMNS), words, words)


def normed_tokens(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Tokens after layer norm with a gain that differs from feature to feature, and a bias."""
    x = block.ordinary_tokens(setting)
    gain = np.linspace(0.5, 1.5, x.shape[-1])
    return first_columns(model.layer_norm(x, gain, gain - 1)[0], words)


def layer_output(name: str) -> Draw:
    """Tokens after one layer of this name."""

    def draw(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
        rng, s = setting.rng(), setting
        layer = init.encoder_layer(rng, s.d_model, 2 * s.d_model + 1)
        return first_columns(getattr(model, name)(3 * normal(rng, s.T, s.d_model), layer, s.h), words)

    return draw


def translation_logits(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Logits of the encoder–decoder for the first sample, over the first words of the vocabulary."""
    weights, source, target = masks.translator(setting)
    return first_columns(model.encoder_decoder(source, target, weights, setting.h)[0], words[: setting.Tq])


def feed_forward_output(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Tokens after the feed-forward layer."""
    rng, s = setting.rng(), setting
    w = init.feed_forward(rng, s.d_model, 2 * s.d_model + 1)
    w["b_in"], w["b_out"] = w["b_in"] + 0.5, w["b_out"] - 0.5
    return first_columns(model.feed_forward(normal(rng, s.T, s.d_model), **w), words)


def dropout_output(training_: bool) -> Draw:
    """Ones after dropout of a quarter of them, in training or in evaluation."""

    def draw(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
        kept = model.dropout(np.ones((setting.T, COLUMNS)), 0.25, setting.rng(), training=training_)
        return first_columns(kept, words)

    return draw


def loss_by_word(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """The loss where one label counts and the others are padding."""
    rng, T = setting.rng(), setting.T
    logits, labels = 3 * normal(rng, 1, T, masks.V), rng.integers(1, masks.V, (1, T))
    single = [model.cross_entropy(logits, np.where(np.arange(T) == t, labels, 0)) for t in range(T)]
    return Drawing([single], ["loss"], words, row_title="", column_title="label")


def decoder_labels(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Positions of the tokens that the decoder reads, and of the labels it should predict for them."""
    read, owed = model.teacher_forcing(np.arange(setting.T)[np.newaxis])
    steps = [f"step {step}" for step in range(max(read.shape[-1], owed.shape[-1]))]
    rows = [
        np.pad(ids[0].astype(float), (0, len(steps) - ids.shape[-1]), constant_values=np.nan) for ids in (read, owed)
    ]
    return Drawing(rows, ("reads", "owes"), steps, digits=0, row_title="", column_title="")


def cache_errors(model: Model, setting: Setting, words: Sequence[str]) -> Drawing:
    """Distance of each token's logits, decoded with a cache in pieces, from those of the whole text."""
    weights, ids = masks.gpt(setting)
    whole = model.decoder_only(ids, weights, setting.h)
    rows = []
    for lengths in ([1] * setting.T, [max(1, setting.T - 3), 2, 1] if setting.T > 3 else [setting.T]):
        pieces = training.decoded(model, setting, weights, ids, lengths)
        rows.append(np.abs(pieces - whole).max(axis=(0, 2)))
    return Drawing(rows, ("one by one", "in pieces"), words, row_title="", column_title="token")


PICTURES = (
    Picture("causal", "Weights under the causal mask", causal_weights),
    Picture("plain", "Weights without a mask", plain_weights),
    Picture("padded", "Weights under the padding mask, last sentence of the batch", padded_weights),
    Picture("decoding", "Weights of the last two tokens over all keys", decoding_weights),
    Picture("extremes", "Softmax of logits far from zero, float32", extreme_softmax),
    Picture("influence", "Multi-head attention: how far each output moves when a token does", attention_influence),
    Picture("logits", "Decoder-only: how far each token's logits move when a token is replaced", logit_influence),
    Picture(
        "target", "Encoder–decoder: how far each logit moves when a target token is replaced", translation_influence
    ),
    Picture("codes", "Codes of positions", position_codes),
    Picture("embedded", "Embedded words with their positions", embedded_tokens),
    Picture("rotary", "Rotary scores of equal queries and keys, by position", rotary_scores),
    Picture("normed", "Tokens after layer norm", normed_tokens),
    Picture("fed-forward", "Tokens after the feed-forward layer", feed_forward_output),
    Picture("pre-norm", "Tokens after a pre-norm block", layer_output("pre_norm_block")),
    Picture("post-norm", "Tokens after a post-norm layer", layer_output("encoder_layer")),
    Picture("translation", "Logits of the encoder–decoder", translation_logits),
    Picture("evaluation", "Ones after dropout, in evaluation", dropout_output(training_=False)),
    Picture("training", "Ones after dropout of a quarter, in training", dropout_output(training_=True)),
    Picture("loss", "Loss of one label, the others being padding", loss_by_word),
    Picture("labels", "What the decoder reads and what it owes", decoder_labels),
    Picture("cache", "Decoding with a cache: distance of the logits from those without", cache_errors),
)
