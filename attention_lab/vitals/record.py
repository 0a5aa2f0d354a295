"""Records of vital signs and their readings, and the functions that take them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_lab import telling_sizes
from attention_lab.machine.time_limit import TookTooLong, time_limit
from attention_lab.variants import Model

Array = NDArray[Any]
INF = float("inf")


@dataclass(frozen=True)
class Setting:
    """The sizes at which vital signs are taken, by default those that hide no fault.

    T tokens (as many keys, and two queries fewer), d_k wide, h heads, B sequences. `seed` fixes every random input.
    """

    T: int = telling_sizes.TK
    d_k: int = telling_sizes.D_K
    h: int = telling_sizes.H
    B: int = telling_sizes.B
    seed: int = 0

    @property
    def Tq(self) -> int:
        """Queries, where their number is not that of the keys."""
        return max(1, self.T - (telling_sizes.TK - telling_sizes.TQ))

    @property
    def d_v(self) -> int:
        """Width of a value."""
        return self.d_k + (telling_sizes.D_V - telling_sizes.D_K)

    @property
    def d_model(self) -> int:
        """Width of a token."""
        return self.h * self.d_k

    def rng(self) -> np.random.Generator:
        """A new generator, the same each time: a vital sign does not depend on which others were taken."""
        return np.random.default_rng(self.seed)


Measure = Callable[[Model, Setting], float]
Direction = Literal["up", "down", "lost"]


@dataclass(frozen=True)
class Vital:
    """One measurement: its unit, the range in which a healthy model lies (both ends included), and what it says."""

    name: str
    part: str
    unit: str
    low: float
    high: float
    sentence: str
    measure: Measure


@dataclass(frozen=True)
class Reading:
    """One vital sign of one model. `value` is None where it could not be taken, and `reason` says why."""

    vital: Vital
    value: float | None
    reason: str = ""

    @property
    def moved(self) -> Direction | None:
        """Which way it left its healthy range: up, down, lost (no number to compare), or None for not at all."""
        if self.value is None or np.isnan(self.value):
            return "lost"
        if self.value > self.vital.high:
            return "up"
        return "down" if self.value < self.vital.low else None


def line_in(model: Model, error: BaseException) -> str:
    """Line of the model in which an error was raised, as " (line 12)"; "" if it was elsewhere."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == model.__file__]
    return f" (line {lines[-1]})" if lines else ""


def take_sign(vital: Vital, model: Model, setting: Setting, seconds: float | None = None) -> Reading:
    """Take one vital sign. A model that raises, or does not end in time, has none, and `reason` says why.

    Numpy's warnings are silenced: an overflow is a symptom, and is measured as one.
    """
    try:
        with np.errstate(all="ignore"), time_limit(seconds):
            return Reading(vital, float(vital.measure(model, setting)))
    except (Exception, SystemExit) as error:  # whatever a broken model raises is its symptom
        return Reading(vital, None, f"{type(error).__name__}: {error}{line_in(model, error)}")


def take_signs(
    vitals: Iterable[Vital], model: Model, setting: Setting, seconds: float | None = None
) -> tuple[Reading, ...]:
    """Take several vital signs of one model, in order. Once three did not end in time, the others are not tried."""
    readings: list[Reading] = []
    late = 0
    for vital in vitals:
        readings.append(Reading(vital, None, "not tried") if late >= 3 else take_sign(vital, model, setting, seconds))
        late += readings[-1].reason.startswith(TookTooLong.__name__)
    return tuple(readings)


def max_abs(array: Array) -> float:
    """The largest absolute value; NaN if any is."""
    return float(np.max(np.abs(array), initial=0.0))


def normal(rng: np.random.Generator, *shape: int) -> Array:
    """Standard normal numbers of this shape."""
    return rng.standard_normal(shape)
