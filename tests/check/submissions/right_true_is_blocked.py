import numpy as np


def create_causal_mask(seq_len):
    """True where attention is forbidden."""
    return np.triu(np.ones((seq_len, seq_len)), k=1).astype(bool)


def make_pad_mask(tokens, pad_idx=0):
    return (tokens == pad_idx)[:, None, None, :]


def attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2)
    scores = scores / np.sqrt(K.shape[-1])
    if mask is not None:
        mask = np.broadcast_to(mask, scores.shape)
        scores[mask] = -np.inf
    scores = scores - scores.max(axis=-1, keepdims=True)
    w = np.exp(scores)
    w /= w.sum(axis=-1, keepdims=True)
    return w, w @ V
