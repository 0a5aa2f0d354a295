"""Bodies written by hand, as one finds them: attention, what is right and looks wrong, weights in all places."""

from __future__ import annotations

BODIES = {
    "einsum": """
def attention(q, k, v, mask=None):
    s = np.einsum('...qd,...kd->...qk', q, k) {scale}
    if mask is not None:
        s = {mask}
    return np.einsum('...qk,...kv->...qv', soft(s), v), soft(s)
""",
    "matmul": """
def scaled_dot_product_attention(queries, keys, values, attn_mask=None):
    d = queries.shape[-1]
    q, k, v, mask = queries, keys, values, attn_mask
    s = np.matmul(q, np.swapaxes(k, -1, -2)) {scale}
    if mask is not None:
        s = {mask}
    w = soft(s)
    return np.matmul(w, v)
""",
    "prescaled": """
def attn(Q, K, V, mask=None):
    q, k, v = Q {scale_query}, K, V
    s = q @ k.swapaxes(-1, -2)
    if mask is not None:
        s = {mask}
    return soft(s) @ v
""",
    "loops": """
def attend(Q, K, V, mask=None):
    T, d = Q.shape
    out = np.zeros((T, V.shape[1]))
    for i in range(T):
        q, k = Q[i : i + 1], K
        s = np.array([[float(np.dot(q[0], k[j])) for j in range(len(k))]]) {scale}
        if mask is not None:
            m, mask_row = mask, mask[i : i + 1]
            s = {mask_row}
        out[i] = soft(s) @ V
    return out
""",
    "class": """
class Attention:
    def __init__(self, dropout=0.1):
        self.p = dropout

    def __call__(self, q, k, v, mask=None):
        s = q @ k.swapaxes(-1, -2) {scale}
        if mask is not None:
            s = {mask}
        self.w = soft(s)
        return self.w @ v, self.w
""",
}

SCALES = {
    "right": "/ np.sqrt(q.shape[-1]).astype(q.dtype)",
    "half power": "* q.shape[-1] ** -0.5",
    "no-scale": "",
    "scale-by-d-k": "/ q.shape[-1]",
    "scale-by-length": "/ k.shape[-2] ** 0.5",
    "scale-multiplied": "* q.shape[-1] ** 0.5",
}

SOFTMAX = {
    "right": "e = np.exp(s - s.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)",
    "softmax-no-shift": "e = np.exp(s); return e / e.sum(-1, keepdims=True)",
    "softmax-one-total": "e = np.exp(s - s.max()); return e / e.sum()",
    "softmax-over-queries": "e = np.exp(s - s.max(-2, keepdims=True)); return e / e.sum(-2, keepdims=True)",
}

MASKS = {
    "right": "np.where(mask, s, -np.inf)",
    "minus 1e9": "np.where(mask, s, -1e9)",
    "added": "s + np.where(mask, 0.0, -1e9)",
    "mask-zero": "np.where(mask, s, 0)",
    "mask-minus-ten": "np.where(mask, s, -10.0)",
    "mask-ignored": "s",
}

