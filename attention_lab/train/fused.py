"""Gradients of whole functions of the model, written by hand: one step for autograd instead of ten.

Each is a pair: `name(...)` gives the output and what the way back will need, `name_back(...)` takes the gradient of the
output and gives those of its arrays. `FUSED` makes of a function of the model one that goes through its pair where the
shapes are those of a network, and is itself elsewhere. Whether it may is decided in `gradient.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from autograd.extend import defvjp_argnums, primitive

from attention_lab.train.tree import Array
from attention_lab.variants import Model
from attention_lab.variants import healthy as healthy_model
from attention_lab.weights import NORM_EPS

healthy = healthy_model()
Kept = tuple[Any, ...]
Function = Callable[..., Any]


def differentiable(forward: Function, backward: Function) -> Function:
    """A primitive of autograd from a pair; `backward` gives one gradient for each of the first arguments."""

    @primitive  # type: ignore[untyped-decorator]
    def run(kept: list[Kept], *arguments: Any) -> Array:
        output, needed = forward(*arguments)
        kept.append(needed)
        return np.asarray(output)

    def back(numbers: tuple[int, ...], _: Array, arguments: tuple[Any, ...], __: Any) -> Function:
        def gradients(gradient: Array) -> tuple[Array, ...]:
            found = backward(gradient, *arguments[0][-1])
            return tuple(found[number - 1] for number in numbers)  # argument 0 is the list of what was kept

        return gradients

    defvjp_argnums(run, back)
    return lambda *arguments: run([], *arguments)


def rows(x: Array) -> Array:  # (..., d) -> (N, d)
    """All tokens of all sequences under one another."""
    return x.reshape(-1, x.shape[-1])


@cache
def equal_shares(d: int, dtype: Any) -> Array:  # -> (d, 1)
    """A column of 1 / d."""
    return np.full((d, 1), 1 / d, dtype)


def means(x: Array) -> Array:  # (N, d) -> (N, 1)
    """The mean of each row, as a product: NumPy is slow at many short sums."""
    return np.asarray(x @ equal_shares(x.shape[-1], x.dtype))


def totals(x: Array) -> Array:  # (N, d) -> (d,)
    """The sum of each column, as a product."""
    return np.ones(len(x), x.dtype) @ x


# ---- softmax ----


def softmax(logits: Array) -> tuple[Array, Kept]:  # (..., Tk)
    weights = healthy.softmax(logits)
    return weights, (weights,)


def softmax_back(gradient: Array, weights: Array) -> tuple[Array]:
    weighed = gradient * weights
    return (weighed - weights * weighed.sum(axis=-1, keepdims=True),)


# ---- multi-head attention ----


def split(x: Array, B: int, h: int) -> Array:  # (B T, d) -> (B, h, T, d / h)
    return x.reshape(B, -1, h, x.shape[-1] // h).swapaxes(1, 2)


def merge(x: Array) -> Array:  # (B, h, T, d / h) -> (B T, d)
    B, h, T, width = x.shape
    return x.swapaxes(1, 2).reshape(B * T, h * width)


def multi_head(
    x: Array,
    source: Array,
    w_query: Array,
    w_key: Array,
    w_value: Array,
    w_out: Array,
    h: int,
    mask: Array | None,
) -> tuple[Array, Kept]:  # (B, Tq, d_model), (B, Tk, d_model) -> (B, Tq, d_model)
    B = len(x)
    asking, asked = rows(x), rows(source)
    query, key, value = (
        split(tokens @ matrix, B, h) for tokens, matrix in ((asking, w_query), (asked, w_key), (asked, w_value))
    )
    heads, weights = healthy.attention(query, key, value, mask)
    merged = merge(heads)
    kept = (asking, asked, query, key, value, weights, merged, w_query, w_key, w_value, w_out)
    return (merged @ w_out).reshape(*x.shape[:-1], -1), kept


def multi_head_back(
    gradient: Array,
    asking: Array,
    asked: Array,
    query: Array,
    key: Array,
    value: Array,
    weights: Array,
    merged: Array,
    w_query: Array,
    w_key: Array,
    w_value: Array,
    w_out: Array,
) -> tuple[Array, ...]:
    B, h, _, d_k = query.shape
    outer = rows(gradient)
    heads = split(outer @ w_out.T, B, h)
    (scores,) = softmax_back(heads @ value.swapaxes(-1, -2), weights)
    scores /= d_k**0.5
    to_query, to_key = merge(scores @ key), merge(scores.swapaxes(-1, -2) @ query)
    to_value = merge(weights.swapaxes(-1, -2) @ heads)
    return (
        (to_query @ w_query.T).reshape(B, -1, asking.shape[-1]),
        (to_key @ w_key.T + to_value @ w_value.T).reshape(B, -1, asked.shape[-1]),
        asking.T @ to_query,
        asked.T @ to_key,
        asked.T @ to_value,
        merged.T @ outer,
    )


# ---- norm and feed-forward ----


def layer_norm(x: Array, gain: Array, bias: Array, eps: float) -> tuple[Array, Kept]:  # (B, T, d_model)
    flat = rows(x)
    centred = flat - means(flat)
    sharpness = (means(centred**2) + eps) ** -0.5
    normal = centred * sharpness
    return (normal * gain + bias).reshape(x.shape), (normal, sharpness, gain)


def layer_norm_back(gradient: Array, normal: Array, sharpness: Array, gain: Array) -> tuple[Array, ...]:
    outer = rows(gradient)
    inner = outer * gain
    change = (inner - means(inner) - normal * means(inner * normal)) * sharpness
    return change.reshape(gradient.shape), totals(outer * normal), totals(outer)


def feed_forward(x: Array, w_in: Array, b_in: Array, w_out: Array, b_out: Array) -> tuple[Array, Kept]:
    flat = rows(x)  # (B, T, d_model) -> (B, T, d_model)
    hidden = np.maximum(flat @ w_in + b_in, 0)
    return (hidden @ w_out + b_out).reshape(*x.shape[:-1], -1), (flat, hidden, w_in, w_out)


def feed_forward_back(gradient: Array, flat: Array, hidden: Array, w_in: Array, w_out: Array) -> tuple[Array, ...]:
    outer = rows(gradient)
    inner = outer @ w_out.T * (hidden > 0)
    change = (inner @ w_in.T).reshape(*gradient.shape[:-1], -1)
    return change, flat.T @ inner, totals(inner), hidden.T @ outer, totals(outer)


# ---- ids in, loss out ----


@cache
def positions(T: int, d_model: int) -> Array:
    """The sinusoids of the healthy model: the same at every step."""
    return np.asarray(healthy.sinusoidal_positions(T, d_model))


def picked(ids: Array, V: int, dtype: Any) -> Array:  # (B, T) -> (B T, V)
    """A one at each token's id. As a product with it, a sum by ids is much faster than NumPy's add.at."""
    return np.eye(V, dtype=dtype)[ids.reshape(-1)]


def look_up(table: Array, ids: Array) -> tuple[Array, Kept]:  # (V, d_model), (B, T) -> (B, T, d_model)
    return table[ids], (picked(ids, len(table), table.dtype),)


def look_up_back(gradient: Array, chosen: Array) -> tuple[Array]:
    return (chosen.T @ rows(gradient),)


def embed(table: Array, ids: Array) -> tuple[Array, Kept]:  # (V, d_model), (B, T) -> (B, T, d_model)
    tokens, kept = look_up(table, ids)
    d_model = table.shape[-1]
    return tokens * d_model**0.5 + positions(ids.shape[-1], d_model).astype(table.dtype), kept


def embed_back(gradient: Array, chosen: Array) -> tuple[Array]:
    return (look_up_back(gradient, chosen)[0] * gradient.shape[-1] ** 0.5,)


def cross_entropy(logits: Array, labels: Array, pad: int) -> tuple[Array, Kept]:  # (B, T, V), (B, T) -> ()
    flat, wanted = rows(logits), labels.reshape(-1)
    shifted = flat - flat.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    sums = exponentials.sum(axis=-1)
    real = (wanted != pad).astype(flat.dtype)
    share = real / real.sum()
    each = np.log(sums) - shifted[np.arange(len(flat)), wanted]
    return (each * share).sum(), (exponentials / sums[:, np.newaxis], wanted, share, logits.shape)


def cross_entropy_back(
    gradient: Array, guesses: Array, wanted: Array, share: Array, shape: tuple[int, ...]
) -> tuple[Array]:
    change = guesses.copy()
    change[np.arange(len(change)), wanted] -= 1
    return ((change * (share * gradient)[:, np.newaxis]).reshape(shape),)


# ---- in place of the model's functions ----

SOFTMAX = differentiable(softmax, softmax_back)
MULTI_HEAD = differentiable(multi_head, multi_head_back)
LAYER_NORM = differentiable(layer_norm, layer_norm_back)
FEED_FORWARD = differentiable(feed_forward, feed_forward_back)
LOOK_UP = differentiable(look_up, look_up_back)
EMBED = differentiable(embed, embed_back)
CROSS_ENTROPY = differentiable(cross_entropy, cross_entropy_back)


def fused_softmax(_: Model) -> Function:
    return SOFTMAX


def fused_multi_head(model: Model) -> Function:
    line_by_line = model.multi_head

    def multi_head(
        x: Any, source: Any, w_query: Any, w_key: Any, w_value: Any, w_out: Any, h: int, mask: Any = None
    ) -> Any:
        usual = x.ndim == source.ndim == 3 and len(x) == len(source)
        if usual and all(matrix.ndim == 2 and matrix.shape[-1] % h == 0 for matrix in (w_query, w_key, w_value)):
            return MULTI_HEAD(x, source, w_query, w_key, w_value, w_out, h, mask)
        return line_by_line(x, source, w_query, w_key, w_value, w_out, h, mask)

    return multi_head


def fused_layer_norm(model: Model) -> Function:
    line_by_line = model.layer_norm

    def layer_norm(x: Any, gain: Any, bias: Any, eps: float = NORM_EPS) -> Any:
        usual = x.ndim > 1 and gain.shape == bias.shape == x.shape[-1:]
        return (LAYER_NORM if usual else line_by_line)(x, gain, bias, eps)

    return layer_norm


def fused_feed_forward(model: Model) -> Function:
    line_by_line = model.feed_forward

    def feed_forward(x: Any, w_in: Any, b_in: Any, w_out: Any, b_out: Any) -> Any:
        usual = x.ndim > 1 and b_in.shape == w_in.shape[-1:] and b_out.shape == w_out.shape[-1:]
        return (FEED_FORWARD if usual else line_by_line)(x, w_in, b_in, w_out, b_out)

    return feed_forward


def fused_embed(_: Model) -> Function:
    return lambda ids, table: EMBED(table, ids)


def fused_decoder_only(model: Model) -> Function:
    def decoder_only(ids: Array, weights: Any, h: int) -> Any:
        T = ids.shape[-1]
        x = LOOK_UP(weights["embedding"], ids) + weights["positions"][:T]
        for layer in weights["blocks"]:
            x = model.pre_norm_block(x, layer, h, model.causal_mask(T))
        return x @ weights["embedding"].T

    return decoder_only


def fused_cross_entropy(_: Model) -> Function:
    return lambda logits, labels, pad=0: CROSS_ENTROPY(logits, labels, pad)


FUSED: dict[str, Callable[[Model], Function]] = {
    "softmax": fused_softmax,
    "multi_head": fused_multi_head,
    "layer_norm": fused_layer_norm,
    "feed_forward": fused_feed_forward,
    "embed": fused_embed,
    "decoder_only": fused_decoder_only,
    "cross_entropy": fused_cross_entropy,
}
