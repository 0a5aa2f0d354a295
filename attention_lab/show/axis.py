"""Where a value stands on an axis, for the curve on a terminal and the one in a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDENS = 4  # the last step of x is so many times the first: 64, 128, 256, 512 double, they do not count
FEW = 12  # so many values are all written along the axis
SMALLEST = 1e-300  # steps below it are none
SPANS = 1000  # the largest value is so many times the smallest: on a linear axis only the largest would be seen


def finite(values: Sequence[float]) -> list[float]:
    """What can be drawn: no NaN and no infinity."""
    return [value for value in values if math.isfinite(value)]


@dataclass(frozen=True)
class Axis:
    """A range of values, linear or logarithmic. `low` and `high` are values, not their logarithms."""

    low: float
    high: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a finite value stands: 0 at the low end, 1 at the high end, the middle if there is no range."""
        if self.low == self.high:
            return 0.5
        if self.logarithmic:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)  # halves: high − low may overflow

    def round_values(self, at_most: int = 5) -> list[float]:
        """Round values along the axis, for its grid: powers of ten if it is logarithmic, else steps of 1, 2 or 5."""
        rough = self.high / at_most - self.low / at_most
        if rough < SMALLEST:
            return [self.low]
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**power for power in powers[:: -(-len(powers) // at_most)]]
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        return [step * k for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]

    def ticks(self, values: Sequence[float]) -> list[float]:
        """What to write along the axis, the most important first: its ends, then every value, or round ones."""
        drawn = sorted(set(finite(values)))
        return [self.low, self.high, *(drawn if len(drawn) <= FEW else self.round_values(at_most=FEW))]

    def label(self, title: str) -> str:
        """The title of the axis, which must say so when it is not linear."""
        return f"{title} (log scale)".lstrip() if self.logarithmic else title


def x_axis(values: Sequence[float]) -> Axis | None:
    """The axis along which curves are measured: logarithmic when its steps widen. None if nothing can be drawn."""
    drawn = sorted(set(finite(values)))
    if not drawn:
        return None
    steps = [later - earlier for earlier, later in pairwise(drawn)]
    widening = len(steps) > 1 and drawn[0] > 0 and steps[-1] >= WIDENS * steps[0]
    return Axis(drawn[0], drawn[-1], widening)


def y_axis(values: Sequence[float]) -> Axis | None:
    """The axis of what was measured: from zero if zero is near, logarithmic over many orders of magnitude."""
    drawn = finite(values)
    if not drawn:
        return None
    low, high = min(drawn), max(drawn)
    if low > 0 and high / low >= SPANS:
        return Axis(low, high, logarithmic=True)
    return Axis(0.0 if 0 <= low <= high / 2 else low, high)
