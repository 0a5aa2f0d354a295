"""The transformer of "Attention Is All You Need" (Vaswani et al., 2017), in the order in which one reads it.

T  tokens: Tq of them ask (queries), Tk answer (keys)    B  sequences in a batch    h  heads    V  words known
d_model  width of a token    d_k  width of a query or key    d_v  width of a value    d_ff  width of the hidden layer

Shapes stand on the signature line; any further axes (batch, heads) may stand in front of those shown.
A mask is boolean and True means "may attend". Weights multiply from the right: x @ w.
"""

import numpy as np

# ---- attention: score, scale, mask, normalise, blend (paper, section 3.2.1) ----


def softmax(logits):  # (Tq, Tk) -> (Tq, Tk): every row sums to 1
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def checked(mask):  # (Tq, Tk) -> the same mask, or the reason why no softmax exists under it
    if mask.dtype != bool:
        raise TypeError(f"a mask is boolean, True = may attend; this one holds {mask.dtype}")
    blind = np.argwhere(~mask.any(axis=-1))
    if len(blind) > 0:
        raise ValueError(f"mask row {blind[0].tolist()} may attend to nothing; a softmax over no key does not exist")
    return mask


def attention(query, key, value, mask=None):  # (Tq, d_k), (Tk, d_k), (Tk, d_v), (Tq, Tk) -> (Tq, d_v), (Tq, Tk)
    scores = query @ np.swapaxes(key, -1, -2)  # score: row i, column j is how well query i matches key j
    scores = scores / query.shape[-1] ** 0.5  # scale
    if mask is not None:
        scores = np.where(checked(mask), scores, -np.inf)  # mask
    weights = softmax(scores)  # normalise
    return weights @ value, weights  # blend


# ---- masks: who may attend to whom (paper, section 3.2.3) ----


def causal_mask(Tq, Tk=None):  # -> (Tq, Tk): the last query sees every key, each one before it one key fewer
    Tk = Tq if Tk is None else Tk
    return np.tril(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq)


def padding_mask(ids, pad=0):  # (B, Tk) -> (B, 1, 1, Tk): the same keys are hidden from every head and every query
    return (ids != pad)[:, np.newaxis, np.newaxis, :]


def decoder_mask(ids, pad=0):  # (B, T) -> (B, 1, T, T): neither the future nor the padding
    return causal_mask(ids.shape[-1]) & padding_mask(ids, pad)


# ---- positions: attention alone sees a bag of words (paper, section 3.5) ----


