"""What a stream can write: glyphs chosen by its encoding, and a Result whose every string it can encode.

Whether a character can be written is asked of the encoding, one character at a time: cp1252 has × and · but no √.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from attention_lab.result import Result

T = TypeVar("T")


@dataclass(frozen=True)
class Glyphs:
    """The characters that the views add of their own accord."""

    holds: str = "✓"
    fails: str = "✗"
    partly: str = "≈"  # a claim that holds under a condition
    quoted: str = "–"
    hidden: str = "·"  # a masked cell, which is not a zero
    nothing: str = "–"  # a cell that does not apply
    minus: str = "−"
    infinity: str = "∞"
    cut: str = "…"  # the rest of a label that is too long
    dot: str = "·"  # between facts on one line
    rule: str = "─"
    upright: str = "│"
    corner: str = "└"
    join: str = "·"  # from one point of a curve to the next
    several: str = "*"  # more than one curve in one place
    marks: str = "●△■○▲□◆◇"  # the points of the first curve, the second, …


UNICODE = Glyphs()
ASCII = Glyphs("+", "x", "~", "-", ".", "-", "-", "inf", "~", "-", "-", "|", "+", ".", "*", "ox#@%&=v")

SPELLED = {
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
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # all but the newline


def encodable(text: str, encoding: str) -> bool:
    """Whether a stream of this encoding can write the text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def glyphs_for(encoding: str | None) -> Glyphs:
    """Each glyph as it is where the encoding has it, else its ASCII stand-in. None is a stream without an encoding."""
    chosen = {}
    for field in fields(Glyphs):
        glyph: str = getattr(UNICODE, field.name)
        chosen[field.name] = glyph if encodable(glyph, encoding or "utf-8") else getattr(ASCII, field.name)
    return Glyphs(**chosen)


def escaped(text: str) -> str:
    r"""The text as a Python literal would have it, in ASCII: é is \xe9."""
    return text.encode("ascii", "backslashreplace").decode("ascii")


def spelled_character(character: str, encoding: str) -> str:
    r"""One character in characters that the encoding has: √ is sqrt, é is e, 猫 is \u732b."""
    if encodable(character, encoding):
        return character
    if character in SPELLED:
        return SPELLED[character]
    pieces = [piece for piece in unicodedata.normalize("NFKD", character) if not unicodedata.combining(piece)]
    bare = "".join(SPELLED.get(piece, piece) for piece in pieces)
    return bare if bare and bare.isascii() else escaped(character)


def spelled(text: str, encoding: str) -> str:
    """The text in characters that the encoding has; none of them steers a terminal or turns a line round."""
    text = CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)
    if encodable(text, encoding):
        return text
    if not encodable("√", encoding):
        text = ROOT_OF.sub(r"√(\1)", text)
    text = RAISED.sub(
        lambda run: run[0] if encodable(run[0], encoding) else "^" + unicodedata.normalize("NFKD", run[0]), text
    )
    return "".join(spelled_character(character, encoding) for character in text)


def respelled(value: T, encoding: str) -> T:
    """A value of the same kind in which every string is spelled so that the encoding has it."""
    new: Any = value
    if isinstance(value, str):
        new = spelled(value, encoding)
    elif isinstance(value, tuple | list):
        new = type(value)(respelled(item, encoding) for item in value)
    elif isinstance(value, dict):
        new = {respelled(key, encoding): respelled(item, encoding) for key, item in value.items()}
    elif is_dataclass(value) and not isinstance(value, type):
        new = replace(value, **{field.name: respelled(getattr(value, field.name), encoding) for field in fields(value)})
    result: T = new
    return result


def respelled_command(command: str, encoding: str) -> str:
    """The command, spelled word by word and quoted again: a ’ becomes a quotation mark of the shell."""
    if spelled(command, encoding) == command:
        return command
    try:
        return shlex.join(spelled(word, encoding) for word in shlex.split(command))
    except ValueError:  # somebody wrote it by hand, and no shell could read it
        return spelled(command, encoding)


def readable(result: Result, encoding: str | None) -> Result:
    """The Result as a stream of this encoding can show it: the same for UTF-8, √d_k as sqrt(d_k) for ASCII.

    To be applied before anything is laid out, since a spelled character is wider than the one it stands for.
    """
    encoding = encoding or "utf-8"
    return replace(respelled(result, encoding), command=respelled_command(result.command, encoding))
