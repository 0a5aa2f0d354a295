"""Adam with warm-up (Kingma and Ba, 2015; paper, section 5.3): functions of vectors that leave their inputs alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attention_lab.train.tree import Array

BETA_1, BETA_2, EPSILON = 0.9, 0.98, 1e-9  # the paper's; β₂ elsewhere is .999


class Moments(NamedTuple):
    """Running means of the gradient and of its square, (N,) each, over the steps taken so far."""

    mean: Array
    square: Array
    steps: int


def initial_moments(vector: Array) -> Moments:  # (N,)
    """The moments before the first step."""
    return Moments(np.zeros_like(vector), np.zeros_like(vector), 0)


def warmed_up_rate(rate: float, step: int, warm_up: int) -> float:
    """The rate of a step, counted from 1: in a straight line up to `rate`, then as 1 / √step, as in the paper."""
    return float(rate * min(step / warm_up, (warm_up / step) ** 0.5))


def adam_step(vector: Array, gradient: Array, moments: Moments, rate: float) -> tuple[Array, Moments]:  # (N,), (N,)
    """One step: the new vector and the new moments, in the vector's dtype."""
    steps = moments.steps + 1
    mean = BETA_1 * moments.mean + (1 - BETA_1) * gradient
    square = BETA_2 * moments.square + (1 - BETA_2) * gradient * gradient
    size = rate / (1 - BETA_1**steps)  # both means start at zero, and are too small by these factors
    spread = np.sqrt(square / (1 - BETA_2**steps)) + EPSILON
    return vector - size * mean / spread, Moments(mean, square, steps)
