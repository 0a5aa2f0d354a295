"""The record of a break: a line of the model, what the line becomes, why people write that, and what gives it away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from attention_lab.variants import Model, Patch, load


@dataclass(frozen=True)
class Break:
    """One fault, or one harmless change that is taken for a fault.

    `up`, `down` and `lost` are the signature: the vital signs that leave their healthy range, and which way. A lost
    vital sign cannot be taken any more (an error, or NaN). Every vital sign that is not named there stays in its range.
    `still` names some of those that one would expect to move: a test that checks only them passes.
    `same_as` names breaks that compute the same numbers; `demo` names the demo to run next with `--break`.
    """

    name: str
    part: str
    patches: tuple[Patch, ...]
    why: str
    watch: str
    consequence: str
    source: str
    hints: tuple[str, str, str]
    demo: str
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()
    harmless: bool = False

    @cached_property
    def signature(self) -> frozenset[tuple[str, str]]:
        """The vital signs that this break declares to move, and which way."""
        ways = (("up", self.up), ("down", self.down), ("lost", self.lost))
        return frozenset((vital, way) for way, vitals in ways for vital in vitals)

    def load(self, library: str = "numpy") -> Model:
        """The model with this fault, over a number library."""
        return load(*self.patches, label=f"transformer.py with {self.name}", library=library)


def becomes(old: str, new: str) -> tuple[Patch, ...]:
    """The patch of a usual break: one line and what the line becomes."""
    return (Patch(old, new),)
