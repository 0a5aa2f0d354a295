"""Which vital signs a break can reach. One that calls no changed function computes the very same, and is not taken.

Two thirds of all pairs of a break and a vital sign are settled in this way.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from attention_lab.breaks.record import Break
from attention_lab.variants import Model, healthy, module_copy
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Direction, Setting, Vital, take

USUAL = Setting()


def functions(model: Model) -> dict[str, FunctionType]:
    """The model's functions, by name."""
    return {name: value for name, value in vars(model).items() if isinstance(value, FunctionType)}


def computes(function: FunctionType) -> tuple[Any, ...]:
    """What a function is made of, wherever it stands in the file."""
    code = function.__code__
    return code.co_code, code.co_consts, code.co_names, code.co_varnames, function.__defaults__


def changed(model: Model) -> frozenset[str]:
    """The functions that are not those of the healthy model."""
    ours = functions(healthy())
    return frozenset(
        name
        for name, function in functions(model).items()
        if name not in ours or computes(function) != computes(ours[name])
    )


@cache
def called_by(vital: Vital) -> frozenset[str]:
    """The model's functions that a vital sign calls, directly or through others."""
    twin, called = module_copy(healthy()), set()

    def noting(name: str, function: FunctionType) -> Any:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            called.add(name)
            return function(*args, **kwargs)

        return wrapper

    for name, function in functions(twin).items():
        setattr(twin, name, noting(name, function))
    take(vital, twin, USUAL)
    return frozenset(called)


@cache
def moves(one: Break) -> dict[str, Direction]:
    """The vital signs that a break moves, and which way, in the order in which they are taken."""
    model = one.load()
    different = changed(model)
    reached = (vital for vital in VITALS if called_by(vital) & different)
    taken = {vital.name: take(vital, model, USUAL).moved for vital in reached}
    return {name: direction for name, direction in taken.items() if direction is not None}
