"""Sizes in names of the file, one module for each head, feed-forward in nn.Sequential."""
import torch
from torch import nn

embed_dim, n_heads, block_size = 96, 6, 32


class OneHead(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(embed_dim, size, bias=False)
        self.key = nn.Linear(embed_dim, size, bias=False)
        self.value = nn.Linear(embed_dim, size, bias=False)
        self.register_buffer("past", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        T = x.shape[1]
        q, k = self.query(x), self.key(x)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        scores = scores.masked_fill(self.past[:T, :T] == 0, float("-inf"))
        return torch.softmax(scores, dim=-1) @ self.value(x)


class Heads(nn.Module):
    def __init__(self, n_heads, size):
        super().__init__()
        self.heads = nn.ModuleList([OneHead(size) for _ in range(n_heads)])
        self.mix = nn.Linear(n_heads * size, embed_dim)

    def forward(self, x):
        return self.mix(torch.cat([head(x) for head in self.heads], dim=-1))


class Think(nn.Module):
    def __init__(self, embed_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(embed_dim, 4 * embed_dim), nn.ReLU(), nn.Linear(4 * embed_dim, embed_dim))

    def forward(self, x):
        return self.net(x)


class TransformerBlock(nn.Module):
    def __init__(self, embed_dim, n_heads):
        super().__init__()
        self.attend = Heads(n_heads, embed_dim // n_heads)
        self.think = Think(embed_dim)
        self.ln1, self.ln2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.think(self.ln2(x))
