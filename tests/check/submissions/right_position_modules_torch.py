"""Positions as modules: added to tokens of (B, T, d), to tokens of (T, B, d), and handed out for ids."""
import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        table = torch.zeros(max_len, d_model)
        place = torch.arange(max_len).unsqueeze(1)
        speed = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        table[:, 0::2] = torch.sin(place * speed)
        table[:, 1::2] = torch.cos(place * speed)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.table[:, : x.size(1)])


class TimeFirstPositionalEncoding(PositionalEncoding):
    def forward(self, x):
        return self.dropout(x + self.table.transpose(0, 1)[: x.size(0)])


class PositionalEmbedding(nn.Module):
    def __init__(self, d_model, max_len, device):
        super().__init__()
        self.places = PositionalEncoding(d_model, 0.0, max_len).table[0].to(device)

    def forward(self, ids):
        return self.places[: ids.size(1), :]
