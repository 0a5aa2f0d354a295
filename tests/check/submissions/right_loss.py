import numpy as np


def log_softmax(x):
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def cross_entropy(logits, targets, ignore_index=0):
    """Mean negative log likelihood; what is ignored does not count."""
    logp = log_softmax(logits)
    flat = logp.reshape(-1, logp.shape[-1])
    t = targets.reshape(-1)
    keep = t != ignore_index
    picked = flat[np.arange(len(t)), t]
    return -picked[keep].mean()
