"""What a class hands in: an honest file, some that are wrong, and what nobody should have to open."""

from __future__ import annotations

from pathlib import Path

HONEST = """
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(query, key, value, mask=None):
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ value, weights


def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=bool))
"""
SHIFT = "x - x.max(axis=-1, keepdims=True)"
DIAGONAL = "np.tril(np.ones((n, n), dtype=bool))"
OVERFLOWS = HONEST.replace(SHIFT, "x")
SEES_AHEAD = HONEST.replace(DIAGONAL, "np.ones((n, n), dtype=bool)")
HANGS = HONEST.replace(DIAGONAL, "[zero for zero in iter(int, 1) if zero]")
DIES = "import os\n" + HONEST.replace(DIAGONAL, "os._exit(0)")
SOFTMAX_ONLY = HONEST.partition("\n\n\ndef attention")[0] + "\n"
PARTS = ("softmax", "attention", "causal_mask")


def hand_in(folder: Path, **texts: str) -> Path:
    """A folder with one file for each of these."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return folder
