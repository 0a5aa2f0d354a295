import numpy as np
import math

def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size(-1)
    attn = np.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        attn = attn.masked_fill(mask == 0, -1e9)
    return np.matmul(softmax(attn), v)
