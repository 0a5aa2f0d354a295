"""GPT-2's feed-forward: GELU, where the paper has ReLU."""
import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def ffn(x, w1, b1, w2, b2):
    return gelu(x @ w1 + b1) @ w2 + b2
