import numpy as np

def get_attention(Q, K, V):
    n, d = K.shape
    S = Q @ K.reshape(d, n) / np.sqrt(d)
    S = np.exp(S - S.max(axis=1, keepdims=True))
    A = S / S.sum(axis=1, keepdims=True)
    return A @ V
