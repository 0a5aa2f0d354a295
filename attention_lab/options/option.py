"""An option, read from a parameter of a function: its type, its default and its `Param`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from attention_lab.errors import BadInput
from attention_lab.options.param import Param
from attention_lab.text import listed

PLAIN = (int, float, str, bool)
REQUIRED: Any = inspect.Parameter.empty  # the default of an argument that must be typed
NEEDED = "parameter {!r} needs a default and a type: int, float, str, bool or tuple[int, ...]"
METAVARS = {int: "N", float: "X", str: "TEXT", bool: ""}


@dataclass(frozen=True)
class Option:
    """One parameter of a function, as one types it. `type` is the type of one word of its value."""

    name: str
    type: type
    repeated: bool
    default: Any
    param: Param
    positional: bool = False
    words: int = 1  # of one value: two for a pair

    @property
    def flag(self) -> str:
        """The option as one types it: `d_k` is --d-k; a positional argument is called as in the help."""
        if self.positional:
            return self.metavar
        return self.param.flag or "--" + self.name.replace("_", "-")

    @property
    def metavar(self) -> str:
        """What stands for the value in the help."""
        if self.param.choices and not self.param.metavar:
            return "{" + ",".join(map(str, self.param.choices)) + "}"
        return self.param.metavar or METAVARS[self.type]


Values = Mapping[Option, Any]


# ---- read from a signature ----


def value_type(hint: Any) -> tuple[type | None, bool, int]:
    """Type of one word, whether the option is repeated, words of one value; None where `hint` cannot be an option's."""
    if isinstance(hint, UnionType):  # int | None: nothing typed, no value
        inner = [kind for kind in get_args(hint) if kind is not NoneType]
        hint = inner[0] if len(inner) == 1 else None
    repeated = get_origin(hint) is tuple and get_args(hint)[1:] == (...,)
    value = get_args(hint)[0] if repeated else hint
    pair = get_origin(value) is tuple and get_args(value) == (str, str)
    word = str if pair else value
    return (word if word in PLAIN else None), repeated, 2 if pair else 1


def fits(default: Any, hint: Any, word: type, repeated: bool) -> bool:
    """Whether a default is a value of the declared type. An int may stand for a float."""
    if default is None:
        return isinstance(hint, UnionType)
    values = default if repeated else (default,)
    return isinstance(values, tuple) and all(
        type(value) in (word, tuple) or (type(value), word) == (int, float) for value in values
    )


def option_of(parameter: inspect.Parameter, hint: Any) -> Option:
    """The option that a parameter declares. Raises TypeError where the parameter cannot be one."""
    name, default = parameter.name, parameter.default
    plain, *more = get_args(hint) if get_origin(hint) is Annotated else (hint, Param(""))
    if not isinstance(more[0], Param):
        raise TypeError(f"parameter {name!r} is annotated with {more[0]!r} where a Param stands")
    word, repeated, words = value_type(plain)
    positional = parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    if word is None or (default is REQUIRED and not positional):
        raise TypeError(NEEDED.format(name))
    if default is not REQUIRED and not fits(default, plain, word, repeated):
        raise TypeError(f"parameter {name!r} has the default {default!r}, no {inspect.formatannotation(plain)}")
    return Option(name, word, repeated, default, more[0], positional, words)


def signature_options(function: Callable[..., Any], given: Iterable[object] = ()) -> tuple[Option, ...]:
    """The options of a function, in the order of its signature, but for parameters whose type is one of `given`."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    return tuple(option_of(each, hints.get(each.name)) for each in parameters if hints.get(each.name) not in given)


# ---- values ----


def check_number(option: Option, number: float) -> None:
    """Raise BadInput when a number is not finite, or lies outside the bounds."""
    if isinstance(number, float) and not math.isfinite(number):
        raise BadInput(f"{option.flag} is {number}.", "It must be a finite number.")
    if not option.param.in_range(number):
        raise BadInput(f"{option.flag} is {number}.", option.param.range_sentence)


def check_value(option: Option, value: Any) -> None:
    """Raise BadInput when a value is not what the option's Param allows. None, an option not given, always is."""
    if value is None:
        return
    values, choices = value if option.repeated else (value,), option.param.choices
    if not values and option.default != ():
        raise BadInput(f"{option.flag} has no value.", f"Give it at least once: {option.flag} {option.default[0]}.")
    for place, each in enumerate(values):
        if isinstance(each, int | float):
            check_number(option, each)
        if choices and each not in choices:
            raise BadInput(f"{option.flag} is {each!r}.", f"It must be {listed(choices).replace(' and ', ' or ')}.")
        if option.param.once and each in values[:place]:
            raise BadInput(f"{option.flag} is {each} twice.", "Give each value once.")


def do_not_combine(flag: str, other: str) -> BadInput:
    """The error for two options that do not go together."""
    return BadInput(f"{flag} does not go with {other}.", "Leave one of them out.")


def check_values(values: Values) -> None:
    """Raise BadInput on a value that was typed and makes no sense, or on two options that do not go together."""
    typed = {option.flag for option in values}
    for option, value in values.items():
        check_value(option, value)
    for option in values:
        for other in option.param.apart:
            if other in typed:
                raise do_not_combine(option.flag, other)


def with_defaults(options: Iterable[Option], values: Values) -> dict[str, Any]:
    """The value of each option by the name of its parameter: what was typed, else its default."""
    return {option.name: values.get(option, option.default) for option in options}
