import numpy as np
def attention(x, Wq, Wk, Wv, mask=None):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    s = q @ k.T
    if mask is not None: s = s + mask
    s = s / np.sqrt(k.shape[-1])
    s = np.exp(s - s.max(axis=1, keepdims=True))
    return (s / s.sum(axis=1, keepdims=True)) @ v
def feed_forward(x, W1, W2): return np.maximum(0, x @ W1) @ W2
def add_and_norm(x, y): z = x + y; return (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5)
def get_pe(L, d):
    return np.array([[np.sin(p/10000**(2*(j//2)/d)) if j%2==0 else np.cos(p/10000**(2*(j//2)/d)) for j in range(d)] for p in range(L)])
def transformer_block(x, Wq, Wk, Wv, W1, W2):
    x = add_and_norm(x, attention(x, Wq, Wk, Wv)); return add_and_norm(x, feed_forward(x, W1, W2))
