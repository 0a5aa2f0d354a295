"""Lists and the math module only."""

import math


def softmax(row):
    top = max(row)
    powers = [math.exp(one - top) for one in row]
    return [one / sum(powers) for one in powers]


def layer_norm(rows, eps=1e-5):
    out = []
    for row in rows:
        mean = sum(row) / len(row)
        variance = sum((one - mean) ** 2 for one in row) / (len(row) - 1)
        out.append([(one - mean) / math.sqrt(variance + eps) for one in row])
    return out


def attention(Q, K, V):
    out = []
    for q in Q:
        weights = softmax([sum(a * b for a, b in zip(q, k)) for k in K])
        out.append([sum(w * v[j] for w, v in zip(weights, V)) for j in range(len(V[0]))])
    return out
