"""The model's attention against PyTorch on the CPU with two threads, and its tiled attention against both."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

os.environ["OPENBLAS_NUM_THREADS"] = "2"  # read once, when NumPy is imported

import numpy as np
from numpy.typing import NDArray
from side_by_side import Finding, ratio, report

from attention_lab.machine.timing import peak_bytes
from attention_lab.transformer import attention, tiled_attention

try:
    import torch
    from torch.nn.functional import scaled_dot_product_attention
except ImportError:
    sys.exit("This compares with PyTorch on the CPU, which is not installed: pip install torch")

D_K = 64
REPEATS = 25
SLOW_REPEATS = 7  # of what takes seconds


def three_steps(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Matmul, softmax, matmul; the scale goes into the query, where it costs next to nothing."""
    return torch.softmax((query / D_K**0.5) @ key.T, dim=-1) @ value


def same_steps(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """The model's own steps: score, scale, softmax, blend."""
    return torch.softmax(query @ key.T / D_K**0.5, dim=-1) @ value


def drawn(n: int) -> list[NDArray[np.float32]]:
    """Query, key and value, each (n, D_K)."""
    rng = np.random.default_rng(n)
    return [rng.standard_normal((n, D_K), dtype=np.float32) for _ in range(3)]


def untiled_against_torch(n: int, target: float) -> Iterator[Finding]:
    arrays = drawn(n)
    tensors = [torch.from_numpy(array) for array in arrays]
    for name, theirs in (("three steps", three_steps), ("same steps", same_steps)):
        figure = ratio(lambda: attention(*arrays), lambda: theirs(*tensors), REPEATS)  # noqa: B023, used at once
        yield Finding(f"attention, n = {n}: seconds ÷ PyTorch's {name}", figure, target)


def tiled_against_torch(n: int, target: float) -> Finding:
    arrays = drawn(n)
    tensors = [torch.from_numpy(array)[None, None] for array in arrays]  # a batch and a head: else it is not fused
    figure = ratio(lambda: tiled_attention(*arrays), lambda: scaled_dot_product_attention(*tensors), REPEATS)
    return Finding(f"tiled attention, n = {n}: seconds ÷ PyTorch's fused kernel", figure, target)


def tiled_against_untiled(n: int, longer: float, larger: float) -> Iterator[Finding]:
    arrays = drawn(n)
    figure = ratio(lambda: tiled_attention(*arrays), lambda: attention(*arrays), SLOW_REPEATS)
    yield Finding(f"tiled attention, n = {n}: seconds ÷ untiled", figure, longer)
    matrix = n * n * arrays[0].itemsize
    figure = peak_bytes(lambda: tiled_attention(*arrays)) / matrix
    yield Finding(f"tiled attention, n = {n}: peak bytes ÷ the n × n matrix", figure, larger)


def findings() -> Iterator[Finding]:
    for n in (512, 1024, 2048):
        yield from untiled_against_torch(n, 1.8)
    yield from untiled_against_torch(4096, 1.0)
    for n in (2048, 4096, 8192):
        yield tiled_against_torch(n, 2.0)
    yield from tiled_against_untiled(8192, longer=1.1, larger=1 / 20)


if __name__ == "__main__":
    torch.set_num_threads(2)
    sys.exit(report(findings()))
