import numpy as np

def attention(q, k, v):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    w = 1 / (1 + np.exp(-s))
    return w @ v, w
