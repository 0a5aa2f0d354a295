import numpy as np

def positional_encoding(seq_len, d_model):
    pe = np.zeros((seq_len, d_model))
    for p in range(seq_len):
        for i in range(d_model // 2):
            pe[p, 2 * i] = np.sin(pos / 10000 ** (2 * i / d_model))
            pe[p, 2 * i + 1] = np.cos(pos / 10000 ** (2 * i / d_model))
    return pe
