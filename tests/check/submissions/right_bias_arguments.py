import numpy as np


def softmax(z):
    z = np.exp(z - z.max(-1, keepdims=True))
    return z / z.sum(-1, keepdims=True)


def multi_head_attention(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, num_heads, mask=None):
    def heads(y):
        return y.reshape(*y.shape[:-1], num_heads, -1).swapaxes(-2, -3)

    q, k, v = heads(x @ Wq + bq), heads(x @ Wk + bk), heads(x @ Wv + bv)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    out = (softmax(scores) @ v).swapaxes(-2, -3)
    return out.reshape(*x.shape) @ Wo + bo
