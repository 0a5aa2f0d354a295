import functools

try:
    import jax.numpy as jnp
except ImportError:
    import numpy as jnp


@functools.lru_cache(maxsize=None)
def tril(n):
    return jnp.tril(jnp.ones((n, n), dtype=bool))


def softmax(x, axis=-1):
    unnormalized = jnp.exp(x - jnp.max(x, axis, keepdims=True))
    return unnormalized / jnp.sum(unnormalized, axis, keepdims=True)


def causal_attention(q, k, v):
    """q, k, v: [B, T, D] arrays."""
    logits = jnp.einsum("btd,bsd->bts", q, k) / jnp.sqrt(q.shape[-1])
    logits = jnp.where(tril(q.shape[1])[None], logits, -1e10)
    return jnp.einsum("bts,bsd->btd", softmax(logits), v)


layer_norm = lambda x, scale, offset: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale + offset
