"""Which vital signs a break can reach. A vital sign that calls no changed function stays, and is not taken.

Two thirds of all pairs of a break and a vital sign are settled in this way.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any

from attention_lab.breaks.record import Break
from attention_lab.variants import Model, healthy, module_copy
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Direction, Reading, Setting, Vital, take_sign, take_signs

USUAL = Setting()


def functions(model: Model) -> dict[str, FunctionType]:
    """The model's functions, by name."""
    return {name: value for name, value in vars(model).items() if isinstance(value, FunctionType)}


def computes(function: FunctionType) -> tuple[Any, ...]:
    """What a function computes, wherever it stands in the file: its code and its defaults."""
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

    def recording(name: str, function: FunctionType) -> Any:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            called.add(name)
            return function(*args, **kwargs)

        return wrapper

    for name, function in functions(twin).items():
        setattr(twin, name, recording(name, function))
    take_sign(vital, twin, USUAL)
    return frozenset(called)


def reached_readings(model: Model, seconds: float | None = None) -> tuple[Reading, ...]:
    """Readings of the vital signs that call a changed function of this model; each may take so many seconds."""
    different = changed(model)
    return take_signs((vital for vital in VITALS if called_by(vital) & different), model, USUAL, seconds)


@cache
def moves(fault: Break) -> dict[str, Direction]:
    """The vital signs that a break moves, and which way, in the order in which they are taken."""
    return {reading.vital.name: reading.moved for reading in reached_readings(fault.load()) if reading.moved}
