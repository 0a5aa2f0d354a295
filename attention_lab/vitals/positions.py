"""Vital signs of positions: the sinusoidal table, the embedding that adds it, and rotary positions."""

from __future__ import annotations

import numpy as np

from attention_lab.variants import Model
from attention_lab.vitals.masks import V, gpt, translator
from attention_lab.vitals.record import INF, Array, Setting, Vital, max_abs, normal

T, WIDTH = 50, 16  # a table large enough for wavelengths to show


def position_table(model: Model) -> Array:  # -> (T, WIDTH)
    """The model's table of sinusoidal positions."""
    return np.asarray(model.sinusoidal_positions(T, WIDTH))


def unit_circle_error(model: Model, setting: Setting) -> float:
    """Largest distance of a code's squares from one for each pair; which columns make a pair is nobody's business."""
    return max_abs((position_table(model) ** 2).sum(axis=-1) - WIDTH / 2)


def closest_positions(model: Model, setting: Setting) -> float:
    """The smallest distance between the codes of two positions."""
    codes = position_table(model)
    distance = np.linalg.norm(codes[:, np.newaxis] - codes, axis=-1)
    return float((distance + np.where(np.eye(T), INF, 0)).min())


def similarity_error(model: Model, setting: Setting) -> float:
    """How far the similarity of two codes depends on more than the distance between them."""
    codes = position_table(model)
    similarity = codes @ codes.T
    return max(max_abs(np.diff(np.diagonal(similarity, offset))) for offset in range(T - 1))


def turns(model: Model) -> Array:  # -> (WIDTH,)
    """How far each column's wave turns from one position to the next, in radians, wherever and at whatever it starts.

    A wave x that turns by w has x[p + 1] + x[p − 1] = 2 cos(w) x[p], and 2 − 2 cos(w) = (2 sin(w / 2))². A column of
    zeros does not turn.
    """
    codes = position_table(model)
    bend = -np.diff(codes, 2, axis=0)
    power = (codes[1:-1] ** 2).sum(axis=0)
    ratio = (bend * codes[1:-1]).sum(axis=0) / np.where(power == 0, 1, power)
    return np.asarray(2 * np.arcsin(np.maximum(ratio, 0) ** 0.5 / 2))


def slowest_turn(model: Model, setting: Setting) -> float:
    """The base, recovered from the slowest wave."""
    return float(turns(model).min() ** (-WIDTH / (WIDTH - 2)))


def fastest_turn(model: Model, setting: Setting) -> float:
    """How far the fastest wave turns from one position to the next, in radians."""
    return float(turns(model).max())


def odd_width(model: Model, setting: Setting) -> float:
    """1 if a table of odd width comes out in its shape."""
    return float(model.sinusoidal_positions(5, 7).shape == (5, 7))


def embedded_tokens(model: Model, ids: Array, rng: np.random.Generator) -> Array:  # (B, T) -> (B, T, 64)
    """What `embed` makes of ids, with a table of variance 1 / d_model, as weights are drawn."""
    return np.asarray(model.embed(ids, normal(rng, V, 64) / 8))


def content_share(model: Model, setting: Setting) -> float:
    """Size of what the word adds to a token, against what the position adds."""
    rng = setting.rng()
    ids = np.arange(V)[np.newaxis]
    words = embedded_tokens(model, np.concatenate([ids, ids[:, ::-1]]), rng)
    word = np.linalg.norm(words[0] - words[1]) / 2**0.5  # two words at the same position: only the words differ
    same = embedded_tokens(model, np.zeros((1, V), dtype=int), rng)
    position = np.linalg.norm(same[0] - same[0].mean(axis=0))
    return float(word / position)


def token_size(model: Model, setting: Setting) -> float:
    """The root mean square of embedded words: of the order of one, as the layers above expect it."""
    x = embedded_tokens(model, np.arange(V)[np.newaxis], setting.rng())
    return float((x**2).mean() ** 0.5)


def word_order(model: Model, setting: Setting) -> float:
    """How far apart the same word is embedded at two neighbouring positions of one sentence, at the least."""
    x = embedded_tokens(model, np.full((setting.B, setting.T), 3), setting.rng())
    return float(np.linalg.norm(np.diff(x, axis=1), axis=-1).min())


def sample_position(model: Model, setting: Setting) -> float:
    """How far the same sentence is embedded apart in two samples of a batch."""
    x = embedded_tokens(model, np.tile(np.arange(setting.T) % V, (setting.B, 1)), setting.rng())
    return max_abs(x - x[:1])


def order_seen(model: Model, setting: Setting) -> float:
    """How far the encoder's output depends on the order of the words."""
    weights, source, _ = translator(setting)
    ids = np.where(source == 0, 1, source)
    straight = np.asarray(model.encode(ids, weights, setting.h))
    reversed_ = np.asarray(model.encode(ids[:, ::-1], weights, setting.h))
    return max_abs(reversed_[:, ::-1] - straight)


