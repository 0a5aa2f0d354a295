"""What a call comes to, of the model or of a person's function, and how far two outcomes are from each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.inputs import Arguments, Parts
from attention_lab.check.references import Reference
from attention_lab.check.remote import named_parts
from attention_lab.check.restrictions import WEIGHT_OF
from attention_lab.check.roles import Role

if TYPE_CHECKING:
    from attention_lab.sandbox.records import CodeError

INF = float("inf")
HOPELESS = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError")


@dataclass(frozen=True)
class Failed:
    """A call that gave no value, and why."""

    code_error: CodeError | None = None
    said: str = ""

    @property
    def hopeless(self) -> bool:
        """Whether it fails whatever it is given: a name is missing."""
        return self.code_error is not None and self.code_error.kind in HOPELESS


Outcome = Parts | Failed


def summed(parts: Parts, role: Role, arguments: Arguments) -> Parts:
    """The parts of an outcome, or what is compared in their place."""
    return role.sum_up(arguments, parts) if role.sum_up else parts


class Affine(np.ndarray[Any, Any]):
    """A weight that adds its bias after it has multiplied: the model, and each of its breaks, has no other biases."""

    bias: Any = 0

    def __array_finalize__(self, whole: Any) -> None:
        self.bias = getattr(whole, "bias", 0)

    def __rmatmul__(self, tokens: Any) -> Any:
        return tokens @ self.view(np.ndarray) + self.bias


def with_biases(value: Any) -> Any:
    """Arguments in which the bias of a projection is part of its weight, also those in a layer."""
    if not isinstance(value, dict):
        return value
    found = {name: with_biases(item) for name, item in value.items() if name not in WEIGHT_OF}
    for bias, weight in WEIGHT_OF.items():
        if bias in value:
            found[weight] = value[weight].view(Affine)
            found[weight].bias = value[bias]
    return found


def computed(reference: Reference, role: Role, arguments: Arguments) -> Outcome:
    """What a reference computes; an error is an outcome as well."""
    try:
        with np.errstate(all="ignore"):
            given = copied(arguments) | ({"rng": np.random.default_rng(0)} if "rng" in role.parameters else {})
            given = with_biases(given)
            return summed(named_parts(getattr(reference.model, role.name)(**given), role), role, arguments)
    except Exception as error:  # whatever a broken model raises
        return Failed(said=f"{type(error).__name__}: {error}")


def copied(value: Any) -> Any:
    """A value of its own: a break may write into what it is given."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    return type(value)(map(copied, value)) if isinstance(value, (list, tuple)) else value


def distance(one: Any, other: Any) -> float:
    """The largest difference of two arrays, relative to 1 + the largest number; infinite where they cannot be equal."""
    if one.shape != other.shape:
        return INF
    if one.dtype == bool or other.dtype == bool:
        return 0.0 if one.dtype == other.dtype and np.array_equal(one, other) else INF
    one, other = np.asarray(one, float), np.asarray(other, float)
    with np.errstate(all="ignore"):
        away = float(np.abs(one - other).max(initial=0.0))
    if away < INF:  # then all numbers are finite, as they mostly are
        return away / (1 + float(np.abs(other).max(initial=0.0)))
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)) or not np.array_equal(
        one[~finite], other[~finite], equal_nan=True
    ):
        return INF
    largest = np.max(np.abs(other[finite]), initial=0.0)
    return float(np.max(np.abs(one[finite] - other[finite]), initial=0.0) / (1 + largest))


def apart(theirs: Outcome, ours: Outcome) -> float:
    """How far an outcome is from a reference's, in the parts that the person's function returns."""
    if isinstance(theirs, Failed) or isinstance(ours, Failed):
        return 0.0 if isinstance(theirs, Failed) and isinstance(ours, Failed) else INF
    if not theirs or not theirs.keys() <= ours.keys():
        return INF
    return max(distance(part, ours[name]) for name, part in theirs.items())


def width_of(outcomes: Iterable[Outcome]) -> str:
    """The narrowest floating point numbers that came back: they say how exact an answer can be."""
    kinds = {part.dtype.str[1:] for one in outcomes if not isinstance(one, Failed) for part in one.values()}
    return next((width for width in ("f2", "f4") if width in kinds), "f8")
