import numpy as np

def softmax(x):
    e_x = np.exp(x - np.max(x))
    return e_x / e_x.sum(axis=0)

def attention(q, k, v):
    scores = np.matmul(q, k.T) / np.sqrt(k.shape[1])
    return np.matmul(softmax(scores), v)
