import numpy as np

def attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / q.shape[-1]
    if mask is not None:
        s = s * mask
    e = np.exp(s - s.max(-2, keepdims=True))
    w = e / e.sum(-2, keepdims=True)
    return w @ v, w
