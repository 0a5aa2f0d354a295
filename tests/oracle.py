"""The model once more, one number at a time: lists, loops and math, and not a line in common with the model.

Slow and dull on purpose. Matrices are lists of rows; a batch or a head is one call of these.
"""

from __future__ import annotations

import math

Matrix = list[list[float]]
INF = math.inf


def softmax(row: list[float]) -> list[float]:
    highest = max(row)
    exponentials = [math.exp(x - highest) for x in row]
    return [e / sum(exponentials) for e in exponentials]


def product(a: Matrix, b: Matrix) -> Matrix:
    out = []
    for i in range(len(a)):
        row = []
        for j in range(len(b[0])):
            total = 0.0
            for k in range(len(b)):
                total += a[i][k] * b[k][j]
            row.append(total)
        out.append(row)
    return out


def attention(query: Matrix, key: Matrix, value: Matrix, mask: list[list[bool]] | None = None) -> tuple[Matrix, Matrix]:
    weights = []
    for i, q in enumerate(query):
        scores = []
        for j, k in enumerate(key):
            dot = sum(q[c] * k[c] for c in range(len(q)))
            scores.append(dot / math.sqrt(len(q)) if mask is None or mask[i][j] else -INF)
        weights.append(softmax(scores))
    return product(weights, value), weights


def causal_mask(Tq: int, Tk: int) -> list[list[bool]]:
    return [[j - i <= Tk - Tq for j in range(Tk)] for i in range(Tq)]


def positions(T: int, d_model: int) -> Matrix:
    out = []
    for pos in range(T):
        row = []
        for i in range(d_model):
            angle = pos / 10000 ** (2 * (i // 2) / d_model)
            row.append(math.cos(angle) if i % 2 else math.sin(angle))
        out.append(row)
    return out


def rope(x: Matrix, where: list[int]) -> Matrix:
    out = []
    for row, pos in zip(x, where, strict=True):
        turned = []
        for i in range(0, len(row), 2):
            angle = pos * 10000 ** (-i / len(row))
            z = complex(row[i], row[i + 1]) * complex(math.cos(angle), math.sin(angle))
            turned += [z.real, z.imag]
        out.append(turned)
    return out


def columns(x: Matrix, start: int, stop: int) -> Matrix:
    return [row[start:stop] for row in x]


def multi_head(x: Matrix, source: Matrix, weights: dict[str, Matrix], h: int, mask: list[list[bool]] | None) -> Matrix:
    query, key = product(x, weights["w_query"]), product(source, weights["w_key"])
    value = product(source, weights["w_value"])
    width = len(query[0]) // h
    joined: Matrix = [[] for _ in x]
    for head in range(h):
        cut = (head * width, (head + 1) * width)
        out, _ = attention(columns(query, *cut), columns(key, *cut), columns(value, *cut), mask)
        for row, piece in zip(joined, out, strict=True):
            row += piece
    return product(joined, weights["w_out"])


def layer_norm(x: Matrix, gain: list[float], bias: list[float], eps: float = 1e-5) -> Matrix:
    out = []
    for row in x:
        mean = sum(row) / len(row)
        variance = sum((value - mean) ** 2 for value in row) / len(row)
        out.append([(v - mean) / math.sqrt(variance + eps) * g + b for v, g, b in zip(row, gain, bias, strict=True)])
    return out


def feed_forward(x: Matrix, w_in: Matrix, b_in: list[float], w_out: Matrix, b_out: list[float]) -> Matrix:
    hidden = [[max(0.0, value + b) for value, b in zip(row, b_in, strict=True)] for row in product(x, w_in)]
    return [[value + b for value, b in zip(row, b_out, strict=True)] for row in product(hidden, w_out)]


def plus(a: Matrix, b: Matrix) -> Matrix:
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def encoder_layer(x: Matrix, layer: dict, h: int, mask: list[list[bool]] | None) -> Matrix:
    x = layer_norm(plus(x, multi_head(x, x, layer["attention"], h, mask)), **layer["norm_1"])
    return layer_norm(plus(x, feed_forward(x, **layer["feed_forward"])), **layer["norm_2"])


def decoder_layer(x: Matrix, memory: Matrix, layer: dict, h: int, mask, memory_mask) -> Matrix:
    x = layer_norm(plus(x, multi_head(x, x, layer["attention"], h, mask)), **layer["norm_1"])
    x = layer_norm(plus(x, multi_head(x, memory, layer["cross_attention"], h, memory_mask)), **layer["norm_2"])
    return layer_norm(plus(x, feed_forward(x, **layer["feed_forward"])), **layer["norm_3"])


def pre_norm_block(x: Matrix, layer: dict, h: int, mask) -> Matrix:
    normed = layer_norm(x, **layer["norm_1"])
    x = plus(x, multi_head(normed, normed, layer["attention"], h, mask))
    return plus(x, feed_forward(layer_norm(x, **layer["norm_2"]), **layer["feed_forward"]))


def embed(ids: list[int], table: Matrix) -> Matrix:
    d_model = len(table[0])
    rows = [[value * math.sqrt(d_model) for value in table[i]] for i in ids]
    return plus(rows, positions(len(ids), d_model))


def logits(x: Matrix, table: Matrix) -> Matrix:
    return [[sum(a * b for a, b in zip(row, word, strict=True)) for word in table] for row in x]


def cross_entropy(batch: list[Matrix], labels: list[list[int]], pad: int = 0) -> float:
    losses = []
    for rows, wanted in zip(batch, labels, strict=True):
        for row, label in zip(rows, wanted, strict=True):
            if label != pad:
                highest = max(row)
                losses.append(highest + math.log(sum(math.exp(x - highest) for x in row)) - row[label])
    return sum(losses) / len(losses)


def encoder_decoder(source: list[int], target: list[int], weights: dict, h: int, pad: int = 0) -> Matrix:
    real = [i != pad for i in source]
    memory = embed(source, weights["embedding"])
    for layer in weights["encoder"]:
        memory = encoder_layer(memory, layer, h, [real] * len(source))
    x = embed(target, weights["embedding"])
    T = len(target)
    mask = [[j <= i and target[j] != pad for j in range(T)] for i in range(T)]
    for layer in weights["decoder"]:
        x = decoder_layer(x, memory, layer, h, mask, [real] * T)
    return logits(x, weights["embedding"])


def decoder_only(ids: list[int], weights: dict, h: int) -> Matrix:
    T = len(ids)
    x = [
        [a + b for a, b in zip(weights["embedding"][i], weights["positions"][t], strict=True)]
        for t, i in enumerate(ids)
    ]
    for layer in weights["blocks"]:
        x = pre_norm_block(x, layer, h, causal_mask(T, T))
    return logits(x, weights["embedding"])
