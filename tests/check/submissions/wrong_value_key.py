import numpy as np

def sdpa(q, k, v):
    a = q @ k.T / np.sqrt(k.shape[-1])
    a = np.exp(a - a.max(-1, keepdims=True))
    a /= a.sum(-1, keepdims=True)
    return a @ k
