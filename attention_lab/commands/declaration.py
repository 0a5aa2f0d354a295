"""A command as one types it: its options, read from the signature of a function, and what runs on their values."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import getdoc, signature
from typing import Any

from attention_lab.commands.outcome import Ending, Outcome
from attention_lab.commands.views import VIEWS, Views, check_views
from attention_lab.options import (
    Option,
    Parser,
    add_options,
    command_words,
    parser_for,
    read_words,
    signature_options,
    with_defaults,
)
from attention_lab.options.option import Values
from attention_lab.show.glyphs import encodable_text


def for_stdout(text: str) -> str:
    """A text that standard output can write."""
    return encodable_text(text, sys.stdout.encoding or "utf-8")


@dataclass(frozen=True)
class Declaration:
    """The command line `line` ("attn-lab demo scaling") with its options, its views and the function behind it."""

    line: str
    description: str
    options: tuple[Option, ...]
    views: tuple[Option, ...]
    run: Callable[[Values, Views], Ending]

    @property
    def all_options(self) -> tuple[Option, ...]:
        """The options of the command itself, and those of its views."""
        return (*self.options, *self.views)

    def parser(self) -> Parser:
        """The parser of the command line."""
        parser = parser_for(self.line, self.description, for_stdout)
        add_options(parser, self.all_options, for_stdout)
        return parser

    def command(self, values: dict[str, Any]) -> str:
        """The command line that gives these values, by the name of the option."""
        return shlex.join([*self.line.split(), *command_words(self.options, values)])


def declare(line: str, function: Callable[..., Ending], views: Sequence[str]) -> Declaration:
    """The declaration of a function: its parameters are the options, its docstring is the help.

    A parameter `views: Views` is no option: the views that were asked for are given to it.
    """
    options = signature_options(function, given=(Views,))
    takes_views = "views" in signature(function).parameters

    def run(values: Values, chosen: Views) -> Ending:
        return function(**with_defaults(options, values), **({"views": chosen} if takes_views else {}))

    shown = tuple(option for option in VIEWS if option.name in views)
    return Declaration(line, getdoc(function) or "", options, shown, run)


def with_command(outcome: Outcome, declaration: Declaration, values: Values) -> Outcome:
    """The outcome whose result names the command that gives it again."""
    if outcome.result.command:
        return outcome
    complete = with_defaults(declaration.options, values) | dict(outcome.chosen)
    return replace(outcome, result=replace(outcome.result, command=declaration.command(complete)))


def run_words(declaration: Declaration, words: Sequence[str]) -> tuple[Ending, Views]:
    """Run a command on the words behind its name; what it came to, and the views that were asked for.

    Raises BadInput on words that it does not take, and the LabError of the command.
    """
    typed = read_words(declaration.parser(), declaration.all_options, words)
    views = Views(**{option.name: typed[option] for option in declaration.views if option in typed})
    check_views(views)
    values = {option: value for option, value in typed.items() if option in declaration.options}
    ending = declaration.run(values, views)
    return (with_command(ending, declaration, values) if isinstance(ending, Outcome) else ending), views
