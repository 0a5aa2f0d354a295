import numpy as np

def look_ahead_mask(size):
    m = np.zeros((size, size), dtype=bool)
    for i in range(size):
        for j in range(size):
            m[i, j] = j < i
    return m
