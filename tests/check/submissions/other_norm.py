import numpy as np

def layer_norm(x, gamma, beta):
    c = x - np.median(x, axis=-1, keepdims=True)
    return c / np.abs(c).mean(-1, keepdims=True) * gamma + beta
