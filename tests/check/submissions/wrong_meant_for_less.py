"""The same, each with a fault."""

import numpy as np


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def mha(Q, K, V, Wq, Wk, Wv, Wo, heads):
    B, T, D = Q.shape

    def split(m):
        return m.reshape(B, T, heads, D // heads).transpose(0, 2, 1, 3)

    q, k, v = split(Q @ Wq), split(K @ Wk), split(V @ Wv)
    mixed = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(D)) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(B, T, D) @ Wo


def dot_product_attention(q, k, v):
    assert q.shape[-1] == k.shape[-1] == v.shape[-1], "one width for all"
    scores = q @ np.swapaxes(k, -1, -2)
    weights = softmax(scores)
    return scores, weights, weights @ v


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True, ddof=1)


def layer_norm_with_gain(x, gamma, beta):
    return gamma * (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-6) + beta


def cross_entropy(logits, targets):
    return -np.log(softmax(logits)[np.arange(len(targets)), targets] + 1e-15).sum()
