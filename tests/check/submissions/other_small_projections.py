import numpy as np
class SelfAttention:
    def __init__(self, embed_size, heads):
        self.embed_size, self.heads = embed_size, heads
        self.head_dim = embed_size // heads
        self.values = np.random.randn(self.head_dim, self.head_dim)
        self.keys = np.random.randn(self.head_dim, self.head_dim)
        self.queries = np.random.randn(self.head_dim, self.head_dim)
        self.fc_out = np.random.randn(heads*self.head_dim, embed_size)
    def forward(self, values, keys, query, mask):
        N = query.shape[0]
        vl, kl, ql = values.shape[1], keys.shape[1], query.shape[1]
        v = values.reshape(N, vl, self.heads, self.head_dim) @ self.values
        k = keys.reshape(N, kl, self.heads, self.head_dim) @ self.keys
        q = query.reshape(N, ql, self.heads, self.head_dim) @ self.queries
        e = np.einsum("nqhd,nkhd->nhqk", q, k)
        if mask is not None: e = np.where(mask == 0, -1e20, e)
        e = e / self.embed_size**0.5
        e = np.exp(e - e.max(-1, keepdims=True)); a = e / e.sum(-1, keepdims=True)
        return np.einsum("nhql,nlhd->nqhd", a, v).reshape(N, ql, self.heads*self.head_dim) @ self.fc_out
