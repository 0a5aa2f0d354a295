"""How long a class takes on two cores, against checking its files one after the other: whole processes."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from side_by_side import Finding, report

COMMAND = Path(sys.executable).with_name("attn-lab")
FILES, CHECKED = 100, 20  # how many are graded, and how many of them are also checked alone
TARGET = 0.6  # of the sum of the single checks
SPELLINGS = (  # honest ones: each is all right
    """
import numpy as np

def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

def attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ v, weights

def causal_mask(n):
    return np.tril(np.ones((n, n), bool))
""",
    """
import numpy as np

def softmax(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    return np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)

def scaled_dot_product_attention(query, key, value, mask=None):
    scores = np.einsum("...qd,...kd->...qk", query * query.shape[-1] ** -0.5, key)
    if mask is not None:
        scores = scores + np.where(mask, 0.0, -1e30)
    return np.einsum("...qk,...kd->...qd", softmax(scores), value)

def causal_mask(size):
    return np.arange(size)[:, None] >= np.arange(size)
""",
)


def seconds(*words: str | Path) -> float:
    start = time.perf_counter()
    subprocess.run([COMMAND, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def share(folder: Path) -> float:
    """The time for the class ÷ the sum of the single checks, estimated from every fifth file."""
    for number in range(FILES):
        (folder / f"student{number:03}.py").write_text(SPELLINGS[number % len(SPELLINGS)])
    checked = sorted(folder.iterdir())[:: FILES // CHECKED + 1]
    half = len(checked) // 2
    before = [seconds("check", file) for file in checked[:half]]
    whole = seconds("grade", folder, "--jobs", "2")
    after = [seconds("check", file) for file in checked[half:]]
    return whole / (FILES * fmean(before + after))


def findings() -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        what = f"attn-lab grade, {FILES} honest files: seconds ÷ those of single checks"
        yield Finding(what, share(Path(folder)), TARGET)


if __name__ == "__main__":
    if not COMMAND.exists():
        sys.exit(f"There is no {COMMAND}: pip install . with this interpreter.")
    sys.exit(report(findings()))
