import numpy as np


def causal(n):
    return np.triu(np.full((n, n), float("-inf")), k=1)


def attention(q, k, v, bias):
    """bias is added to the logits: 0 to see, -inf to hide (GPT in 60 lines style)."""
    a = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + bias
    e = np.exp(a - np.max(a, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True) @ v


def generate_square_subsequent_mask(sz):
    m = np.zeros((sz, sz))
    m[np.triu_indices(sz, 1)] = -np.inf
    return m
