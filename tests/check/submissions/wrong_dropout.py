import numpy as np

def dropout(x, rate, training=True):
    if training:
        m = np.random.binomial(1, 1 - rate, size=x.shape)
        return x * m
    return x
