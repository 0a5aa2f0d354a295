"""A person's sentence as tokens and ids. Words are what stands between spaces: no tokenizer to explain in class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from attention_lab.errors import BadInput

T = TypeVar("T")

LONGEST = 64  # tokens: more of them are a wall of numbers, not a picture
LONG = 80  # letters of a name, somebody's own, that are shown
LONG_WORD = re.compile(rf"([^\s/\\]{{{LONG}}})[^\s/\\]+?([:;,.!?)\]'\"]{{0,3}})(?![^\s/\\])")  # in a path each part


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 word", "2 words"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def option_words(flag: str, value: object) -> list[str]:
    """An option as words of a command line: one word where the value would pass for another option."""
    return [f"{flag}={value}"] if str(value).startswith("-") else [flag, str(value)]


def sentence_tokens(text: str, at_least: int = 1, flag: str = "--text") -> tuple[str, ...]:
    """The tokens of a sentence, in lower case. Raises BadInput, naming the flag, on too few or too many of them."""
    tokens = tuple(text.lower().split())
    if len(tokens) < at_least:
        raise BadInput(
            f"{flag} {text!r} has {count(len(tokens), 'word')}.", f"Give at least {count(at_least, 'word')}."
        )
    if len(tokens) > LONGEST:
        raise BadInput(f"{flag} has {count(len(tokens), 'word')}.", f"Give at most {LONGEST}.")
    return tokens


def ids_of(tokens: tuple[str, ...], first: int = 0) -> list[int]:
    """One id for each token, the same for the same word, numbered by first appearance from `first` on."""
    vocabulary = {word: first + index for index, word in enumerate(dict.fromkeys(tokens))}
    return [vocabulary[word] for word in tokens]


def listed(values: Iterable[object], digits: int | None = None) -> str:
    """Values as one reads them out: "0.62, 0.72 and 1.11"."""
    shown = [str(value) if digits is None else f"{value:.{digits}f}" for value in values]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def first_of(values: Sequence[object], most: int) -> str:
    """The first values as one reads them out, and how many more there are: "a, b and 7 more"."""
    more = len(values) - most
    return listed([*values[:most], *([f"{more:,} more"] if more > 0 else [])])


def brief(text: str) -> str:
    """A text in which no name is longer than one reads: its end is a … then, and the signs behind it stay."""
    return LONG_WORD.sub(r"\1…\2", text)


def brief_in(value: T, but: Sequence[str] = ()) -> T:
    """A value of the same kind in which every string is brief, but those of these fields: a command must run."""
    new: Any = value
    if isinstance(value, str):
        new = brief(value)
    elif isinstance(value, tuple):
        new = tuple(brief_in(item, but) for item in value)
    elif is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.name not in but]
        new = replace(value, **{name: brief_in(getattr(value, name), but) for name in names})
    result: T = new
    return result
