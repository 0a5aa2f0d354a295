"""A Series on a terminal: a small chart, each curve with a mark of its own, and its end values as text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from string import ascii_lowercase

from rich.text import Text

from attention_lab.result import Line, Series
from attention_lab.show.axis import Axis, finite_values, x_axis, y_axis
from attention_lab.show.glyphs import Glyphs
from attention_lab.show.layout import pad, wrap
from attention_lab.show.numbers import format_lone_number, format_position
from attention_lab.show.theme import ASIDE, CAPTION, CURVES

HEIGHT = 10  # rows of the chart
WIDEST = 72  # most columns of the chart: more would only flatten it

Spot = tuple[int, int]  # row from the bottom, column
Canvas = dict[Spot, tuple[str, str]]  # the glyph and its style


def curve_marks(series: Series, glyphs: Glyphs) -> list[tuple[str, str]]:
    """The mark and the style of each curve; letters once the marks are used up."""
    marks = glyphs.marks + "".join(letter for letter in ascii_lowercase if letter not in glyphs.marks)
    return [(marks[i % len(marks)], CURVES[i % len(CURVES)]) for i in range(len(series.lines))]


def spots(xs: tuple[float, ...], line: Line, x: Axis, y: Axis, columns: int) -> list[Spot | None]:
    """The spots of a curve's points, in the order of x; None for a point that is not finite."""
    placed: list[Spot | None] = []
    for at, value in sorted(zip(xs, line.values, strict=True)):
        drawn = len(finite_values((at, value))) == 2
        row, column = (y.fraction(value) * (HEIGHT - 1), x.fraction(at) * (columns - 1)) if drawn else (0.0, 0.0)
        placed.append((round(row), round(column)) if drawn else None)
    return placed


def straight_path(start: Spot, end: Spot) -> Iterator[Spot]:
    """The spots on a straight line between two spots, both excluded."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    for step in range(1, steps):
        row, column = (round(a + (b - a) * step / steps) for a, b in zip(start, end, strict=True))
        yield row, column


def draw_canvas(series: Series, x: Axis, y: Axis, columns: int, glyphs: Glyphs) -> Canvas:
    """All curves: first the paths between their points, then their marks; a shared spot gets a mark of its own."""
    canvas: Canvas = {}
    marks = curve_marks(series, glyphs)
    placed = [spots(series.x, line, x, y, columns) for line in series.lines]
    for way, (_, style) in zip(placed, marks, strict=True):
        for start, end in pairwise(way):
            canvas |= dict.fromkeys(straight_path(start, end), (glyphs.join, style)) if start and end else {}
    taken: dict[Spot, str] = {}
    for way, (mark, style) in zip(placed, marks, strict=True):
        for spot in filter(None, way):
            alone = taken.setdefault(spot, mark) == mark
            canvas[spot] = (mark, style) if alone else (glyphs.several, "")
    return canvas


def tick_line(series: Series, x: Axis, columns: int, glyphs: Glyphs) -> str:
    """The numbers under the x axis: the first and the last, and those between that have room."""
    line = [" "] * columns
    for value in x.tick_candidates(series.x):
        text = format_position(value, glyphs)
        start = min(max(round(x.fraction(value) * (columns - 1)) - len(text) // 2, 0), max(columns - len(text), 0))
        around = line[max(start - 2, 0) : start + len(text) + 2]
        if len(text) <= columns and set(around) == {" "}:
            line[start : start + len(text)] = text
    return "".join(line).rstrip()


def y_labels(series: Series, y: Axis, glyphs: Glyphs) -> dict[int, str]:
    """The numbers beside the top and the bottom row, by row."""
    return {
        HEIGHT - 1: format_lone_number(y.high, series.digits, glyphs),
        0: format_lone_number(y.low, series.digits, glyphs),
    }


def chart_lines(series: Series, x: Axis, y: Axis, canvas: Canvas, columns: int, glyphs: Glyphs) -> Iterator[Text]:
    """The rows of the chart from the top down, labelled with the ends of y, and the x axis below."""
    labels = y_labels(series, y, glyphs)
    margin = " " * (max(map(len, labels.values())) + 1)
    for row in reversed(range(HEIGHT)):
        line = Text().append(f"{labels.get(row, ''):>{len(margin) - 1}} {glyphs.upright}", ASIDE)
        for column in range(columns):
            line.append(*canvas.get((row, column), (" ", "")))
        line.rstrip()
        yield line
    yield Text(margin + glyphs.corner + glyphs.rule * columns, ASIDE)
    yield Text(margin + " " + tick_line(series, x, columns, glyphs), ASIDE)
    for title in wrap(x.axis_title(series.x_title), columns):
        yield Text(margin + " " + pad(title, columns, "centre").rstrip(), ASIDE)


def end_values(series: Series, line: Line, glyphs: Glyphs) -> str:
    """The first and the last value of a curve, with their x."""
    pairs = (line.values[0], series.x[0]), (line.values[-1], series.x[-1])
    first, last = (
        f"{format_lone_number(value, series.digits, glyphs)} at {format_position(x, glyphs)}" for value, x in pairs
    )
    return first if len(series.x) == 1 else f"{first}, {last}"


def legend_lines(series: Series, several: bool, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """One line for each curve: its mark, its name, its first and last value, and how many values are not finite."""
    for line, (mark, style) in zip(series.lines, curve_marks(series, glyphs), strict=True):
        missing = len(line.values) - len(finite_values(line.values))
        more = f" ({missing} of {len(line.values)} values are not finite and not drawn)" if missing else ""
        words = f"{line.name}: {end_values(series, line, glyphs)}{more}" if series.x else line.name
        for number, piece in enumerate(wrap(words, width - 2)):
            yield Text.assemble((mark if number == 0 else " ", style), " " + piece)
    for piece in wrap(f"{glyphs.several} more than one of them", width) if several else []:
        yield Text(piece, ASIDE)


def series_lines(series: Series, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """The lines of a series: title, chart, legend. Without a finite value there is no chart."""
    for title in wrap(series.title, width):
        yield Text(title, CAPTION)
    x, y = x_axis(series.x), y_axis([value for line in series.lines for value in line.values])
    canvas: Canvas = {}
    if x and y:
        for title in wrap(y.axis_title(series.y_title), width):
            yield Text(title, ASIDE)
        margin = max(map(len, y_labels(series, y, glyphs).values())) + len(" |")
        columns = max(2, min(WIDEST, width - margin))
        canvas = draw_canvas(series, x, y, columns, glyphs)
        yield from chart_lines(series, x, y, canvas, columns, glyphs)
    several = (glyphs.several, "") in canvas.values()
    yield from legend_lines(series, several, width, glyphs)
