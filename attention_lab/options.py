"""The command line of a demo, read from the signature of its `run`.

Typer turns every value over to pydantic, and importing that takes longer than most demos run. So the options of a demo,
which Typer could not know in advance anyway, are read by argparse, which is as well kept and already loaded in no time.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from attention_lab.demo import Option
from attention_lab.errors import BadInput
from attention_lab.show.glyphs import encodable_text


class Paragraphs(argparse.HelpFormatter):
    """Help whose paragraphs stay apart; argparse would fill them all into one."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
        return "\n\n".join(textwrap.fill(p, width, initial_indent=indent, subsequent_indent=indent) for p in paragraphs)


class Parser(argparse.ArgumentParser):
    """argparse that reports trouble as one of our errors, instead of printing and exiting by itself."""

    def parse_args(self, args: Sequence[str], namespace: None = None) -> argparse.Namespace:  # type: ignore[override]
        """Refuse --flag=--, which argparse takes for a flag with an empty list, whatever the type of its value."""
        for flag, _, value in (word.partition("=") for word in args):
            if flag.startswith("-") and value == "--":
                self.error(f"argument {flag}: '--' is no value")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise BadInput; `message` is argparse's own sentence, which names the option and the value."""
        sentence = message[:1].upper() + message[1:].rstrip(".") + "."
        raise BadInput(sentence, f"'{self.prog} --help' shows what it takes.")


def for_stdout(text: str) -> str:
    """A text that standard output can write: spelled first and filled into lines afterwards, so that they fit."""
    return encodable_text(text, sys.stdout.encoding or "utf-8")


def parser_for(command: str, description: str) -> Parser:
    """A parser for what one types as `command`: "attn-lab demo scaling"."""
    return Parser(prog=command, description=for_stdout(description), allow_abbrev=False, formatter_class=Paragraphs)


def named(text: str) -> str:
    """The type of an option that takes a name: an empty one is none, and is not taken for "not given"."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is no name")
    return text


def shown_default(option: Option) -> str:
    """The default, as one would type it."""
    if option.repeated:
        return ", ".join(str(value) for value in option.default)
    return repr(option.default) if option.type is str else str(option.default)


def add_options(parser: Parser, options: tuple[Option, ...]) -> None:
    """Give the parser one flag for each option; a flag that is not typed leaves no trace in the namespace."""
    group = parser.add_argument_group("this demo")
    for option in options:
        text = f"{option.param.help} (default {shown_default(option)})".strip().replace("%", "%%")
        settings: dict[str, Any] = {"dest": option.flag, "default": argparse.SUPPRESS, "help": for_stdout(text)}
        if option.type is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            settings["type"] = option.type
            settings["metavar"] = {int: "N", float: "X", str: "TEXT"}[option.type]
            settings["action"] = "append" if option.repeated else "store"
        group.add_argument(option.flag, **settings)


def values_of(namespace: argparse.Namespace, options: tuple[Option, ...]) -> dict[str, Any]:
    """What was typed, by parameter name; repeated flags as a tuple."""
    typed = {option: getattr(namespace, option.flag) for option in options if hasattr(namespace, option.flag)}
    return {option.name: tuple(value) if option.repeated else value for option, value in typed.items()}
