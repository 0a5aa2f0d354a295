"""Load the model, and watch it run. A loaded model is a *variant*: a module with the functions of `transformer.py`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from attention_lab.errors import BadInput

Model = ModuleType  # functions are looked up by name: model.attention(query, key, value, mask)
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """One call of one of the model's functions: what went in, by parameter name, and what came out."""

    function: str
    arguments: dict[str, Any]
    result: Any


def healthy() -> Model:
    """The model as it is written."""
    return importlib.import_module("attention_lab.transformer")


def copied(model: Model) -> Model:
    """The same functions in a module of their own, so that replacing one leaves the original alone."""
    twin = ModuleType(model.__name__, model.__doc__)
    twin.__dict__.update(vars(model))
    for name, function in vars(model).items():
        if isinstance(function, FunctionType) and function.__globals__ is vars(model):
            here = FunctionType(function.__code__, vars(twin), name, function.__defaults__, function.__closure__)
            here.__kwdefaults__ = function.__kwdefaults__
            setattr(twin, name, here)
    return twin


def watched(model: Model, names: tuple[str, ...], run: Callable[[Model], T]) -> tuple[T, tuple[Call, ...]]:
    """What `run(model)` returns, and every call that the model made to its functions `names` meanwhile, in order.

    What is inside a network (the weights of one head, the scores before softmax) is seen without a line in the model
    that is there only to be looked at. Arguments and results are the arrays themselves, not copies.
    """
    twin = copied(model)
    calls: list[Call] = []

    def recording(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            calls.append(Call(name, dict(signature.bind(*args, **kwargs).arguments), result))
            return result

        return wrapper

    for name in names:
        setattr(twin, name, recording(name, getattr(twin, name)))
    return run(twin), tuple(calls)


def softmax_input(model: Model, query: Any, key: Any, mask: Any = None) -> Any:  # (Tq, d_k), (Tk, d_k) -> (Tq, Tk)
    """What the model's attention hands to its softmax: scores, after whatever it does to them. Else BadInput."""
    _, calls = watched(model, ("softmax",), lambda twin: twin.attention(query, key, key, mask))
    if not calls:
        raise BadInput("attention() of this model never calls its softmax().", "This demo looks at what goes in there.")
    return next(iter(calls[0].arguments.values()))
