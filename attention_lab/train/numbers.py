"""autograd.numpy, with gradients in the type of what they are gradients of.

Several of autograd's own divide by a count, or multiply by a logarithm, that NumPy keeps in float64: from there on, the
way back would take twice the memory. And the gradient of its `where` does not fit an argument that was broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from autograd.core import primitive_vjps
from autograd.extend import defvjp_argnum, defvjp_argnums, primitive
from autograd.numpy import *  # noqa: F403 (all its names are what a model may use)
from autograd.numpy.numpy_vjps import unbroadcast_f
from autograd.tracer import getval

WIDENING = {"max", "min", "amax", "amin", "maximum", "minimum", "mean", "var", "std", "power", "exp2", "log2", "log10"}
Maker = Callable[..., Callable[[Any], Any]]  # argument numbers, result, arguments, keywords -> gradient -> gradients


def type_of(value: Any) -> Any:
    """The type of a number, an array, or what autograd follows in its place."""
    return numpy.result_type(getval(value))


def narrowing(maker: Maker) -> Maker:
    """The same gradients, each in the type of its argument."""

    def made(numbers: tuple[int, ...], result: Any, arguments: Any, keywords: Any) -> Callable[[Any], Any]:
        back, types = maker(numbers, result, arguments, keywords), [type_of(arguments[one]) for one in numbers]
        return lambda gradient: tuple(
            one if type_of(one) == kind else one.astype(kind) for one, kind in zip(back(gradient), types, strict=True)
        )

    return made


for function, maker in list(primitive_vjps.items()):
    if function.__name__ in WIDENING:
        defvjp_argnums(function, narrowing(maker))

choice = primitive(numpy.where)
defvjp_argnum(
    choice,
    lambda number, _, arguments, __: unbroadcast_f(
        arguments[number],
        lambda gradient: numpy.where(arguments[0] if number == 1 else ~arguments[0], gradient, 0),
    ),
)


def where(condition: Any, *values: Any) -> Any:
    """numpy.where, which autograd's own would answer with gradients in float64."""
    return choice(condition, *values)
