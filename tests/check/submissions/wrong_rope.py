import numpy as np

def apply_rope(x, pos):
    """Rotate pairs (2i, 2i+1)."""
    d = x.shape[-1]
    theta = 10000.0 ** (-2 * np.arange(0, d, 2) / d)
    ang = pos[:, None] * theta
    c, s = np.cos(ang), np.sin(ang)
    out = np.empty_like(x)
    out[..., ::2] = x[..., ::2] * c + x[..., 1::2] * s
    out[..., 1::2] = x[..., ::2] * s - x[..., 1::2] * c
    return out
