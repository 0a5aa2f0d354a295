"""The Result of a demo: plain frozen data, in reading order. Every view shows the same Result.

Nothing here is styled and nothing is computed later: a number that a view needs is measured by the demo and stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Cell = str | bool | int | float | None  # None stands for "does not apply" and is shown as a dash


@dataclass(frozen=True)
class Note:
    """A short paragraph that leads from one part to the next."""

    name: str
    text: str


@dataclass(frozen=True)
class Statement:
    """One testable sentence: the claim, the measurement of this run, and whether the claim holds.

    `holds` is computed from the measurement; None marks a claim that is quoted from `source` and not measured here.
    `when` gives the conditions of a claim that does not always hold. `commands` show the claim where the Result's own
    command does not.
    """

    name: str
    claim: str
    measured: str
    holds: bool | None
    value: float | None = None
    source: str = ""
    when: str = ""
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matrix:
    """Numbers with a label on every row and column; `hidden` cells are masked, which is not the same as zero."""

    name: str
    title: str
    values: tuple[tuple[float, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    hidden: tuple[tuple[bool, ...], ...] | None = None
    digits: int = 2
    row_title: str = "query"
    column_title: str = "key"


@dataclass(frozen=True)
class Column:
    """The head of a table's column. `digits` are shown after the point of a float; `unit` stands beside the name."""

    name: str
    digits: int = 2
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Line:
    """One named curve of a Series, with one value for each x."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Series:
    """One or more curves over the same x, in place of a long table."""

    name: str
    title: str
    x_title: str
    y_title: str
    x: tuple[float, ...]
    lines: tuple[Line, ...]
    digits: int = 2


@dataclass(frozen=True)
class DiffLine:
    """One line of source: its number, and whether it stays (" "), goes ("-") or comes ("+")."""

    number: int
    sign: str
    text: str


@dataclass(frozen=True)
class Diff:
    """Changed lines of a source text: the code on the screen is the code that ran."""

    name: str
    title: str
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True)
class Pair:
    """The same matrix of two models, side by side; `changed` marks the cells that differ."""

    name: str
    title: str
    left: Matrix
    right: Matrix
    changed: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class Sign:
    """One vital sign of two models: `moved` is "up", "down", "lost", or "" where it stays in its range.

    A value is None where it could not be taken, and `reason` says why.
    """

    name: str
    sentence: str
    unit: str
    low: float
    high: float
    healthy: float | None
    broken: float | None
    moved: str
    reason: str = ""


@dataclass(frozen=True)
class Signs:
    """Vital signs of a healthy and a broken model."""

    name: str
    title: str
    signs: tuple[Sign, ...]


Part = Note | Statement | Matrix | Table | Series | Diff | Pair | Signs


@dataclass(frozen=True)
class Result:
    """A demo's findings. The demo gives `parts`; its caller fills in the rest (see `attention_lab.demo`)."""

    parts: tuple[Part, ...]
    demo: str = ""
    title: str = ""
    question: str = ""
    documents: tuple[str, ...] = ()
    seed: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    command: str = ""

    def __getitem__(self, name: str) -> Part:
        """The part of this name, so that a lesson or a test can say `result["row-it"]`."""
        for part in self.parts:
            if part.name == name:
                return part
        raise KeyError(f"no part named {name!r}; there are {', '.join(part.name for part in self.parts)}")

    def _repr_html_(self) -> str:
        """HTML of a Result for a notebook. The import stands here, since views stand above results."""
        from attention_lab.show.html import result_fragment

        return result_fragment(self)


def matrix(
    name: str,
    title: str,
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    mask: ArrayLike | None = None,
    digits: int = 2,
    row_title: str = "query",
    column_title: str = "key",
) -> Matrix:
    """A Matrix from a (rows, columns) array and, if given, a boolean mask of the same shape, True = may attend."""
    import numpy as np

    table = np.asarray(values, dtype=float)
    if table.shape != (len(rows), len(columns)):
        raise ValueError(f"{name}: values {table.shape} do not fit {len(rows)} row and {len(columns)} column labels")
    hidden = None
    if mask is not None:
        blocked = ~np.broadcast_to(np.asarray(mask, dtype=bool), table.shape)
        hidden = tuple(tuple(row) for row in blocked.tolist())
    numbers = tuple(tuple(row) for row in table.tolist())
    return Matrix(name, title, numbers, tuple(rows), tuple(columns), hidden, digits, row_title, column_title)


def table(name: str, title: str, columns: Sequence[Column | str], rows: Iterable[Iterable[Any]]) -> Table:
    """A Table from rows that may hold NumPy scalars; a column that is only a name gets the usual digits."""
    heads = tuple(column if isinstance(column, Column) else Column(column) for column in columns)
    cells = tuple(tuple(cell.item() if hasattr(cell, "item") else cell for cell in row) for row in rows)
    for row in cells:
        if len(row) != len(heads):
            raise ValueError(f"{name}: a row of {len(row)} cells under {len(heads)} columns")
    return Table(name, title, heads, cells)


def series(
    name: str,
    title: str,
    x_title: str,
    y_title: str,
    x: Iterable[float],
    lines: Mapping[str, Iterable[float]],
    digits: int = 2,
) -> Series:
    """A Series from the values of each named curve, one for each x."""
    positions = tuple(float(value) for value in x)
    curves = tuple(Line(label, tuple(float(value) for value in values)) for label, values in lines.items())
    for curve in curves:
        if len(curve.values) != len(positions):
            raise ValueError(f"{name}: curve {curve.name!r} has {len(curve.values)} values for {len(positions)} x")
    return Series(name, title, x_title, y_title, positions, curves, digits)
