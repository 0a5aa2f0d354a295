"""What a demo is: a record in the catalogue and a function `run(model, *, options) -> Result`.

The typed keyword parameters of `run` are the options of the command, its docstring is the help:

    def run(model: Model, *, d_k: Annotated[tuple[int, ...], Param("width of a key", at_least=1)] = (4, 64)) -> Result:
"""

from __future__ import annotations

import inspect
import math
import shlex
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from attention_lab.demo.validation import flaw
from attention_lab.errors import BadInput, RunFailed
from attention_lab.result import Note, Result
from attention_lab.text import option_words
from attention_lab.variants import Model, text_behind, unwritten_sentence

Progress = Callable[[str], None]  # a parameter of this type is no option: it is called with what is being done now
Run = Callable[..., Result]


def silent(doing: str) -> None:
    """The Progress of a caller that does not want to hear."""


@dataclass(frozen=True)
class Param:
    """What an option means and which values make sense, written beside its type: `Annotated[int, Param("…")]`."""

    help: str
    at_least: float | None = None
    at_most: float | None = None
    once: bool = False  # of an option that is given several times: each value may be given only once


Seed = Annotated[int, Param("seed of the random numbers: the same seed, the same output", at_least=0)]
Text = Annotated[str, Param("a sentence of your own; words are split at spaces")]


@dataclass(frozen=True)
class Demo:
    """A catalogue entry. `documents` are the tutorials that tell it; `question` is what to predict before looking."""

    name: str
    documents: tuple[str, ...]
    summary: str
    question: str = ""


@dataclass(frozen=True)
class Option:
    """One keyword parameter of a demo's `run`, read from its signature. `type` is the type of one value."""

    name: str
    type: type
    repeated: bool
    default: Any
    param: Param

    @property
    def flag(self) -> str:
        """The option as one types it: d_k is --d-k."""
        return "--" + self.name.replace("_", "-")


def option_of(parameter: inspect.Parameter, hint: Any) -> Option:
    """The option that one parameter of a demo is. Raises TypeError where it cannot be one."""
    name = parameter.name
    if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"parameter {name!r} is none that can be typed; name each option behind a *")
    plain, *more = get_args(hint) if get_origin(hint) is Annotated else (hint, Param(""))
    if not isinstance(more[0], Param):
        raise TypeError(f"parameter {name!r} is annotated with {more[0]!r} where a Param stands")
    repeated = get_origin(plain) is tuple and get_args(plain)[1:] == (...,)
    one = get_args(plain)[0] if repeated else plain
    if one not in (int, float, str, bool) or parameter.default is parameter.empty:
        raise TypeError(f"parameter {name!r} needs a default and a type: int, float, str, bool or tuple[int, ...]")
    default = parameter.default
    values = (default,) if not repeated else default if isinstance(default, tuple) else ()
    if not values or any(type(value) is not one and (type(value), one) != (int, float) for value in values):
        raise TypeError(f"parameter {name!r} has the default {default!r}, no {inspect.formatannotation(plain)}")
    return Option(name, one, repeated, default, more[0])


def options_of(run: Run) -> tuple[Option, ...]:
    """The options of a demo, in the order of its signature. Raises TypeError on a parameter that cannot be one."""
    try:
        hints = get_type_hints(run, include_extras=True)
        parameters = list(inspect.signature(run).parameters.values())
    except Exception as reason:  # an annotation may be any expression
        raise TypeError(f"the signature of its run() cannot be read: {reason}") from reason
    if not parameters or parameters[0].kind not in (parameters[0].POSITIONAL_ONLY, parameters[0].POSITIONAL_OR_KEYWORD):
        raise TypeError("the first parameter of its run() does not take the model")
    return tuple(option_of(one, hints.get(one.name)) for one in parameters[1:] if hints.get(one.name) != Progress)


def listens(run: Run) -> bool:
    """Whether a demo takes long enough to report what it is doing."""
    return get_type_hints(run).get("progress") == Progress


def check(option: Option, value: Any) -> None:
    """Raise BadInput when a value is no number, or lies outside what the option's Param allows."""
    low, high = option.param.at_least, option.param.at_most
    values = value if option.repeated else (value,)
    if not values:
        raise BadInput(f"{option.flag} has no value.", f"Give it at least once: {option.flag} {option.default[0]}.")
    for place, one in enumerate(values):
        if isinstance(one, float) and not math.isfinite(one):
            raise BadInput(f"{option.flag} is {one}.", "It must be a finite number.")
        if low is not None and not one >= low:
            raise BadInput(f"{option.flag} is {one}.", f"It must be at least {low}.")
        if high is not None and not one <= high:
            raise BadInput(f"{option.flag} is {one}.", f"It must be at most {high}.")
        if option.param.once and one in values[:place]:
            raise BadInput(f"{option.flag} is {one} twice.", "Give each value once.")


def command_line(name: str, options: tuple[Option, ...], values: dict[str, Any], more: Sequence[str] = ()) -> str:
    """The command that gives this result again: only what differs from the defaults, and `more` words."""
    words = ["attn-lab", "demo", name]
    for option in options:
        value = values[option.name]
        if value == option.default:
            continue
        if option.type is bool:
            words.append(option.flag if value else f"--no-{option.flag[2:]}")
        else:
            for one in value if option.repeated else (value,):
                words += option_words(option.flag, one)
    return shlex.join([*words, *more])


def raised_in(model: Model, error: BaseException) -> bool:
    """Whether a line of the model took part in raising this error."""
    return any(frame.filename == model.__file__ for frame in traceback.extract_tb(error.__traceback__))


def perform(
    demo: Demo,
    run: Run,
    model: Model,
    values: dict[str, Any],
    progress: Progress = silent,
    more: Sequence[str] = (),
) -> Result:
    """Run a demo with checked options and complete its Result. `values` holds what differs from the defaults.

    `more` are the words of the command line that chose the model. Where the model itself says which shape or value it
    cannot work with, that becomes BadInput with the options that led there; a demo that returns no Result, or
    one that no view can show, becomes RunFailed. Anything else that a demo raises is left as it is.
    """
    options = options_of(run)
    complete = {option.name: values.get(option.name, option.default) for option in options}
    for option in options:
        check(option, complete[option.name])
    command = command_line(demo.name, options, complete, more)
    try:
        result = run(model, **complete, **({"progress": progress} if listens(run) else {}))
    except (ValueError, TypeError) as reason:
        if more or not raised_in(model, reason):  # a broken model is to blame for what it cannot work with
            raise
        raise BadInput(f"{command!r} cannot run: {reason}.", "Change the options it was given.") from reason
    if not isinstance(result, Result):
        raise RunFailed(f"run() of {demo.name} returned {type(result).__name__}.", "It must return a Result.")
    wrong = flaw(result)
    if wrong:
        advice = "Correct that part, or the model that it was measured on."
        raise RunFailed(f"run() of {demo.name} returned what cannot be shown. {wrong}.", advice)
    text = text_behind(model)
    unwritten = unwritten_sentence(text) if text else ""
    return replace(
        result,
        parts=(*result.parts, *([Note("unwritten", unwritten)] if unwritten else [])),
        demo=demo.name,
        title=demo.summary,
        question=demo.question,
        documents=demo.documents,
        seed=complete.get("seed"),
        options=complete,
        command=command,
    )
