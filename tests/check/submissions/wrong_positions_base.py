import numpy as np

def sinusoidal(seq_len, dim):
    pos = np.arange(seq_len)[:, None]
    freq = np.exp(-np.log(1000.0) * np.arange(0, dim, 2) / dim)
    table = np.empty((seq_len, dim))
    table[:, 0::2] = np.sin(pos * freq)
    table[:, 1::2] = np.cos(pos * freq)[:, : dim // 2]
    return table
