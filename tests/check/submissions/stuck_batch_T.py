import numpy as np

def attention(Q, K, V):
    B, T, D = K.shape
    scores = Q @ K.T / np.sqrt(D)
    w = np.exp(scores - scores.max(-1, keepdims=True))
    return (w / w.sum(-1, keepdims=True)) @ V
