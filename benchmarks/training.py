"""A step of training against eager PyTorch with two threads, what is learned at full size, break --train as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command trains

import numpy as np
from side_by_side import Finding, ratio, report

from attention_lab.breaks import BREAKS
from attention_lab.train.adam import adam_step, initial_moments
from attention_lab.train.gradient import trainable, value_and_grad
from attention_lab.train.networks import Batch, NetworkSizes
from attention_lab.train.run import Config, Scores, train_model
from attention_lab.train.tasks import REVERSE
from attention_lab.train.tree import Array, pack_weights
from attention_lab.variants import source
from attention_lab.weights import Weights

try:
    import torch
    from torch_model import TorchModel
except ImportError:
    sys.exit("This compares with PyTorch on the CPU, which is not installed: pip install torch")

REPEATS = 15
STEPS = 10  # in one timed run: a single one is too short for the clock of a busy machine
RATE = 1e-3
COMMAND = Path(sys.executable).with_name("attn-lab")
WIDE = {"sizes": NetworkSizes(d_model=128, heads=1), "steps": 250, "rate": 2e-3}


class OurModel:
    """The healthy model's weights, Adam, and one step on a batch."""

    def __init__(self, weights: Weights, h: int, rate: float) -> None:
        model = trainable(source(), "transformer.py")

        def loss(weights: Weights, batch: Batch) -> Array:
            logits, labels = REVERSE.network.logits(model, weights, batch, h)
            return model.cross_entropy(logits, labels)

        self.value_and_gradient, self.rate = value_and_grad(loss, weights), rate
        self.vector = pack_weights(weights)
        self.moments = initial_moments(self.vector)

    def step(self, batch: Batch) -> None:
        _, gradient = self.value_and_gradient(self.vector, batch)
        self.vector, self.moments = adam_step(self.vector, gradient, self.moments, self.rate)


def against_torch(sizes: NetworkSizes, target: float) -> Iterator[Finding]:
    rng = np.random.default_rng(0)
    weights = REVERSE.network.start(rng, len(REVERSE.vocabulary), sizes)
    drawn = REVERSE.batch(rng, 32, sizes.T)
    batch = Batch(drawn.source, np.ascontiguousarray(drawn.target))
    ours = OurModel(weights, sizes.heads, RATE)
    theirs = TorchModel(weights, sizes.heads, sizes.T, RATE)
    where = f"d {sizes.d_model}, h {sizes.heads}"
    gap = np.abs(ours.value_and_gradient(ours.vector, batch)[1] - theirs.gradient(batch)).max()
    yield Finding(f"gradient, {where}: largest difference from PyTorch's, millionths", 1e6 * float(gap), 10)
    figure = ratio(
        lambda: [ours.step(batch) for _ in range(STEPS)], lambda: [theirs.step(batch) for _ in range(STEPS)], REPEATS
    )
    yield Finding(f"one step of reverse, {where}: seconds ÷ PyTorch", figure, target)


def scores(name: str = "", **settings: object) -> Scores:
    text = source(*next(one.patches for one in BREAKS if one.name == name)) if name else source()
    return train_model(text, f"transformer.py {name}", REVERSE, Config(**{"sizes": NetworkSizes(), **settings})).scores


def learned() -> Iterator[Finding]:
    for seed in range(5):
        yield Finding(f"reverse, healthy, seed {seed}: generated wrong", 1 - scores(seed=seed).generated, 0.03)
    for name in ("mask-flip", "mask-zero"):
        found = scores(name)
        yield Finding(f"{name}: teacher-forced wrong", 1 - found.accuracy, 0.05)
        yield Finding(f"{name}: generated right", found.generated, 0.5)
    yield Finding("no-position: generated right", scores("no-position").generated, 0.4)
    yield Finding("one head of 128, healthy: generated wrong", 1 - scores(**WIDE).generated, 0.03)
    yield Finding("one head of 128, no-scale: generated right", scores("no-scale", **WIDE).generated, 0.4)


def processor_seconds() -> float:
    """Of all processes that this one has started and that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def whole_process() -> Iterator[Finding]:
    words = [COMMAND, "break", "mask-flip", "--train"]
    start, used = time.perf_counter(), processor_seconds()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    yield Finding("attn-lab break mask-flip --train: seconds", time.perf_counter() - start, 8.0)
    each = (processor_seconds() - used) / 2  # what it would take on two cores with nothing else to do
    yield Finding("the same: seconds of processor, for each of two cores", each, 8.0)


def findings() -> Iterator[Finding]:
    yield from against_torch(NetworkSizes(), 1.2)
    yield from against_torch(NetworkSizes(d_model=128, heads=1), 1.5)
    yield from whole_process()
    yield from learned()


if __name__ == "__main__":
    torch.set_num_threads(2)
    sys.exit(report(findings()))
