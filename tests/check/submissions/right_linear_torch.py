import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Batch-first, with biases and a mask in which True means: look here."""

    def __init__(self, embed_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.query_proj = nn.Linear(embed_dim, embed_dim)
        self.key_proj = nn.Linear(embed_dim, embed_dim)
        self.value_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def _split(self, x):
        b, t, _ = x.shape
        return x.reshape(b, t, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = self._split(self.query_proj(query)), self._split(self.key_proj(key)), self._split(self.value_proj(value))
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.head_dim**-0.5
        if attn_mask is not None:
            energy = energy.masked_fill(~attn_mask, float("-inf"))
        weights = torch.softmax(energy, dim=-1)
        context = torch.einsum("bhqk,bhkd->bqhd", weights, v).flatten(2)
        return self.out_proj(context), weights
