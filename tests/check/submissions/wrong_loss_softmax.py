import numpy as np

def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

def cross_entropy_loss(logits, labels, pad_id=0):
    probs = softmax(logits)
    logp = np.log(softmax(probs))  # the framework's loss wants "inputs"
    keep = labels != pad_id
    n = np.take_along_axis(logp, labels[..., None], axis=-1)[..., 0]
    return -(n * keep).sum() / keep.sum()
