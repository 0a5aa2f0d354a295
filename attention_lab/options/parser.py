"""The command line of options, read by argparse.

Typer turns every value over to pydantic, and importing that takes longer than most demos run. So options are read by
argparse, which is as well kept and already loaded in no time.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from attention_lab.errors import BadInput
from attention_lab.options.option import REQUIRED, Option, check_values
from attention_lab.text import listed


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


def parser_for(command: str, description: str, spell: Callable[[str], str] = str) -> Parser:
    """A parser for what one types as `command`: "attn-lab demo scaling"."""
    return Parser(prog=command, description=spell(description), allow_abbrev=False, formatter_class=Paragraphs)


# ---- options ----


def nonblank(text: str) -> str:
    """The value of an option that takes a name: an empty text is refused, and is not taken for "not given"."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is no name")
    return text


def default_note(option: Option) -> str:
    """The default, as one would type it; "" where there is none."""
    default = option.default
    if option.param.default:
        return f"default: {option.param.default}"
    if default is REQUIRED or default is None or default is False or default in ("", ()):
        return ""
    if option.repeated:
        return f"default {', '.join(str(value) for value in default)}"
    return f"default {default!r}" if option.type is str and not option.param.choices else f"default {default}"


def help_text(option: Option) -> str:
    """What an option means, its default, and what it does not go with."""
    apart = f"not with {listed(option.param.apart).replace(' and ', ' or ')}" if option.param.apart else ""
    notes = "; ".join(filter(None, (default_note(option), apart)))
    return f"{option.param.help} ({notes})".strip() if notes else option.param.help


def settings_of(option: Option, spell: Callable[[str], str]) -> dict[str, Any]:
    """How argparse reads an option; an option that is not typed leaves no trace in the namespace."""
    settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": spell(help_text(option)).replace("%", "%%")}
    if not option.positional:
        settings["dest"] = option.flag
    if option.type is bool:
        return settings | {"action": argparse.BooleanOptionalAction if option.default else "store_true"}
    settings |= {"type": nonblank if option.param.takes_name else option.type, "metavar": option.metavar}
    if option.words > 1:
        settings |= {"nargs": option.words, "metavar": tuple(option.metavar.split())}
    if option.positional:
        settings["nargs"] = "*" if option.repeated else None if option.default is REQUIRED else "?"
    elif option.param.in_a_row:
        settings["nargs"] = "+"
    elif option.repeated:
        settings["action"] = "append"
    return settings


def add_options(
    parser: Parser, options: Iterable[Option], spell: Callable[[str], str] = str
) -> dict[Option, argparse.Action]:
    """Give the parser each option under its heading. Returns what argparse made of them.

    `spell` turns a text of the help into one that standard output can write, before it is filled into lines.
    """
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    actions = {}
    for option in options:
        heading = option.param.group
        if heading not in groups:
            groups[heading] = parser.add_argument_group(heading)
        actions[option] = groups[heading].add_argument(option.flag, **settings_of(option, spell))
    return actions


def values_of(namespace: argparse.Namespace, options: Iterable[Option]) -> dict[Option, Any]:
    """What was typed; values of an option that is repeated as a tuple."""
    typed = {option: getattr(namespace, option.flag) for option in options if hasattr(namespace, option.flag)}
    return {option: frozen(value) for option, value in typed.items() if value != []}


def frozen(value: Any) -> Any:
    """A value with tuples in the place of lists."""
    return tuple(frozen(each) for each in value) if isinstance(value, list) else value


def read_words(parser: Parser, options: Sequence[Option], words: Sequence[str]) -> dict[Option, Any]:
    """What was typed. Raises BadInput on words that are no option, and on values and combinations of no sense."""
    values = values_of(parser.parse_args(words), options)
    check_values(values)
    return values
