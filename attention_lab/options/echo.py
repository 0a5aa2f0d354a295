"""Options as words of a command line that gives the same values again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attention_lab.options.option import Option


def flag_words(flag: str, value: object) -> list[str]:
    """A flag and its value: one word where the value would pass for another flag."""
    return [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]


def option_words(option: Option, value: Any) -> list[str]:
    """The words that give an option this value."""
    if option.type is bool:
        return [option.flag if value else f"--no-{option.flag[2:]}"]
    values = value if option.repeated else (value,)
    if option.positional:
        return [str(each) for each in values]
    if option.words > 1:
        return [word for pair in values for word in (option.flag, *pair)]
    if option.param.in_a_row:
        return [option.flag, *(str(each) for each in values)]
    return [word for each in values for word in flag_words(option.flag, each)]


def command_words(options: Iterable[Option], values: Mapping[str, Any]) -> list[str]:
    """The words behind the name of a command: arguments first, then each option whose value is not the default.

    Arguments that would pass for options stand last, behind `--`.
    """
    told = [option for option in options if option.param.echo and values[option.name] != option.default]
    arguments = [word for option in told if option.positional for word in option_words(option, values[option.name])]
    flags = [word for option in told if not option.positional for word in option_words(option, values[option.name])]
    if any(word.startswith("-") for word in arguments):
        return [*flags, "--", *arguments]
    return [*arguments, *flags]
