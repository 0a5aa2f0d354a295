"""A person's sentence as tokens and ids. Tokens are split at spaces, so that no tokenizer needs explaining in class."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from attention_lab.errors import BadInput

T = TypeVar("T")

LONGEST = 64  # tokens: more of them are a wall of numbers, not a picture
LONG = 80  # characters shown of a name from somebody's own file
LONG_WORD = re.compile(rf"([^\s/\\]{{{LONG}}})[^\s/\\]+?([:;,.!?)\]'\"]{{0,3}})(?![^\s/\\])")  # in a path each part


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 word", "2 words"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def sentence_tokens(text: str, at_least: int = 1, flag: str = "--text") -> tuple[str, ...]:
    """Tokens of a sentence, in lower case. Raises BadInput, which names the flag, on too few or too many tokens."""
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
    """Values joined as in a sentence: "0.62, 0.72 and 1.11"."""
    shown = [str(value) if digits is None else f"{value:.{digits}f}" for value in values]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def first_of(values: Sequence[object], most: int) -> str:
    """The first values joined as in a sentence, and the number of further ones: "a, b and 7 more"."""
    more = len(values) - most
    return listed([*values[:most], *([f"{more:,} more"] if more > 0 else [])])


ACTING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"  # controls, and marks of direction
CONTROL = re.compile(f"[\t{ACTING}]")
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # kinds of characters that are not seen


def escaped(character: str) -> str:
    r"""A character as an escape: \x1b."""
    return ascii(character)[1:-1]


def escape_controls(text: str) -> str:
    """A text of ours, or of a person at their own terminal: what acts there is an escape; newlines stay."""
    return CONTROL.sub(lambda match: escaped(match[0]), text)


def spell_out_controls(text: str) -> str:
    """A stranger's text: what acts on a terminal, and all that is not seen, is an escape; newlines and tabs stay."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    hidden = {sign for sign in set(text) - {"\n", "\t"} if unicodedata.category(sign) in INVISIBLE}
    return "".join(escaped(sign) if sign in hidden else sign for sign in text)


def brief(text: str) -> str:
    """A text whose names are cut to LONG characters: … replaces the rest of a name, punctuation behind it stays."""
    return LONG_WORD.sub(r"\1…\2", text)


def brief_in(value: T, but: Sequence[str] = ()) -> T:
    """A copy of a value with every string cut by `brief`, except in the fields `but`, such as a command to run."""
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
