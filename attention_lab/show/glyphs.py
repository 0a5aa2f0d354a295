"""Glyphs that a stream can encode, and a Result rewritten so that the stream can encode every string.

The encoding is asked about one character at a time: cp1252 has × and · but no √.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from attention_lab.result import Result
from attention_lab.text import escape_controls

T = TypeVar("T")


@dataclass(frozen=True)
class Glyphs:
    """The characters that the views add to a result's own text."""

    holds: str = "✓"
    fails: str = "✗"
    partly: str = "≈"  # a claim that holds under a condition
    quoted: str = "–"
    hidden: str = "·"  # a masked cell, as distinct from a zero
    nothing: str = "–"  # a cell that does not apply
    minus: str = "−"
    infinity: str = "∞"
    cut: str = "…"  # the end of a truncated label
    dot: str = "·"  # between facts on one line
    rule: str = "─"
    upright: str = "│"
    corner: str = "└"
    join: str = "·"  # the path between two points of a curve
    several: str = "*"  # a cell that several curves share
    marks: str = "●△■○▲□◆◇"  # the points of the first curve, the second, …


UNICODE = Glyphs()
ASCII = Glyphs("+", "x", "~", "-", ".", "-", "-", "inf", "~", "-", "-", "|", "+", ".", "*", "ox#@%&=v")

SUBSTITUTES = {
    "√": "sqrt",
    "×": "x",
    "÷": "/",
    "⁄": "/",
    "−": "-",
    "±": "+/-",
    "∞": "inf",
    "≈": "~",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "←": "<-",
    "↔": "<->",
    "↑": "^",
    "↓": "v",
    "⇒": "=>",
    "∈": " in ",
    "∑": "sum",
    "·": ".",
    "•": "*",
    "…": "...",
    "–": "-",
    "—": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "✓": "yes",
    "✗": "no",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "Δ": "delta ",
    "ε": "eps",
    "θ": "theta",
    "λ": "lambda",
    "μ": "mu",
    "π": "pi",
    "σ": "sigma",
}
ROOT_OF = re.compile(r"√(\w+)")
RAISED = re.compile("[²³¹⁰ⁱ⁴-⁹⁺⁻ⁿᵀ]+")


def is_encodable(text: str, encoding: str) -> bool:
    """True if a stream of this encoding can write the text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def glyphs_for(encoding: str | None) -> Glyphs:
    """Each glyph if the encoding has it, else its ASCII stand-in. None, a stream without an encoding, has all."""
    chosen = {}
    for field in fields(Glyphs):
        glyph: str = getattr(UNICODE, field.name)
        chosen[field.name] = glyph if is_encodable(glyph, encoding or "utf-8") else getattr(ASCII, field.name)
    return Glyphs(**chosen)


def ascii_escapes(text: str) -> str:
    r"""The text in ASCII, other characters as in a Python literal: é is \xe9."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def encodable_character(character: str, encoding: str) -> str:
    r"""One character, spelled in characters that the encoding has: √ is sqrt, é is e, 猫 is \u732b."""
    if is_encodable(character, encoding):
        return character
    if character in SUBSTITUTES:
        return SUBSTITUTES[character]
    pieces = [piece for piece in unicodedata.normalize("NFKD", character) if not unicodedata.combining(piece)]
    bare = "".join(SUBSTITUTES.get(piece, piece) for piece in pieces)
    return bare if bare and bare.isascii() else ascii_escapes(character)


def encodable_text(text: str, encoding: str) -> str:
    """The text in characters that the encoding has. Control and bidirectional characters are shown as escapes."""
    text = escape_controls(text)
    if is_encodable(text, encoding):
        return text
    if not is_encodable("√", encoding):
        text = ROOT_OF.sub(r"√(\1)", text)
    text = RAISED.sub(
        lambda run: run[0] if is_encodable(run[0], encoding) else "^" + unicodedata.normalize("NFKD", run[0]), text
    )
    return "".join(encodable_character(character, encoding) for character in text)


def encodable_value(value: T, encoding: str) -> T:
    """A copy of a string, collection or dataclass in which the encoding has every string."""
    new: Any = value
    if isinstance(value, str):
        new = encodable_text(value, encoding)
    elif isinstance(value, tuple | list):
        new = type(value)(encodable_value(item, encoding) for item in value)
    elif isinstance(value, dict):
        new = {encodable_value(key, encoding): encodable_value(item, encoding) for key, item in value.items()}
    elif is_dataclass(value) and not isinstance(value, type):
        new = replace(
            value, **{field.name: encodable_value(getattr(value, field.name), encoding) for field in fields(value)}
        )
    result: T = new
    return result


def encodable_command(command: str, encoding: str) -> str:
    """The command, respelled word by word and quoted again, since a ’ becomes a quotation mark of the shell."""
    if encodable_text(command, encoding) == command:
        return command
    try:
        return shlex.join(encodable_text(word, encoding) for word in shlex.split(command))
    except ValueError:  # a command written by hand that no shell can read
        return encodable_text(command, encoding)


def encodable_result(result: Result, encoding: str | None) -> Result:
    """The Result as a stream of this encoding can show it: unchanged for UTF-8, √d_k as sqrt(d_k) for ASCII.

    Apply it before layout, since a substitute is wider than its character.
    """
    encoding = encoding or "utf-8"
    return replace(encodable_value(result, encoding), command=encodable_command(result.command, encoding))
