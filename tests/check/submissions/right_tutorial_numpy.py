"""The TensorFlow tutorial, ported to plain NumPy."""
import numpy as np


def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)


def create_padding_mask(seq):
    # 1 marks the padding
    seq = np.equal(seq, 0).astype(np.float32)
    return seq[:, np.newaxis, np.newaxis, :]  # (batch_size, 1, 1, seq_len)


def create_look_ahead_mask(size):
    mask = 1 - np.tril(np.ones((size, size)))
    return mask  # (seq_len, seq_len)


def scaled_dot_product_attention(q, k, v, mask):
    """Calculate the attention weights.

    mask: float tensor broadcastable to (..., seq_len_q, seq_len_k), 1 where attention is not wanted. None allowed.
    """
    matmul_qk = np.matmul(q, np.swapaxes(k, -1, -2))
    dk = np.float64(k.shape[-1])
    scaled_attention_logits = matmul_qk / np.sqrt(dk)
    if mask is not None:
        scaled_attention_logits = scaled_attention_logits + (mask * -1e9)
    attention_weights = softmax(scaled_attention_logits)
    output = np.matmul(attention_weights, v)
    return output, attention_weights
