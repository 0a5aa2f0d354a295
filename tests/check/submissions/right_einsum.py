import numpy as np


def _softmax(z):
    z = np.exp(z - z.max(axis=-1, keepdims=True))
    return z / z.sum(axis=-1, keepdims=True)


def attend(Q, K, V, mask=None):
    """(batch, heads, time, depth) everywhere; mask: True keeps."""
    logits = np.einsum("bhqd,bhkd->bhqk", Q, K) / K.shape[-1] ** 0.5
    if mask is not None:
        logits = np.where(mask, logits, np.finfo(logits.dtype).min)
    return np.einsum("bhqk,bhkd->bhqd", _softmax(logits), V)


def multi_head_attention(x, Wq, Wk, Wv, Wo, num_heads):
    """x (batch, time, model), every W (model, model)."""
    B, T, D = x.shape
    heads = [np.einsum("btd,de->bte", x, W).reshape(B, T, num_heads, -1).transpose(0, 2, 1, 3) for W in (Wq, Wk, Wv)]
    mixed = attend(*heads)
    return np.einsum("bhtd->bthd", mixed).reshape(B, T, D) @ Wo
