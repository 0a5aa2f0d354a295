import jax
import jax.numpy as jnp


@jax.jit
def attention(q, k, v, mask=None):
    s = jnp.einsum("...qd,...kd->...qk", q, k) / jnp.sqrt(q.shape[-1])
    if mask is not None:
        s = jnp.where(mask, s, -1e30)
    w = jax.nn.softmax(s, axis=-1)
    return jnp.einsum("...qk,...kd->...qd", w, v), w


def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(-1, keepdims=True)
    return gamma * (x - mu) * jax.lax.rsqrt(x.var(-1, keepdims=True) + eps) + beta


def ffn(params, x):
    return jax.nn.relu(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]


def multi_head(params, x, n_heads):
    def split(t):
        n, d = t.shape
        return t.reshape(n, n_heads, d // n_heads).transpose(1, 0, 2)

    out, _ = attention(split(x @ params["wq"]), split(x @ params["wk"]), split(x @ params["wv"]))
    return out.transpose(1, 0, 2).reshape(x.shape[0], -1) @ params["wo"]
