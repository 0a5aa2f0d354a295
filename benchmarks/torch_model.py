"""The encoder–decoder in eager PyTorch, as one writes it, over the same weights: what training is compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from attention_lab.train.networks import Batch
from attention_lab.train.tree import Array, rebuild, weight_leaves
from attention_lab.transformer import sinusoidal_positions
from attention_lab.weights import Weights


def split(x: Tensor, h: int) -> Tensor:
    B, T, d_model = x.shape
    return x.view(B, T, h, d_model // h).transpose(1, 2)


def multi_head(
    x: Tensor, source: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor, w_out: Tensor, h: int, mask: Tensor
) -> Tensor:
    query, key, value = split(x @ w_query, h), split(source @ w_key, h), split(source @ w_value, h)
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    heads = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1) @ value
    return heads.transpose(1, 2).reshape(x.shape) @ w_out


def norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], gain, bias)


def feed_forward(x: Tensor, w_in: Tensor, b_in: Tensor, w_out: Tensor, b_out: Tensor) -> Tensor:
    return torch.relu(x @ w_in + b_in) @ w_out + b_out


class TorchModel:
    """Weights, Adam, and one step on a batch."""

    def __init__(self, weights: Weights, h: int, T: int, rate: float) -> None:
        self.parameters = [torch.from_numpy(array.copy()).requires_grad_() for _, array in weight_leaves(weights)]
        self.weights: Any = rebuild(weights, iter(self.parameters))
        self.adam = torch.optim.Adam(self.parameters, lr=rate, betas=(0.9, 0.98), eps=1e-9)
        d_model = weights["embedding"].shape[-1]
        self.h, self.positions = h, torch.from_numpy(sinusoidal_positions(T, d_model).astype(np.float32))
        self.causal = torch.tril(torch.ones(T, T, dtype=torch.bool))

    def embed(self, ids: Tensor) -> Tensor:
        table = self.weights["embedding"]
        return F.embedding(ids, table) * table.shape[-1] ** 0.5 + self.positions

    def logits(self, source: Tensor, target: Tensor) -> Tensor:
        padding = (source != 0)[:, None, None, :]
        memory = self.embed(source)
        for layer in self.weights["encoder"]:
            change = multi_head(memory, memory, **layer["attention"], h=self.h, mask=padding)
            memory = norm(memory + change, **layer["norm_1"])
            memory = norm(memory + feed_forward(memory, **layer["feed_forward"]), **layer["norm_2"])
        x = self.embed(target)
        seen = self.causal & (target != 0)[:, None, None, :]
        for layer in self.weights["decoder"]:
            x = norm(x + multi_head(x, x, **layer["attention"], h=self.h, mask=seen), **layer["norm_1"])
            change = multi_head(x, memory, **layer["cross_attention"], h=self.h, mask=padding)
            x = norm(x + change, **layer["norm_2"])
            x = norm(x + feed_forward(x, **layer["feed_forward"]), **layer["norm_3"])
        return x @ self.weights["embedding"].T

    def loss(self, batch: Batch) -> Tensor:
        source, target = torch.from_numpy(batch.source), torch.from_numpy(batch.target)
        logits = self.logits(source, target[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0)

    def gradient(self, batch: Batch) -> Array:
        self.adam.zero_grad()
        self.loss(batch).backward()
        return np.concatenate([parameter.grad.numpy().ravel() for parameter in self.parameters])

    def step(self, batch: Batch) -> None:
        self.adam.zero_grad()
        self.loss(batch).backward()
        self.adam.step()
