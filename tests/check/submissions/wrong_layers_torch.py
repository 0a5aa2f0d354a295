"""Encoder and decoder layers with weights and biases of their own, behind norms with another eps."""
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.glue = nn.Linear(hidden_dim, hidden_dim)

    def apart(self, x):
        return x.view(x.size(0), x.size(1), self.num_heads, -1).transpose(1, 2)

    def forward(self, x, memory, allowed=None):
        q, k, v = self.apart(self.q(x)), self.apart(self.q(memory)), self.apart(self.v(memory))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if allowed is not None:
            scores = scores.masked_fill(allowed == 0, -1e9)
        out = torch.softmax(scores, dim=-1) @ v
        return self.glue(out.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, hidden_dim, inner_dim):
        super().__init__()
        self.wide, self.back = nn.Linear(hidden_dim, inner_dim), nn.Linear(inner_dim, hidden_dim)

    def forward(self, x):
        return self.back(torch.relu(self.wide(x)))


class EncoderLayer(nn.Module):
    def __init__(self, hidden_dim, inner_dim, num_heads, dropout=0.1):
        super().__init__()
        self.attention = Attention(hidden_dim, num_heads)
        self.forth = FeedForward(hidden_dim, inner_dim)
        self.first, self.second = nn.LayerNorm(hidden_dim, eps=1e-12), nn.LayerNorm(hidden_dim, eps=1e-12)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, allowed):
        x = self.first(self.drop(self.attention(x, x, allowed)))
        return self.second(self.drop(self.forth(x)))


class DecoderLayer(nn.Module):
    def __init__(self, hidden_dim, inner_dim, num_heads, dropout=0.1):
        super().__init__()
        self.attention, self.cross = Attention(hidden_dim, num_heads), Attention(hidden_dim, num_heads)
        self.forth = FeedForward(hidden_dim, inner_dim)
        self.norms = nn.ModuleList([nn.LayerNorm(hidden_dim, eps=1e-6) for _ in range(3)])
        self.drop = nn.Dropout(dropout)

    def forward(self, dec, enc, trg_mask, src_mask):
        dec = self.norms[0](dec + self.drop(self.attention(dec, dec, trg_mask)))
        dec = self.norms[1](dec + self.drop(self.cross(dec, enc, src_mask)))
        return self.norms[2](dec + self.drop(self.forth(dec)))
