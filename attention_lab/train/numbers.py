"""autograd.numpy, with a `where` whose gradient stays in float32 and fits an argument that was broadcast."""

from __future__ import annotations

from typing import Any

import numpy
from autograd.extend import defvjp_argnum, primitive
from autograd.numpy import *  # noqa: F403 (all its names are what a model may use)
from autograd.numpy.numpy_vjps import unbroadcast_f

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
