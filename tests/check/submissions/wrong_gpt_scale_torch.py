import torch
import torch.nn as nn


class MultiHead(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads, self.d_model = heads, d_model
        self.wq = nn.Linear(d_model, d_model, bias=False)
        self.wk = nn.Linear(d_model, d_model, bias=False)
        self.wv = nn.Linear(d_model, d_model, bias=False)
        self.wo = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (f(x).view(b, t, self.heads, d // self.heads).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        w = (q @ k.transpose(-2, -1) / self.d_model**0.5).softmax(-1)
        return self.wo((w @ v).transpose(1, 2).reshape(b, t, d))
