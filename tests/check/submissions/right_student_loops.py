# Homework 3 - attention by hand
import numpy as np
np.random.seed(42)

dk = 8
X = np.random.rand(5, 16)
Wq = np.random.rand(16, dk); Wk = np.random.rand(16, dk); Wv = np.random.rand(16, dk)
Q = X.dot(Wq)
K = X.dot(Wk)
V = X.dot(Wv)

def softmax(scores):
    # softmax each row
    out = np.zeros_like(scores, dtype=float)
    for i in range(scores.shape[0]):
        row = scores[i]
        e = []
        m = max(row)
        for v in row:
            e.append(np.exp(v - m))
        s = sum(e)
        for j in range(len(e)):
            out[i][j] = e[j] / s
    return out

def attn(Q, K, V):
    dk = K.shape[1]
    scores = np.dot(Q, K.T) / np.sqrt(dk)
    A = softmax(scores)
    return np.dot(A, V), A

out, A = attn(Q, K, V)
print("Attention weights:\n", A.round(3))
print("rows sum to one?", A.sum(axis=1))
assert np.allclose(A.sum(axis=1), 1)
