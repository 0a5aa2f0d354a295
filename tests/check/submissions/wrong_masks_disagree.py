"""Each function is fine alone; together they hide the wrong half."""
import numpy as np


def causal_mask(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)  # True: hidden


def attention(q, k, v, mask):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = np.where(mask, s, -np.inf)  # True: seen
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def decoder(x):
    return attention(x, x, x, causal_mask(x.shape[-2]))
