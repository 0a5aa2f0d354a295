import numpy as np


def time_major_attention(q, k, v):
    """Sequence first, as recurrent code has it: q (Tq, B, d), k (Tk, B, d), v (Tk, B, dv)."""
    logits = np.einsum("qbd,kbd->bqk", q, k) / np.sqrt(q.shape[-1])
    logits -= logits.max(-1, keepdims=True)
    p = np.exp(logits)
    p = p / p.sum(-1, keepdims=True)
    return np.einsum("bqk,kbd->qbd", p, v)
