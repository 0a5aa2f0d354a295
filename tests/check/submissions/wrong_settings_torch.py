"""All sizes in one object, of which the file only has the name; the three projections lie head by head in one."""
import torch.nn.functional as F
from torch import nn

from .settings import ModelSettings


class SelfAttention(nn.Module):
    def __init__(self, cfg: ModelSettings):
        super().__init__()
        self.cfg = cfg
        self.qkv_proj = nn.Linear(cfg.width, 3 * cfg.width)
        self.o_proj = nn.Linear(cfg.width, cfg.width)

    def forward(self, x):
        B, T, d = x.shape
        q, k, v = self.qkv_proj(x).view(B, T, self.cfg.n_heads, -1).transpose(1, 2).chunk(3, dim=-1)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.o_proj(y.reshape(B, T, d))


class MLP(nn.Module):
    def __init__(self, cfg: ModelSettings):
        super().__init__()
        self.up = nn.Linear(cfg["width"], cfg["mlp_dim"])
        self.down = nn.Linear(cfg["mlp_dim"], cfg["width"])
        self.drop = nn.Dropout(cfg["drop_rate"])

    def forward(self, x):
        return self.down(self.drop(F.gelu(self.up(x))))


class Block(nn.Module):
    def __init__(self, cfg: ModelSettings):
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(cfg.width), SelfAttention(cfg)
        self.ln_2, self.mlp = nn.LayerNorm(cfg.width), MLP(cfg)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(x)
