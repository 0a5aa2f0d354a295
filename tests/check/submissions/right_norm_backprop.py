"""Layer norm for a course on backpropagation: forward, backward, gradients kept."""
import numpy as np


class LayerNorm:
    def __init__(self, dim, eps=1e-5):
        self.gamma = np.ones(dim)
        self.beta = np.zeros(dim)
        self.eps = eps
        self.cache = None

    def forward(self, x):
        mu = np.mean(x, axis=-1, keepdims=True)
        xmu = x - mu
        var = np.mean(xmu**2, axis=-1, keepdims=True)
        ivar = 1.0 / np.sqrt(var + self.eps)
        xhat = xmu * ivar
        self.cache = (xhat, ivar)
        return self.gamma * xhat + self.beta

    def backward(self, dout):
        xhat, ivar = self.cache
        D = xhat.shape[-1]
        self.dgamma = np.sum(dout * xhat, axis=tuple(range(dout.ndim - 1)))
        self.dbeta = np.sum(dout, axis=tuple(range(dout.ndim - 1)))
        dx = dout * self.gamma
        return ivar * (dx - dx.mean(-1, keepdims=True) - xhat * (dx * xhat).mean(-1, keepdims=True))
