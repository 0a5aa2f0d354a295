import numpy as np

def softmax(x):
    return np.exp(x - np.max(x, axis=-1, keepdims=True)) / np.sum(np.exp(x - np.max(x, axis=-1, keepdims=True)), axis=-1, keepdims=True)

def self_attention(X, W_q, W_k, W_v):
    """
    X: (T, d) input embeddings
    returns (output, weights)
    """
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    d_k = Q.shape[-1]
    scores = (Q @ K.T) / np.sqrt(d_k)
    weights = softmax(scores)
    return weights @ V, weights

def masked_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.T / np.sqrt(K.shape[1])
    future = np.triu(np.ones_like(scores), k=1)
    scores = np.where(future == 1, -np.inf, scores)
    return softmax(scores) @ V
