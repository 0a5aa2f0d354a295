import math
import numpy as np


def subsequent_mask(size):
    "Mask out subsequent positions."
    attn_shape = (1, size, size)
    mask = np.triu(np.ones(attn_shape), k=1).astype("uint8")
    return mask == 0


def attention(query, key, value, mask=None, dropout=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.shape[-1]
    scores = np.matmul(query, key.swapaxes(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = np.where(mask == 0, -1e9, scores)
    p_attn = np.exp(scores - scores.max(-1, keepdims=True))
    p_attn /= p_attn.sum(-1, keepdims=True)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return np.matmul(p_attn, value), p_attn


class LayerNorm:
    "Construct a layernorm module."

    def __init__(self, features, eps=1e-5):
        self.a_2 = np.ones(features)
        self.b_2 = np.zeros(features)
        self.eps = eps

    def __call__(self, x):
        mean = x.mean(-1, keepdims=True)
        var = x.var(-1, keepdims=True)
        return self.a_2 * (x - mean) / np.sqrt(var + self.eps) + self.b_2


class PositionwiseFeedForward:
    "Implements FFN equation."

    def __init__(self, d_model, d_ff, dropout=0.1):
        self.w_1 = np.random.randn(d_model, d_ff) * 0.02
        self.b_1 = np.zeros(d_ff)
        self.w_2 = np.random.randn(d_ff, d_model) * 0.02
        self.b_2 = np.zeros(d_model)
        self.dropout = dropout

    def forward(self, x):
        return np.maximum(0, x @ self.w_1 + self.b_1) @ self.w_2 + self.b_2
