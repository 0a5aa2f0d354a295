import time

import numpy as np


def timed(work):
    def inner(*args, **kwargs):
        begin = time.perf_counter()
        result = work(*args, **kwargs)
        print(time.perf_counter() - begin)
        return result

    return inner


def _softmax(z, axis=-2):
    z = np.exp(z - z.max(axis=axis, keepdims=True))
    return z / z.sum(axis=axis, keepdims=True)


def softmax(*args, **kwargs):
    return _softmax(*args, **kwargs)


@timed
def attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2)
    if mask is not None:
        s = np.where(mask, s, -1e9)
    return _softmax(s) @ v


@timed
def dot_product_attention(q, k, v):
    return _softmax(q @ np.swapaxes(k, -1, -2)) @ v
