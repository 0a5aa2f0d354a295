"""Faults that are often made together: two lines copied from one place, or a second fault that mends the first."""

from __future__ import annotations

from dataclasses import dataclass

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.variants import Patch


@dataclass(frozen=True)
class Pair:
    """Two breaks of the catalogue at once, and why they come together."""

    first: str
    second: str
    why: str

    @property
    def names(self) -> tuple[str, str]:
        """The names of both breaks, in the order in which their patches are applied."""
        return self.first, self.second

    @property
    def breaks(self) -> tuple[Break, Break]:
        """The catalogue entries of both."""
        by_name = {entry.name: entry for entry in BREAKS}
        return by_name[self.first], by_name[self.second]

    @property
    def patches(self) -> tuple[Patch, ...]:
        """The patches of both."""
        return tuple(patch for entry in self.breaks for patch in entry.patches)


PAIRS = (
    Pair("no-scale", "mask-zero", "A first version that was tried on a small example: neither line is missed there."),
    Pair("no-scale", "softmax-over-queries", "Written from memory of the picture, without the formula."),
    Pair("no-scale", "softmax-no-shift", "exp(q · k) as it stands on the blackboard; each makes the other overflow."),
    Pair("no-scale", "mask-minus-ten", "A fill that is small enough for scaled scores, and the scale is gone."),
    Pair("scale-by-d-k", "mask-zero", "The root and the minus sign: two details of one line of the paper."),
    Pair("softmax-over-queries", "mask-zero", "axis=0 on a matrix, and a mask by multiplication."),
    Pair("softmax-one-total", "no-scale", "A softmax for vectors, applied to the raw matrix."),
    Pair("mask-flip", "mask-zero", "The other triangle, and zeros there: taken from a picture of weights."),
    Pair(
        "one-step-ahead",
        "mask-minus-ten",
        "tril off by one, and a fill that lets the rest of the future through.",
    ),
    Pair("one-projection", "no-output-projection", "A layer cut down to what seemed enough: fewer weights to make."),
    Pair("value-not-projected", "no-output-projection", "As above: only queries and keys are thought to need weights."),
    Pair("split-by-reshape", "mask-not-passed", "Heads by hand: the reshape runs, and the mask did not fit it."),
    Pair("exponent-doubled", "base-1000", "A formula of positions from memory: both numbers in it."),
    Pair("no-position", "no-embedding-scale", "An embedding is a table, and nothing else was thought of."),
    Pair("unbiased-deviation", "eps-outside-root", "np.std with ddof=1 and the guard beside it: one line."),
    Pair("loss-not-shifted", "padding-counted", "Cross-entropy as in a course on images: small logits, no padding."),
)
