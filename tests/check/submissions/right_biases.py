import numpy as np


def multi_head_attention(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, n_head):
    """Projections with biases, all heads by hand."""
    q = x @ Wq + bq
    k = x @ Wk + bk
    v = x @ Wv + bv
    d = q.shape[-1] // n_head
    out = []
    for i in range(n_head):
        part = slice(i * d, (i + 1) * d)
        s = q[..., part] @ np.swapaxes(k[..., part], -1, -2) / np.sqrt(d)
        p = np.exp(s - s.max(-1, keepdims=True))
        p /= p.sum(-1, keepdims=True)
        out.append(p @ v[..., part])
    return np.concatenate(out, axis=-1) @ Wo + bo
