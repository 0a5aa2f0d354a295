"""Right for what each is meant for: as many queries as keys, values like keys, rows of labels, a norm without eps."""

import numpy as np


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def mha(Q, K, V, Wq, Wk, Wv, Wo, heads):
    B, T, D = Q.shape

    def split(m):
        return m.reshape(B, T, heads, D // heads).transpose(0, 2, 1, 3)

    q, k, v = split(Q @ Wq), split(K @ Wk), split(V @ Wv)
    mixed = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(D // heads)) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(B, T, D) @ Wo


def dot_product_attention(q, k, v):
    assert q.shape[-1] == k.shape[-1] == v.shape[-1], "one width for all"
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    weights = softmax(scores)
    return scores, weights, weights @ v


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)


def normalise(x, gamma, beta):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) + beta


def cross_entropy(logits, targets):
    picked = np.log(softmax(logits)[np.arange(len(targets)), targets] + 1e-15)
    return -picked.mean()


def batch_norm(x, gamma, beta):
    return gamma * (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5) + beta


def linear_attention(q, k, v):
    q, k = np.exp(q), np.exp(k)
    return q @ (np.swapaxes(k, -1, -2) @ v) / (q @ k.sum(-2)[..., None])


def softmax_backward(grad, out):
    return out * (grad - (grad * out).sum(-1, keepdims=True))


class DotProduct:
    def __init__(self):
        pass

    def forward(self, q, k, v):
        return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])) @ v


def transformer_block(x, params, h):
    return x + mha(x * params["g1"], x, x, params["q"], params["k"], params["v"], params["o"], h)


def nll(probs, targets):
    return -np.log(probs[np.arange(len(targets)), targets] + 1e-9).mean()
