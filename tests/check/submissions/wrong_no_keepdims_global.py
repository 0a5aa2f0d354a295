import numpy as np

def softmax(z):
    z = np.exp(z - z.max())
    return z / z.sum(axis=-1)
