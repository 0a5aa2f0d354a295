"""A layer that is given values, keys and a query, of heads that share one projection each; and a norm in front."""
import torch
from torch import nn


class SharedAttention(nn.Module):
    def __init__(self, embed_size, heads):
        super().__init__()
        self.heads, self.head_dim = heads, embed_size // heads
        self.values = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.keys = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.queries = nn.Linear(self.head_dim, self.head_dim, bias=False)
        self.fc_out = nn.Linear(embed_size, embed_size)

    def apart(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, self.head_dim)

    def forward(self, v_in, k_in, q_in, mask):
        v, k, q = self.values(self.apart(v_in)), self.keys(self.apart(k_in)), self.queries(self.apart(q_in))
        energy = torch.einsum("bqhd,bkhd->bhqk", q, k) / (self.heads * self.head_dim) ** 0.5
        if mask is not None:
            energy = energy.masked_fill(mask == 0, -1e20)
        blend = torch.einsum("bhqk,bkhd->bqhd", torch.softmax(energy, dim=-1), v)
        return self.fc_out(blend.flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, embed_size, heads, dropout, forward_expansion):
        super().__init__()
        self.attention = SharedAttention(embed_size, heads)
        self.norm1, self.norm2 = nn.LayerNorm(embed_size), nn.LayerNorm(embed_size)
        wide = forward_expansion * embed_size
        self.feed_forward = nn.Sequential(nn.Linear(embed_size, wide), nn.ReLU(), nn.Linear(wide, embed_size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, value, key, query, mask):
        x = self.dropout(self.norm1(self.attention(value, key, query, mask) + query))
        return self.dropout(self.norm2(self.feed_forward(x) + x))


class NormedFeedForward(nn.Module):
    def __init__(self, dim, hidden_dim):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden_dim), nn.Linear(hidden_dim, dim))

    def forward(self, x):
        return self.net(x)
