"""Attention that makes its mask itself, with three mistakes in the triangle; and norms that no catalogue has."""

import numpy as np


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(np.triu(np.ones(s.shape[-2:], dtype=bool), k=2), -np.inf, s)
    return softmax(s) @ V


def causal_attention(q, k, v):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    n = s.shape[-1]
    i, j = np.triu_indices(n)
    s[..., i, j] = -1e9
    return softmax(s) @ v


def self_attention(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = np.where(np.triu(np.ones(s.shape[-2:])) == 1, s, -np.inf)
    return softmax(s) @ v @ w_o


def masked_attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = s + (1.0 - mask) * -1e-9
    return softmax(s) @ v


def my_layer_norm(x, gamma, beta):
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(np.abs(x).mean(-1, keepdims=True)) + beta
