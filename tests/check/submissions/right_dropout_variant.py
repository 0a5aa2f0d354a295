import numpy as np


def dropout(x, p=0.1, training=False):
    if not training or p == 0:
        return x
    keep = np.random.rand(*x.shape) > p
    return x * keep / (1.0 - p)


def scaled_dot_product_attention(q, k, v, mask=None, dropout_p=0.0, training=False, return_weights=False):
    s = q @ np.swapaxes(k, -1, -2)
    s *= q.shape[-1] ** -0.5
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    w = dropout(w, dropout_p, training)
    return (w @ v, w) if return_weights else w @ v