def sinusoidal_positions(T, d_model, base=10000.0):  # -> (T, d_model): sine on even columns, cosine on odd ones
    column = np.arange(d_model)
    angle = np.arange(T)[:, np.newaxis] / base ** (2 * (column // 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def rope(x, positions, base=10000.0):  # (T, d_k), (T,) -> (T, d_k): columns 2i and 2i + 1 turned by an angle
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"rotary positions turn columns in pairs, so d_k must be even; it is {d_k}")
    angle = positions[:, np.newaxis] / base ** (np.arange(0, d_k, 2) / d_k)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


def embed(ids, table):  # (B, T), (V, d_model) -> (B, T, d_model): an id selects a row, its position is added
    d_model = table.shape[-1]
    tokens = table[ids] * d_model**0.5
    return tokens + sinusoidal_positions(ids.shape[-1], d_model).astype(table.dtype)


# ---- heads: the same attention, h times, on slices (paper, section 3.2.2) ----


def split_heads(x, h):  # (T, d_model) -> (h, T, d_model / h)
    *batch, T, d_model = x.shape
    if d_model % h != 0:
        raise ValueError(f"d_model = {d_model} does not divide into {h} heads of one width")
    return np.swapaxes(x.reshape(*batch, T, h, d_model // h), -2, -3)


def merge_heads(x):  # (h, T, d_v) -> (T, h d_v)
    *batch, h, T, d_v = x.shape
    return np.swapaxes(x, -2, -3).reshape(*batch, T, h * d_v)


def multi_head(x, source, w_query, w_key, w_value, w_out, h, mask=None):  # (Tq, d_model), (Tk, d_model) -> as x
    query = split_heads(x @ w_query, h)
    key = split_heads(source @ w_key, h)
    value = split_heads(source @ w_value, h)
    heads, _ = attention(query, key, value, mask)
    return merge_heads(heads) @ w_out


# ---- the rest of the block: norm and feed-forward (paper, sections 3.1 and 3.3) ----


def layer_norm(x, gain, bias, eps=1e-5):  # (T, d_model), (d_model,), (d_model,) -> (T, d_model): token by token
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / (variance + eps) ** 0.5 * gain + bias


def feed_forward(x, w_in, b_in, w_out, b_out):  # (T, d_model) -> (T, d_ff) -> (T, d_model)
    hidden = np.maximum(x @ w_in + b_in, 0)
    return hidden @ w_out + b_out


# ---- tiled attention: the same output, the Tq × Tk matrix never stored (Dao et al., 2022) ----


def attend_in_tiles(query, key, value, width):  # (Tq, d_k), (Tk, d_k), (Tk, d_v) -> (Tq, d_v)
    query = query / query.shape[-1] ** 0.5
    peak, total, output = -np.inf, 0.0, 0.0  # of each row, over the keys seen so far: largest score, sum, blend
    for start in range(0, key.shape[-2], width):
        tile = slice(start, start + width)
        scores = query @ np.swapaxes(key[..., tile, :], -1, -2)
        higher = np.maximum(peak, scores.max(axis=-1, keepdims=True))
        scores -= higher  # in place: fewer tiles at once, so they stay in the cache
        exponentials = np.exp(scores)
        shrink = np.exp(peak - higher)  # what was summed under the old peak, under the new one
        total = total * shrink + exponentials.sum(axis=-1, keepdims=True)
        output = output * shrink + exponentials @ value[..., tile, :]
        peak = higher
    return output / total


def tiled_attention(query, key, value, height=256, width=512):  # (Tq, d_k), (Tk, d_k), (Tk, d_v) -> (Tq, d_v)
    starts = range(0, query.shape[-2], height)
    rows = [attend_in_tiles(query[..., start : start + height, :], key, value, width) for start in starts]
    return np.concatenate(rows, axis=-2)


def dropout(x, rate, rng, training):  # (T, d_model) -> (T, d_model): what is kept is enlarged, so the mean stays
    if not training:
        return x
    kept = rng.random(x.shape) >= rate
    return x * kept.astype(x.dtype) / (1 - rate)


# ---- layers: x + f(x), a sublayer proposes a change to each token ----


def encoder_layer(x, layer, h, mask=None):  # (T, d_model) -> (T, d_model), post-norm as in the paper
    x = layer_norm(x + multi_head(x, x, **layer["attention"], h=h, mask=mask), **layer["norm_1"])
    return layer_norm(x + feed_forward(x, **layer["feed_forward"]), **layer["norm_2"])


def decoder_layer(x, memory, layer, h, mask=None, memory_mask=None):  # (Tq, d_model), (Tk, d_model) -> (Tq, d_model)
    x = layer_norm(x + multi_head(x, x, **layer["attention"], h=h, mask=mask), **layer["norm_1"])
    x = layer_norm(x + multi_head(x, memory, **layer["cross_attention"], h=h, mask=memory_mask), **layer["norm_2"])
    return layer_norm(x + feed_forward(x, **layer["feed_forward"]), **layer["norm_3"])


def pre_norm_block(x, layer, h, mask=None):  # (T, d_model) -> (T, d_model), the norm inside the branch
    normed = layer_norm(x, **layer["norm_1"])
    x = x + multi_head(normed, normed, **layer["attention"], h=h, mask=mask)
    normed = layer_norm(x, **layer["norm_2"])
    return x + feed_forward(normed, **layer["feed_forward"])


# ---- whole networks: ids in, logits over the vocabulary out ----


def encode(source, weights, h, pad=0):  # (B, Tk) -> (B, Tk, d_model)
    x = embed(source, weights["embedding"])
    for layer in weights["encoder"]:
        x = encoder_layer(x, layer, h, padding_mask(source, pad))
    return x


def decode(target, memory, source, weights, h, pad=0):  # (B, Tq), (B, Tk, d_model), (B, Tk) -> (B, Tq, V)
    x = embed(target, weights["embedding"])
    for layer in weights["decoder"]:
        x = decoder_layer(x, memory, layer, h, decoder_mask(target, pad), padding_mask(source, pad))
    return x @ weights["embedding"].T


def encoder_decoder(source, target, weights, h, pad=0):  # (B, Tk), (B, Tq) -> (B, Tq, V)
    return decode(target, encode(source, weights, h, pad), source, weights, h, pad)


def decoder_only(ids, weights, h):  # (B, T) -> (B, T, V): learned positions, pre-norm blocks, the embedding tied
    T = ids.shape[-1]
    x = weights["embedding"][ids] + weights["positions"][:T]
    for layer in weights["blocks"]:
        x = pre_norm_block(x, layer, h, causal_mask(T))
    return x @ weights["embedding"].T


# ---- training: what the next token should have been (paper, section 5) ----


def teacher_forcing(target):  # (B, T + 1) -> (B, T), (B, T): what the decoder reads, and the next token that it owes
    return target[:, :-1], target[:, 1:]


def cross_entropy(logits, labels, pad=0):  # (B, T, V), (B, T) -> () in nats: the mean over labels that are no padding
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probabilities = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    wanted = np.eye(logits.shape[-1], dtype=logits.dtype)[labels]
    real = (labels != pad).astype(logits.dtype)
    return -((log_probabilities * wanted).sum(axis=-1) * real).sum() / real.sum()


# ---- generation: the past (key, value) of a prefix is kept, so each token is projected once ----


def cached_multi_head(x, past, w_query, w_key, w_value, w_out, h):  # (T, d_model), past -> (T, d_model), longer past
    query = split_heads(x @ w_query, h)
    key = np.concatenate([past[0], split_heads(x @ w_key, h)], axis=-2)
    value = np.concatenate([past[1], split_heads(x @ w_value, h)], axis=-2)
    heads, _ = attention(query, key, value, causal_mask(query.shape[-2], key.shape[-2]))
    return merge_heads(heads) @ w_out, (key, value)


def cached_block(x, layer, h, past):  # (T, d_model), past -> (T, d_model), longer past
    change, past = cached_multi_head(layer_norm(x, **layer["norm_1"]), past, **layer["attention"], h=h)
    x = x + change
    return x + feed_forward(layer_norm(x, **layer["norm_2"]), **layer["feed_forward"]), past


def empty_cache(weights, h, B):  # -> for each block the keys and values of no token: (B, h, 0, d_k), twice
    d_model = weights["embedding"].shape[-1]
    nothing = np.zeros((B, h, 0, d_model // h), dtype=weights["embedding"].dtype)
    return [(nothing, nothing) for _ in weights["blocks"]]


def decode_next(ids, weights, h, cache):  # (B, T) new ids -> (B, T, V), the longer cache
    start = cache[0][0].shape[-2]
    x = weights["embedding"][ids] + weights["positions"][start : start + ids.shape[-1]]
    longer = []
    for layer, past in zip(weights["blocks"], cache, strict=True):
        x, past = cached_block(x, layer, h, past)
        longer.append(past)
    return x @ weights["embedding"].T, longer
