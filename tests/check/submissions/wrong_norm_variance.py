import numpy as np

def layernorm(x, g, b, eps=1e-5):
    m = np.mean(x, axis=-1, keepdims=True)
    v = np.var(x, axis=-1, keepdims=True)
    return g * (x - m) / (v + eps) + b
