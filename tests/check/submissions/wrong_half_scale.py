import numpy as np

def scaled_dot_product(q, k, v, mask=None):
    d_k = q.shape[-1]
    logits = np.matmul(q, np.swapaxes(k, -2, -1))
    logits = logits / d_k
    if mask is not None:
        logits[mask == 0] = -9e15
    logits = np.exp(logits - logits.max(-1, keepdims=True))
    attention = logits / logits.sum(-1, keepdims=True)
    return np.matmul(attention, v), attention
