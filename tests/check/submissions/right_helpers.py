"""Everything around a model; only softmax is part of one."""
import json
import re

import numpy as np


def load_data(path):
    with open(path) as file:
        return json.load(file)


def tokenize(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


def norm(v):
    """Euclidean length."""
    return np.sqrt((v**2).sum())


def normalize(v):
    return v / norm(v)


def cosine_similarity(a, b):
    return a @ b / (norm(a) * norm(b))


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def linear(x, w, b):
    return x @ w + b


def one_hot(ids, depth):
    return np.eye(depth)[ids]


def accuracy(pred, labels):
    return (pred.argmax(-1) == labels).mean()


def loss(prediction, truth):
    """Mean squared error."""
    return ((prediction - truth) ** 2).mean()


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax_grad(s):
    return np.diagflat(s) - np.outer(s, s)


def split(text, sep=" "):
    return text.split(sep)


def merge(first, second):
    return {**first, **second}


def step(params, grads, lr=0.1):
    return {name: params[name] - lr * grads[name] for name in params}


def rotate(image):
    return np.rot90(image)


def mask_tokens(ids, rng, share=0.15):
    hidden = rng.random(ids.shape) < share
    return np.where(hidden, 103, ids), hidden


def plot_attention(weights, tokens):
    import matplotlib.pyplot as plt

    plt.matshow(weights)
    plt.xticks(range(len(tokens)), tokens)


def block(text, width=70):
    return [text[i : i + width] for i in range(0, len(text), width)]


def pad_sequences(rows, length, value=0):
    return np.array([row[:length] + [value] * (length - len(row)) for row in rows])


def attention_entropy(w):
    return -(w * np.log(w + 1e-12)).sum(-1)


def encode(text, vocab):
    return [vocab[w] for w in text.split()]


def decode(ids, vocab):
    return " ".join(vocab[i] for i in ids)


def shift(xs, n):
    return np.roll(xs, n)
