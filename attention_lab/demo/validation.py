"""What is wrong with a Result that somebody's own demo returned: told before a view stumbles over it.

The types are those that `result.py` declares, so a new kind of part is checked without another line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from attention_lab.result import Column, Matrix, Pair, Part, Result, Series, Table

KINDS: tuple[type, ...] = get_args(Part)
MOST_DIGITS = 17  # more than a float has
declared: Callable[[Any], dict[str, Any]] = cache(get_type_hints)  # a dataclass's fields and their types


def shown(value: object) -> str:
    """A value as one names it in a sentence."""
    text = repr(value)
    return text if len(text) <= 40 and text.isprintable() else f"of type {type(value).__name__}"


def wrong_types(value: Any, hint: Any, where: str) -> Iterator[str]:
    """Where a value, or what it holds, is not of its declared type. A list may stand for a tuple, an int for a float.

    A NumPy scalar is as good as the number that it holds.
    """
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if value is None and NoneType in kinds:
        return
    if get_origin(kinds[0]) is tuple:
        if not isinstance(value, tuple | list):
            yield f"{where} is {shown(value)}, not a tuple"
            return
        for number, one in enumerate(value):
            yield from wrong_types(one, get_args(kinds[0])[0], f"{where}[{number}]")
    elif is_dataclass(kinds[0]):
        if not isinstance(value, kinds):
            yield f"{where} is {shown(value)}, not a {getattr(hint, '__name__', hint)}"
            return
        for name, inner in declared(kinds[0]).items():
            yield from wrong_types(getattr(value, name), inner, f"{where}.{name}" if where else name)
    else:
        plain = value.item() if getattr(value, "shape", None) == () else value
        if not isinstance(plain, (*kinds, int) if float in kinds else kinds):
            yield f"{where} is {shown(value)}, not {getattr(hint, '__name__', hint)}"


def off_grid(grid: tuple[tuple[Any, ...], ...], rows: int, columns: int, where: str) -> Iterator[str]:
    """Where something is not as many rows of as many cells as there are labels."""
    if len(grid) != rows:
        yield f"{where} has {len(grid)} rows for {rows}"
    for number, row in enumerate(grid):
        if len(row) != columns:
            yield f"{where}[{number}] has {len(row)} cells for {columns} columns"


def wrong_shapes(part: Any) -> Iterator[str]:
    """Where a part of the right types has rows, labels or digits that do not fit."""
    match part:
        case Matrix():
            yield from off_grid(part.values, len(part.rows), len(part.columns), "values")
            yield from off_grid(part.hidden or part.values, len(part.rows), len(part.columns), "hidden")
        case Table():
            yield from off_grid(part.rows, len(part.rows), len(part.columns), "rows")
            for column in part.columns:
                yield from wrong_shapes(column)
        case Series():
            yield from off_grid(tuple(line.values for line in part.lines), len(part.lines), len(part.x), "lines")
        case Pair():
            yield from (*wrong_shapes(part.left), *wrong_shapes(part.right))
            yield from off_grid(part.changed, len(part.left.rows), len(part.left.columns), "changed")
            yield from off_grid(part.right.values, len(part.left.rows), len(part.left.columns), "right")
    if isinstance(part, Matrix | Series | Column) and not 0 <= part.digits <= MOST_DIGITS:
        yield f"digits is {part.digits}, not between 0 and {MOST_DIGITS}"


def flaw(result: Result) -> str:
    """The first thing wrong with a Result's parts, as a sentence without its full stop; "" where all is well."""
    parts: Any = result.parts
    if not isinstance(parts, tuple | list):
        return f"Its parts are {shown(parts)}, not a tuple"
    for number, part in enumerate(parts, 1):
        if type(part) not in KINDS:
            names = ", ".join(kind.__name__ for kind in KINDS)
            return f"Part {number} is {shown(part)}, and not one of {names}"
        found = next(wrong_types(part, type(part), ""), "") or next(wrong_shapes(part), "")
        if found:
            return f"In part {number}, the {type(part).__name__} {shown(part.name)}, {found}"
    return ""