def places_told_apart(model: Model, setting: Setting) -> float:
    """How far the decoder-only network's logits differ between neighbours that are the same word, at the least."""
    weights, _ = gpt(setting)
    logits = model.decoder_only(np.full((setting.B, setting.T), 3), weights, setting.h)
    return float(np.linalg.norm(np.diff(logits, axis=1), axis=-1).min())


def rope_score(model: Model, query: Array, key: Array, at_query: int, at_key: int) -> float:
    """The dot product of a rotated query and a rotated key, (d_k,) each."""
    turned = [model.rope(x[np.newaxis], np.array([place])) for x, place in ((query, at_query), (key, at_key))]
    return float((turned[0] @ turned[1].T).item())


def rope_shift(model: Model, setting: Setting) -> float:
    """How far a rotary score moves when query and key are shifted together."""
    rng = setting.rng()
    query, key = normal(rng, WIDTH), normal(rng, WIDTH)
    places = [(7, 3), (107, 103), (1007, 1003)]
    scores = [rope_score(model, query, key, *place) for place in places]
    return max(scores) - min(scores)


def rope_distance(model: Model, setting: Setting) -> float:
    """How far a rotary score moves when the distance of query and key does."""
    rng = setting.rng()
    query, key = normal(rng, WIDTH), normal(rng, WIDTH)
    return abs(rope_score(model, query, key, 7, 3) - rope_score(model, query, key, 7, 5))


def rope_norm(model: Model, setting: Setting) -> float:
    """How far rotation changes the length of a vector."""
    x = normal(setting.rng(), T, WIDTH)
    return max_abs(np.linalg.norm(model.rope(x, np.arange(T)), axis=-1) - np.linalg.norm(x, axis=-1))


def rope_start(model: Model, setting: Setting) -> float:
    """How far rotation at position 0 changes a vector: an angle of 0 turns nothing."""
    x = normal(setting.rng(), 1, WIDTH)
    return max_abs(model.rope(x, np.array([0])) - x)


def rope_base(model: Model, setting: Setting) -> float:
    """The base, recovered from the slowest rotation between positions 0 and 1, whichever columns make a pair."""
    there, back = (
        np.concatenate([model.rope(x[np.newaxis], np.array([place])) for x in np.eye(WIDTH)]) for place in (1, 0)
    )
    angles = np.abs(np.angle(np.linalg.eigvals(back.T @ there)))
    return float(angles.min() ** (-WIDTH / (WIDTH - 2)))


POSITIONS = (
    Vital(
        "unit-circle",
        "positions",
        "distance",
        0,
        1e-9,
        "Sine and cosine of one angle: squares sum to 1.",
        unit_circle_error,
    ),
    Vital("closest-positions", "positions", "distance", 0.3, INF, "No two positions share a code.", closest_positions),
    Vital("similarity", "positions", "distance", 0, 1e-9, "Codes are alike by distance, wherever.", similarity_error),
    Vital("slowest-turn", "positions", "base", 9_900, 10_100, "The slowest wave has the paper's base.", slowest_turn),
    Vital(
        "fastest-turn",
        "positions",
        "radians",
        1 - 1e-9,
        1 + 1e-9,
        "The fastest wave turns 1 radian a token.",
        fastest_turn,
    ),
    Vital("odd-width", "positions", "yes/no", 1, 1, "An odd d_model works.", odd_width),
    Vital(
        "content-share", "positions", "ratio", 1, 10, "A word outweighs its position, but not by far.", content_share
    ),
    Vital("token-size", "positions", "size", 0.9, 1.6, "An embedded word is neither tiny nor huge.", token_size),
    Vital("word-order", "positions", "distance", 0.1, INF, "One word, two places, two embeddings.", word_order),
    Vital(
        "sample-position", "positions", "distance", 0, 1e-9, "Positions do not depend on the sample.", sample_position
    ),
    Vital("order-seen", "positions", "distance", 1e-3, INF, "The encoder knows the order of words.", order_seen),
    Vital(
        "places", "positions", "distance", 1e-6, INF, "Learned positions tell a repeated word apart.", places_told_apart
    ),
    Vital("rope-shift", "positions", "distance", 0, 1e-9, "Rotary scores know distance only.", rope_shift),
    Vital("rope-distance", "positions", "distance", 1e-3, INF, "Rotary scores do know distance.", rope_distance),
    Vital("rope-norm", "positions", "distance", 0, 1e-9, "Rotation keeps lengths.", rope_norm),
    Vital("rope-start", "positions", "distance", 0, 1e-9, "Position 0 is not turned.", rope_start),
    Vital("rope-base", "positions", "base", 9_900, 10_100, "The slowest rotation has base 10000.", rope_base),
)
