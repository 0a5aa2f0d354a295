"""Find a number in a Result by its path, and format it as the lesson writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attention_lab.result import Cell, Matrix, Pair, Part, Result, Series, Signs, Statement, Table
from attention_lab.text import listed

NUMBER = re.compile(r"[-−]?(?P<whole>\d[\d,]*|(?=\.\d))(?:\.(?P<decimals>\d+))?(?P<percent> ?%)?")
OPEN = ("…", "...", "… %", "... %")  # written for numbers that vary from run to run, such as times
MOST_NAMES = 8  # most names that an error message lists


class NoSuchPlace(LookupError):
    """A path that leads nowhere; the message says where it ends and which names exist there."""


def name_list(names: Sequence[str]) -> str:
    """A list of the names as text; of many names the first and a count of the others."""
    more = len(names) - MOST_NAMES
    return listed([*names[:MOST_NAMES], f"{more} more"] if more > 0 else list(names)) if names else "nothing"


def unique_labels(labels: Sequence[str]) -> list[str]:
    """Labels made unique: a repeated label gets a number, as in "the", "the#2"."""
    seen: dict[str, int] = {}
    names = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        names.append(label if seen[label] == 1 else f"{label}#{seen[label]}")
    return names


def row_column_splits(path: str) -> Iterator[tuple[str, str]]:
    """Every way to split a path into row and column, since a label may contain a slash itself."""
    pieces = path.split("/")
    for cut in range(1, len(pieces)):
        yield "/".join(pieces[:cut]), "/".join(pieces[cut:])


def grid_cell(path: str, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[Cell]]) -> Cell:
    """The cell of a grid at "row/column". Raises NoSuchPlace with the names that exist."""
    above, beside = unique_labels(columns), unique_labels(rows)
    for row, column in row_column_splits(path):
        if row in beside and column in above:
            return values[beside.index(row)][above.index(column)]
    raise NoSuchPlace(f"no cell {path!r}: the rows are {name_list(beside)}, the columns {name_list(above)}")


def sign_value(signs: Signs, path: str) -> Cell:
    """A vital sign of the broken model, or "NAME/healthy", or "NAME/moved": up, down, lost."""
    name, _, which = path.partition("/")
    sign = next((sign for sign in signs.signs if sign.name == name), None)
    if sign is None or which not in ("", "broken", "healthy", "moved"):
        raise NoSuchPlace(f"no vital sign {path!r}: there are {name_list([sign.name for sign in signs.signs])}")
    return {"healthy": sign.healthy, "moved": sign.moved}.get(which, sign.broken)


def part_value(part: Part, path: str) -> Cell:
    """The value of a part at a path. Raises NoSuchPlace."""
    match part:
        case Statement() if not path:
            return part.value
        case Matrix():
            return grid_cell(path, part.rows, part.columns, part.values)
        case Table():
            columns = [column.name for column in part.columns]
            return grid_cell(path, [str(row[0]) for row in part.rows], columns, part.rows)
        case Series():
            names, x = [line.name for line in part.lines], [f"{place:g}" for place in part.x]
            return grid_cell(path, names, x, [line.values for line in part.lines])
        case Pair() if path.partition("/")[0] in ("healthy", "broken"):
            which, _, rest = path.partition("/")
            return part_value(part.left if which == "healthy" else part.right, rest)
        case Signs():
            return sign_value(part, path)
    raise NoSuchPlace(f"{part.name!r} holds no number at {path!r}")


def part_at(result: Result, path: str) -> tuple[Part, str]:
    """The part that a path starts with, and the rest of the path. Raises NoSuchPlace."""
    name, _, rest = path.partition("/")
    for part in result.parts:
        if part.name == name:
            return part, rest
    raise NoSuchPlace(f"no part {name!r}: there are {name_list([part.name for part in result.parts])}")


def value_at(result: Result, path: str) -> Cell:
    """The number, word or boolean at a path. Raises NoSuchPlace, also if the value was not measured."""
    value = part_value(*part_at(result, path))
    if value is None:
        raise NoSuchPlace(f"{path!r} was not measured")
    return value


def holds_at(result: Result, path: str) -> bool:
    """True if the statement with this name holds. Raises NoSuchPlace if it is no statement, or only quoted."""
    part, rest = part_at(result, path)
    if not isinstance(part, Statement) or rest or part.holds is None:
        raise NoSuchPlace(f"{path!r} is no statement that was tested")
    return part.holds


def format_like(value: Cell, written: str) -> str:
    """A value with the decimals and the percent sign of `written`: 0.61249 like "0.61" is 0.61.

    Words stay unchanged. If `written` holds no number, such as an ellipsis, four digits or whole per cents are given.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or value is None:
        return str(value)
    pattern = NUMBER.search(written)
    if pattern is None:
        return f"{value * 100:.0f} %" if written.endswith("%") else f"{value:.4g}"
    scale, grouped = 100 if pattern["percent"] else 1, "," if "," in pattern["whole"] else ""
    text = f"{value * scale:z{grouped}.{len(pattern['decimals'] or '')}f}"
    if not pattern["whole"]:
        text = text.replace("0.", ".", 1)
    if "-" not in pattern[0]:
        text = text.replace("-", "−")
    return written[: pattern.start()] + text + (pattern["percent"] or "") + written[pattern.end() :]
