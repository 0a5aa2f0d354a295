"""Each linear layer is a dictionary that is spread over the arguments of a function."""

import numpy as np


def dense(x, w, b):
    return x @ w + b


def soft(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def mlp(x, c_fc, c_proj):
    h = dense(x, **c_fc)
    return dense(0.5 * h * (1 + np.tanh((2 / np.pi) ** 0.5 * (h + 0.044715 * h**3))), **c_proj)


def self_attention(x, c_attn, c_proj, n_head):
    n = x.shape[0]
    queries, keys, values = (np.split(one, n_head, axis=-1) for one in np.split(dense(x, **c_attn), 3, axis=-1))
    hide = np.triu(np.full((n, n), -1e10), k=1)
    heads = [soft(q @ k.T / q.shape[-1] ** 0.5 + hide) @ v for q, k, v in zip(queries, keys, values)]
    return dense(np.concatenate(heads, axis=-1), **c_proj)
