import jax
import jax.numpy as jnp


@jax.jit
def attention(q, k, v, mask=None):
    s = jnp.einsum("...qd,...kd->...qk", q, k)
    if mask is not None:
        s = jnp.where(mask, s, -1e30)
    w = jax.nn.softmax(s, axis=-1)
    return jnp.einsum("...qk,...kd->...qd", w, v), w


