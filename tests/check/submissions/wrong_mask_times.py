import numpy as np

def softmax(x):
    ex = np.exp(x - x.max(-1, keepdims=True))
    return ex / ex.sum(-1, keepdims=True)

def masked_attention(query, key, value, mask):
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    scores = scores * mask        # hide the future
    return softmax(scores) @ value
