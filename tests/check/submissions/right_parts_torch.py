"""Layers that are given their parts ready made, with the norm in front, and functions that belong to a class only."""
import copy
import math

import torch
import torch.nn as nn

from .masks import padding


class Ops:
    @staticmethod
    def attention(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return scores.softmax(-1) @ v

    @staticmethod
    def causal_mask(size):
        return torch.tril(torch.ones(size, size)).bool()


class MultiHeadAttention(nn.Module):
    def __init__(self, heads, d_model):
        super().__init__()
        self.heads = heads
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])

    def forward(self, q, k, v, mask=None):
        q, k, v = (
            layer(x).view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)
            for layer, x in zip(self.linears, (q, k, v))
        )
        out = Ops.attention(q, k, v, mask)
        return self.linears[3](out.transpose(1, 2).reshape(out.size(0), out.size(2), -1))


class FFN(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.one, self.two = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.two(self.one(x).relu())


class Sublayer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)

    def forward(self, x, change):
        return x + change(self.norm(x))


class DecoderLayer(nn.Module):
    def __init__(self, size, self_attn, src_attn, feed_forward):
        super().__init__()
        self.self_attn, self.src_attn, self.feed_forward = self_attn, src_attn, feed_forward
        self.sublayers = nn.ModuleList([copy.deepcopy(Sublayer(size)) for _ in range(3)])

    def forward(self, x, memory, src_mask, tgt_mask):
        x = self.sublayers[0](x, lambda y: self.self_attn(y, y, y, tgt_mask))
        x = self.sublayers[1](x, lambda y: self.src_attn(y, memory, memory, src_mask))
        return self.sublayers[2](x, self.feed_forward)


def hidden(ids) -> padding:
    return padding(ids)
