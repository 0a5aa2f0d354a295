"""Functional style: parameters travel in a dict."""
import numpy as np


def init_params(rng, d_model):
    return {name: rng.normal(size=(d_model, d_model)) * d_model**-0.5 for name in ("wq", "wk", "wv", "wo")}


def softmax(logits):
    unnormalized = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return unnormalized / unnormalized.sum(axis=-1, keepdims=True)


def dot_product_attention(q, k, v, mask=None):
    weights = np.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        weights = np.where(mask, weights, -1e30)
    return np.einsum("...qk,...kd->...qd", softmax(weights), v)


def mha(params, x, n_heads):
    def heads(name):
        y = x @ params[name]
        return y.reshape(*y.shape[:-1], n_heads, -1).swapaxes(-2, -3)

    out = dot_product_attention(heads("wq"), heads("wk"), heads("wv"))
    out = out.swapaxes(-2, -3).reshape(x.shape)
    return out @ params["wo"]