HARMLESS = {
    "half of the scale on each": """
def attention(q, k, v):
    r = q.shape[-1] ** 0.25
    return _soft((q / r) @ np.swapaxes(k / r, -1, -2)) @ v
""",
    "masked after softmax, shared out again": """
def attention(q, k, v, mask=None):
    w = _soft(q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5)
    if mask is not None:
        w = w * mask
        w = w / w.sum(-1, keepdims=True)
    return w @ v
""",
    "[sin | cos]": """
def positional_encoding(n, d):
    a = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    return np.concatenate([np.sin(a), np.cos(a)[:, : d // 2]], -1)
""",
    "exp and log": """
def positional_encoding(n, d):
    i = np.arange(d) // 2 * 2
    a = np.arange(n)[:, None] * np.exp(-i * np.log(10000.0) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(a), np.cos(a))
""",
    "from 1": """
def positional_encoding(n, d):
    a = np.arange(1, n + 1)[:, None] / 10000 ** (np.arange(d) // 2 * 2 / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(a), np.cos(a))
""",
    "half-split RoPE": """
def rope(x, positions):
    d = x.shape[-1]
    a = positions[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    a = np.concatenate([a, a], -1)
    one, two = x[..., : d // 2], x[..., d // 2 :]
    turned = np.concatenate([-two, one], -1)
    return (x * np.cos(a) + turned * np.sin(a)).astype(x.dtype)
""",
    "triu(1), True is hidden": """
def causal_mask(n):
    return np.triu(np.ones((n, n), dtype=bool), 1)
""",
    "0 and -inf": """
def causal_mask(n):
    return np.triu(np.full((n, n), -np.inf), 1)
""",
    "a small epsilon": """
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / (e.sum(-1, keepdims=True) + 4e-8)
""",
    "weights first": """
def attention(q, k, v):
    w = _soft(q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5)
    return w, w @ v
""",
    "feature-major": """
def attention(Q, K, V):
    w = _soft(Q.T @ K / len(Q) ** 0.5)
    return V @ w.T
""",
    "reciprocal root": """
def layer_norm(x, gamma, beta, eps=1e-6):
    return (x - x.mean(-1, keepdims=True)) * (x.var(-1, keepdims=True) + eps) ** -0.5 * gamma + beta
""",
    "a single head": """
class SelfAttention:
    def __init__(self, d_model):
        self.d = d_model
        self.W_q = self.W_k = self.W_v = np.eye(d_model)

    def forward(self, x):
        q, k, v = x @ self.W_q, x @ self.W_k, x @ self.W_v
        return _soft(q @ np.swapaxes(k, -1, -2) / self.d ** 0.5) @ v
""",
}

HEADS = """
    heads = []
    for i in range(n):
        s = slice(i * (d // n), (i + 1) * (d // n))
        w = q[..., s] @ np.swapaxes(k[..., s], -1, -2) / {scale} ** 0.5
        e = np.exp(w - w.max(-1, keepdims=True))
        heads.append(e / e.sum(-1, keepdims=True) @ v[..., s])
    return np.concatenate(heads, -1)"""

HOLDING = {
    "arguments": """
def multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads):
    n, d = num_heads, x.shape[-1]
    q, k, v = x @ W_q, x @ W_k, x @ W_v{heads} @ W_o
""",
    "from the left": """
def multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads):
    n, d = num_heads, x.shape[-1]
    q, k, v = x @ W_q.T, x @ W_k.T, x @ W_v.T{heads} @ W_o.T
""",
    "a dictionary": """
def multi_head_attention(x, params, num_heads):
    n, d = num_heads, x.shape[-1]
    q, k, v = x @ params['wq'], x @ params['wk'], x @ params['wv']{heads} @ params['wo']
""",
    "a tuple": """
def multi_head_attention(x, weights, num_heads):
    n, d = num_heads, x.shape[-1]
    a, b, c, o = weights
    q, k, v = x @ a, x @ b, x @ c{heads} @ o
""",
    "names of the file": """
n, d = 1, 8
W_q, W_k, W_v = np.random.randn(3, d, d)
def self_attention(x):
    q, k, v = x @ W_q, x @ W_k, x @ W_v{heads}
""",
    "attributes": """
class MultiHead:
  def __init__(self, d_model, num_heads):
    self.n, self.d = num_heads, d_model
    self.wq, self.wk, self.wv, self.wo = np.random.randn(4, d_model, d_model)
  def forward(self, x):
    n, d = self.n, self.d
    q, k, v = x @ self.wq, x @ self.wk, x @ self.wv{heads} @ self.wo
""",
    "packed": """
class MultiHead:
  def __init__(self, d_model, n_heads):
    self.n, self.d = n_heads, d_model
    self.qkv = np.random.randn(d_model, 3 * d_model)
    self.out_proj = np.random.randn(d_model, d_model)
    self.bias = np.zeros(d_model)
  def __call__(self, x):
    n, d = self.n, self.d
    q, k, v = np.split(x @ self.qkv, 3, axis=-1){heads} @ self.out_proj + self.bias
""",
}
