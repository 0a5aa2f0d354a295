import numpy as np
# lab 2, group 7
def soft(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

def attention(Q, K, V):
    score = np.dot(Q, K.T)
    alpha = soft(score)
    z = np.dot(alpha, V)
    return z, alpha

q = np.array([[1., 0., 1., 0.]]); k = np.array([[1., 1., 0., 0.], [0., 0., 1., 1.]]); v = np.array([[1., 2.], [3., 4.]])
print(attention(q, k, v))
