import numpy as np


def attention(q, k, v):
    """q, k, v: (batch, heads, time, depth)"""
    s = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    s = np.exp(s - s.max(axis=1, keepdims=True))
    w = s / s.sum(axis=1, keepdims=True)
    return np.einsum("bhij,bhjd->bhid", w, v)
