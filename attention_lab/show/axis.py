"""Axes of a chart: ranges, ticks and the position of a value, for the terminal and for HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDENS = 4  # ratio of the last step of x to the first from which x doubles rather than counts: 64, 128, 256, 512
FEW = 12  # most values that are all written along the axis
SMALLEST = 1e-300  # least step between two grid lines
SPANS = 1000  # ratio of largest to smallest value from which a linear axis would show only the largest


def finite_values(values: Sequence[float]) -> list[float]:
    """The values that can be drawn: neither NaN nor infinite."""
    return [value for value in values if math.isfinite(value)]


@dataclass(frozen=True)
class Axis:
    """A range of values, linear or logarithmic. `low` and `high` are values, not their logarithms."""

    low: float
    high: float
    logarithmic: bool = False

    def fraction(self, value: float) -> float:
        """Position of a finite value, from 0 at the low end to 1 at the high end; 0.5 if there is no range."""
        if self.low == self.high:
            return 0.5
        if self.logarithmic:
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)  # halves: high − low may overflow

    def round_values(self, at_most: int = 5) -> list[float]:
        """Values of the grid lines: powers of ten on a logarithmic axis, else multiples of 1, 2 or 5."""
        rough = self.high / at_most - self.low / at_most
        if rough < SMALLEST:
            return [self.low]
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**power for power in powers[:: -(-len(powers) // at_most)]]
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        return [step * k for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]

    def tick_candidates(self, values: Sequence[float]) -> list[float]:
        """Values to write along the axis, the most important first: its ends, then all values, or round ones."""
        drawn = sorted(set(finite_values(values)))
        return [self.low, self.high, *(drawn if len(drawn) <= FEW else self.round_values(at_most=FEW))]

    def axis_title(self, title: str) -> str:
        """The title of the axis, with a note if the scale is logarithmic."""
        return f"{title} (log scale)".lstrip() if self.logarithmic else title


def x_axis(values: Sequence[float]) -> Axis | None:
    """The x axis: logarithmic if the steps between values widen. None if there is no finite value."""
    drawn = sorted(set(finite_values(values)))
    if not drawn:
        return None
    steps = [later - earlier for earlier, later in pairwise(drawn)]
    widening = len(steps) > 1 and drawn[0] > 0 and steps[-1] >= WIDENS * steps[0]
    return Axis(drawn[0], drawn[-1], widening)


def y_axis(values: Sequence[float]) -> Axis | None:
    """The y axis: from zero if zero is near, logarithmic if values span 1000 or more. None without a finite value."""
    drawn = finite_values(values)
    if not drawn:
        return None
    low, high = min(drawn), max(drawn)
    if low > 0 and high / low >= SPANS:
        return Axis(low, high, logarithmic=True)
    return Axis(0.0 if 0 <= low <= high / 2 else low, high)
