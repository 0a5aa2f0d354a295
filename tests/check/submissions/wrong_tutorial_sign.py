"""The tutorial again, with the minus sign gone."""
import numpy as np


def create_look_ahead_mask(size):
    return 1 - np.tril(np.ones((size, size)))  # 1: must not be seen


def scaled_dot_product_attention(q, k, v, mask):
    """mask is 1 where attention is not wanted"""
    matmul_qk = np.matmul(q, np.swapaxes(k, -1, -2))
    logits = matmul_qk / np.sqrt(k.shape[-1])
    if mask is not None:
        logits = logits + (mask * 1e9)
    logits = logits - logits.max(axis=-1, keepdims=True)
    attention_weights = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return np.matmul(attention_weights, v), attention_weights
