import numpy as np


class MultiHeadAttention:
    def __init__(self, hidden_size, n_heads):
        self.hidden_size, self.n_heads = hidden_size, n_heads
        self.query = np.random.normal(0, 0.02, (hidden_size, hidden_size))
        self.key = np.random.normal(0, 0.02, (hidden_size, hidden_size))
        self.value = np.random.normal(0, 0.02, (hidden_size, hidden_size))
        self.output = np.random.normal(0, 0.02, (hidden_size, hidden_size))

    def forward(self, x):
        b, n, d = x.shape
        dh = d // self.n_heads
        q = (x @ self.query).reshape(b, self.n_heads, n, dh)
        k = (x @ self.key).reshape(b, self.n_heads, n, dh)
        v = (x @ self.value).reshape(b, self.n_heads, n, dh)
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dh)
        p = np.exp(s - s.max(-1, keepdims=True))
        p = p / p.sum(-1, keepdims=True)
        z = (p @ v).transpose(0, 2, 1, 3).reshape(b, n, d)
        return z @ self.output
