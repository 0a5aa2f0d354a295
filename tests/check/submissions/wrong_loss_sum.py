import numpy as np

def nll(logits, targets, pad=0):
    z = logits - logits.max(-1, keepdims=True)
    lp = z - np.log(np.exp(z).sum(-1, keepdims=True))
    total = 0.0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad:
                total -= lp[b, t, targets[b, t]]
    return total
