"""Find a number in a Result by its path, and write it as a lesson writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attention_lab.result import Cell, Matrix, Pair, Part, Result, Series, Signs, Statement, Table
from attention_lab.text import listed

NUMBER = re.compile(r"[-−]?(?P<whole>\d[\d,]*|(?=\.\d))(?:\.(?P<decimals>\d+))?(?P<percent> ?%)?")
OPEN = ("…", "...", "… %", "... %")  # written where a number differs from run to run, such as a time
MOST = 8  # names that a sentence of complaint lists


class NoSuchPlace(LookupError):
    """A path that leads nowhere; the message says where it ends and what there is instead."""


def among(names: Sequence[str]) -> str:
    """The names there are, the first of them if there are many."""
    more = len(names) - MOST
    return listed([*names[:MOST], f"{more} more"] if more > 0 else list(names)) if names else "nothing"


def numbered(labels: Sequence[str]) -> list[str]:
    """Labels that occur twice get a number: "the", "the#2"."""
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f"{label}#{seen[label]}")
    return names


def splits(path: str) -> Iterator[tuple[str, str]]:
    """Every way to take a path for "row/column": a label may hold a stroke itself."""
    pieces = path.split("/")
    for cut in range(1, len(pieces)):
        yield "/".join(pieces[:cut]), "/".join(pieces[cut:])


def cell_of(path: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[Cell]]) -> Cell:
    """The cell of a grid under "row/column". Raises NoSuchPlace with the names there are."""
    above, beside = numbered(columns), numbered(rows)
    for row, column in splits(path):
        if row in beside and column in above:
            return values[beside.index(row)][above.index(column)]
    raise NoSuchPlace(f"no cell {path!r}: the rows are {among(beside)}, the columns {among(above)}")


def sign_value(signs: Signs, path: str) -> Cell:
    """A vital sign of the broken model, or "NAME/healthy", or "NAME/moved": up, down, lost."""
    name, _, which = path.partition("/")
    found = next((sign for sign in signs.signs if sign.name == name), None)
    if found is None or which not in ("", "broken", "healthy", "moved"):
        raise NoSuchPlace(f"no vital sign {path!r}: there are {among([sign.name for sign in signs.signs])}")
    return {"healthy": found.healthy, "moved": found.moved}.get(which, found.broken)


def inside(part: Part, path: str) -> Cell:
    """The number that a part holds at a path. Raises NoSuchPlace."""
    match part:
        case Statement() if not path:
            return part.value
        case Matrix():
            return cell_of(path, part.rows, part.columns, part.values)
        case Table():
            columns = [column.name for column in part.columns]
            return cell_of(path, [str(row[0]) for row in part.rows], columns, part.rows)
        case Series():
            names, x = [line.name for line in part.lines], [f"{place:g}" for place in part.x]
            return cell_of(path, names, x, [line.values for line in part.lines])
        case Pair() if path.partition("/")[0] in ("healthy", "broken"):
            which, _, rest = path.partition("/")
            return inside(part.left if which == "healthy" else part.right, rest)
        case Signs():
            return sign_value(part, path)
    raise NoSuchPlace(f"{part.name!r} holds no number at {path!r}")


def part_at(result: Result, path: str) -> tuple[Part, str]:
    """The part that a path begins with, and the rest of the path. Raises NoSuchPlace."""
    name, _, rest = path.partition("/")
    for part in result.parts:
        if part.name == name:
            return part, rest
    raise NoSuchPlace(f"no part {name!r}: there are {among([part.name for part in result.parts])}")


def look_up(result: Result, path: str) -> Cell:
    """The number, word or yes and no at a path. Raises NoSuchPlace, also where the number was not measured."""
    found = inside(*part_at(result, path))
    if found is None:
        raise NoSuchPlace(f"{path!r} was not measured")
    return found


def verdict(result: Result, path: str) -> bool:
    """Whether the statement of this name holds. Raises NoSuchPlace where it is none, or only quoted."""
    part, rest = part_at(result, path)
    if not isinstance(part, Statement) or rest or part.holds is None:
        raise NoSuchPlace(f"{path!r} is no statement that was tested")
    return part.holds


def as_written(value: Cell, written: str) -> str:
    """A value with the digits and the percent sign that it is written with: 0.61249 like "0.61" is 0.61.

    Words stay as they are; where an ellipsis is written, or no number, four digits are given, or whole per cents.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or value is None:
        return str(value)
    pattern = NUMBER.search(written)
    if pattern is None:
        return f"{value * 100:.0f} %" if written.endswith("%") else f"{value:.4g}"
    scale, grouped = 100 if pattern["percent"] else 1, "," if "," in pattern["whole"] else ""
    shown = f"{value * scale:z{grouped}.{len(pattern['decimals'] or '')}f}"
    if not pattern["whole"]:
        shown = shown.replace("0.", ".", 1)
    if "-" not in pattern[0]:
        shown = shown.replace("-", "−")
    return written[: pattern.start()] + shown + (pattern["percent"] or "") + written[pattern.end() :]
