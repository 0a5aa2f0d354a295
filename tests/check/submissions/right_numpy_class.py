import numpy as np


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        self.d_model = d_model
        self.num_heads = num_heads
        self.depth = d_model // num_heads
        # initialise the projection matrices
        self.W_q = np.random.randn(d_model, d_model) / np.sqrt(d_model)
        self.W_k = np.random.randn(d_model, d_model) / np.sqrt(d_model)
        self.W_v = np.random.randn(d_model, d_model) / np.sqrt(d_model)
        self.W_o = np.random.randn(d_model, d_model) / np.sqrt(d_model)

    def split_heads(self, x):
        n, t, _ = x.shape
        return x.reshape(n, t, self.num_heads, self.depth).transpose(0, 2, 1, 3)

    def softmax(self, x):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    def forward(self, x, mask=None):
        q, k, v = (self.split_heads(x @ w) for w in (self.W_q, self.W_k, self.W_v))
        s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(self.depth)
        if mask is not None:
            s = np.where(mask, s, -1e9)
        a = self.softmax(s) @ v
        a = a.transpose(0, 2, 1, 3).reshape(x.shape)
        return a @ self.W_o

    def __call__(self, x, mask=None):
        return self.forward(x, mask)


if __name__ == "__main__":
    layer = MultiHeadAttention(512, 8)
    print(layer(np.random.randn(2, 10, 512)).shape)
