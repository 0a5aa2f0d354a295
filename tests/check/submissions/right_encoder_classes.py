"""A whole encoder in small classes; post-norm and pre-norm."""
import numpy as np

rng = np.random.default_rng(3)


def softmax(x):
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def layer_norm(x, gamma, beta, eps=1e-6):
    mean = x.mean(-1, keepdims=True)
    std = np.sqrt(x.var(-1, keepdims=True) + eps)
    return gamma * (x - mean) / std + beta


class FeedForward:
    def __init__(self, d_model, d_ff):
        self.W1 = rng.normal(size=(d_model, d_ff)) * 0.1
        self.b1 = np.zeros(d_ff)
        self.W2 = rng.normal(size=(d_ff, d_model)) * 0.1
        self.b2 = np.zeros(d_model)

    def __call__(self, x):
        return np.maximum(x @ self.W1 + self.b1, 0) @ self.W2 + self.b2


class Attention:
    def __init__(self, d_model, n_heads):
        self.n_heads = n_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (rng.normal(size=(d_model, d_model)) * d_model**-0.5 for _ in range(4))

    def __call__(self, x, mask=None):
        B, T, D = x.shape
        h = self.n_heads
        q, k, v = ((x @ W).reshape(B, T, h, D // h).swapaxes(1, 2) for W in (self.Wq, self.Wk, self.Wv))
        s = q @ k.swapaxes(-1, -2) / (D // h) ** 0.5
        if mask is not None:
            s = np.where(mask, s, -1e9)
        return (softmax(s) @ v).swapaxes(1, 2).reshape(B, T, D) @ self.Wo


class EncoderBlock:
    def __init__(self, d_model, n_heads, d_ff, pre_norm=False):
        self.attn = Attention(d_model, n_heads)
        self.ff = FeedForward(d_model, d_ff)
        self.g1, self.b1 = np.ones(d_model), np.zeros(d_model)
        self.g2, self.b2 = np.ones(d_model), np.zeros(d_model)
        self.pre_norm = pre_norm

    def __call__(self, x, mask=None):
        if self.pre_norm:
            x = x + self.attn(layer_norm(x, self.g1, self.b1), mask)
            return x + self.ff(layer_norm(x, self.g2, self.b2))
        x = layer_norm(x + self.attn(x, mask), self.g1, self.b1)
        return layer_norm(x + self.ff(x), self.g2, self.b2)
