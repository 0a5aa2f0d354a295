"""A Series as inline SVG for a page. Curves differ in colour, in dashes and in the shape of their marks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from itertools import groupby

from attention_lab.result import Line, Series
from attention_lab.show.axis import Axis, x_axis, y_axis
from attention_lab.show.numbers import format_position

WIDTH, HEIGHT = 400, 240  # of the picture in user units; a phone shows about one pixel for each
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 24, 40  # margins around the plot
APART = 9  # room for one digit under the axis
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5648f", "#8a6d00", "#3d8fc4")  # visible on white and on black
DASHES = ("", "7 3", "2 3", "9 3 2 3")
SHAPES = (  # marks around 0, 0
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M0 -5L5 4L-5 4z",
    "M-3.5 -3.5h7v7h-7z",
    "M0 -5.5L4.5 0L0 5.5L-4.5 0z",
)


def mark_svg(index: int, x: float, y: float) -> str:
    """The mark of the curve with this index, around a point."""
    shape = SHAPES[index % len(SHAPES)]
    return f'<path d="{shape}" transform="translate({x:.1f} {y:.1f})" fill="{COLOURS[index % len(COLOURS)]}"/>'


def stroke_attributes(index: int) -> str:
    """Stroke, width and dashes of the curve with this index."""
    dash = DASHES[index % len(DASHES)]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="none" stroke="{COLOURS[index % len(COLOURS)]}" stroke-width="2"{dashes}'


def label_svg(text: str, x: float, y: float, anchor: str) -> str:
    """A piece of text, in the colour of the page's text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def pixel_x(axis: Axis, value: float) -> float:
    """Horizontal position of an x in the picture."""
    return LEFT + axis.fraction(value) * (WIDTH - LEFT - RIGHT)


def pixel_y(axis: Axis, value: float) -> float:
    """Vertical position of a value in the picture, where y grows downwards."""
    return HEIGHT - BOTTOM - axis.fraction(value) * (HEIGHT - TOP - BOTTOM)


def grid_svg(axis: Axis) -> Iterator[str]:
    """Horizontal lines across the plot at round values, with their numbers."""
    for value in axis.round_values():
        y = pixel_y(axis, value)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="currentColor" stroke-opacity=".2"/>'
        yield label_svg(format_position(value), LEFT - 8, y + 4, "end")


def ticks_svg(axis: Axis, series: Series) -> Iterator[str]:
    """The numbers under the x axis: the first and the last, and those between that have room."""
    taken: list[tuple[float, float]] = []
    for value in axis.tick_candidates(series.x):
        x, half = pixel_x(axis, value), APART * (len(format_position(value)) + 1) / 2
        if all(x + half <= start or x - half >= end for start, end in taken):
            taken.append((x - half, x + half))
            yield label_svg(format_position(value), x, HEIGHT - BOTTOM + 16, "middle")


def curve_svg(series: Series, line: Line, index: int, x: Axis, y: Axis) -> Iterator[str]:
    """One curve: each unbroken stretch, followed by its marks."""
    points = sorted(zip(series.x, line.values, strict=True))
    for drawn, stretch in groupby(points, key=lambda point: all(map(math.isfinite, point))):
        if not drawn:
            continue
        spots = [(pixel_x(x, at), pixel_y(y, value)) for at, value in stretch]
        yield f'<path d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in spots)}" {stroke_attributes(index)}/>'
        yield from (mark_svg(index, a, b) for a, b in spots)


def legend_key_svg(index: int) -> str:
    """A short piece of a curve, for the legend."""
    piece = f'<path d="M0 8H36" {stroke_attributes(index)}/>{mark_svg(index, 18, 8)}'
    return f'<svg viewBox="0 0 36 16" width="36" height="16" aria-hidden="true">{piece}</svg>'


def chart_svg(series: Series) -> str:
    """The picture without its legend; "" if there is no finite value to draw."""
    x, y = x_axis(series.x), y_axis([value for line in series.lines for value in line.values])
    if x is None or y is None:
        return ""
    pieces = [*grid_svg(y), *ticks_svg(x, series), label_svg(y.axis_title(series.y_title), 4, 12, "start")]
    pieces.append(label_svg(x.axis_title(series.x_title), (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle"))
    for index, line in enumerate(series.lines):
        pieces += curve_svg(series, line, index, x, y)
    title = escape(f"Line chart: {series.title}", quote=True)
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">{"".join(pieces)}</svg>'
