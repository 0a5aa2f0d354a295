"""What a demo is: a record in the catalogue and a function `run(model, *, options) -> Result`.

The typed keyword parameters of `run` are the options of the command, its docstring is the help:

    def run(model: Model, *, d_k: Annotated[tuple[int, ...], Param("width of a key", at_least=1)] = (4, 64)) -> Result:
"""

from __future__ import annotations

import inspect
import shlex
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from attention_lab.demo.validation import flaw
from attention_lab.errors import BadInput, RunFailed
from attention_lab.options import Option, check_value, command_words, option_of
from attention_lab.options.option import NEEDED
from attention_lab.result import Note, Result
from attention_lab.variants import Model, text_behind, unwritten_sentence

Progress = Callable[[str], None]  # a parameter of this type is no option: it is called with what is being done now
Run = Callable[..., Result]


def silent(doing: str) -> None:
    """The Progress of a caller that does not want to hear."""


@dataclass(frozen=True)
class Demo:
    """A catalogue entry. `documents` are the tutorials that tell it; `question` is what to predict before looking."""

    name: str
    documents: tuple[str, ...]
    summary: str
    question: str = ""


def options_of(run: Run) -> tuple[Option, ...]:
    """The options of a demo, in the order of its signature. Raises TypeError on a parameter that cannot be one."""
    try:
        hints = get_type_hints(run, include_extras=True)
        parameters = list(inspect.signature(run).parameters.values())
    except Exception as reason:  # an annotation may be any expression
        raise TypeError(f"the signature of its run() cannot be read: {reason}") from reason
    if not parameters or parameters[0].kind not in (parameters[0].POSITIONAL_ONLY, parameters[0].POSITIONAL_OR_KEYWORD):
        raise TypeError("the first parameter of its run() does not take the model")
    declared = [parameter for parameter in parameters[1:] if hints.get(parameter.name) != Progress]
    unnamed = next((each.name for each in declared if each.kind is not each.KEYWORD_ONLY), None)
    if unnamed is not None:
        raise TypeError(f"parameter {unnamed!r} is none that can be typed; name each option behind a *")
    options = tuple(option_of(parameter, hints.get(parameter.name)) for parameter in declared)
    for option in options:  # a demo always runs on values: its result tells them
        if option.default is None:
            raise TypeError(NEEDED.format(option.name))
        if option.default == ():
            raise TypeError(f"parameter {option.name!r} has the default (), no tuple[{option.type.__name__}, ...]")
    return options


def listens(run: Run) -> bool:
    """Whether a demo takes long enough to report what it is doing."""
    return get_type_hints(run).get("progress") == Progress


def command_line(name: str, options: tuple[Option, ...], values: dict[str, Any], more: Sequence[str] = ()) -> str:
    """The command that gives this result again: only what differs from the defaults, and `more` words."""
    return shlex.join(["attn-lab", "demo", name, *command_words(options, values), *more])


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
        check_value(option, complete[option.name])
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
