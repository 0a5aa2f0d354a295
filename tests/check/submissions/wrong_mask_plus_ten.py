import numpy as np

def attention(q, k, v, mask):
    """mask: ones where tokens are real"""
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = s + (1.0 - mask) * -10.0
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)) @ v
