import numpy as np

def attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) + 1)
    if mask is not None:
        s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
