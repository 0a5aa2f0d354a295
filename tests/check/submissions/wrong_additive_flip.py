import numpy as np

def attention(q, k, v, mask):
    return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v

def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)

def future_mask(n):
    # GPT style: added to the logits. np.triu for np.tril...
    return (1 - np.triu(np.ones((n, n)))) * -1e10
