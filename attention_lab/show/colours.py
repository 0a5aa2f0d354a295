"""The colour of a number: cividis, in which equal steps look equal, also to colour-blind readers and in grey print."""

from __future__ import annotations

import math
from collections.abc import Iterable

# seventeen equally spaced colours of cividis (Nuñez, Anderton and Renslow, 2018), from dark blue by grey to yellow
CIVIDIS = (
    (0x00, 0x22, 0x4E), (0x00, 0x2E, 0x6A), (0x1A, 0x38, 0x6F), (0x32, 0x43, 0x6D), (0x43, 0x4E, 0x6C),
    (0x53, 0x5A, 0x6D), (0x61, 0x65, 0x6F), (0x6F, 0x70, 0x73), (0x7D, 0x7C, 0x78), (0x8C, 0x88, 0x78),
    (0x9B, 0x94, 0x76), (0xAB, 0xA0, 0x72), (0xBC, 0xAE, 0x6C), (0xCD, 0xBB, 0x63), (0xDE, 0xC9, 0x58),
    (0xF0, 0xD8, 0x46), (0xFE, 0xE8, 0x38),
)  # fmt: skip

Colour = tuple[int, int, int]


def colour_range(values: Iterable[float]) -> tuple[float, float]:
    """The numbers that get the darkest and the brightest colour of a matrix.

    Shares, from 0 to 1, always get the same range: equal weights of two matrices have one colour. With negative numbers
    the range is as wide below zero as above, so that grey is zero, blue is negative and yellow is positive.
    """
    finite = [value for value in values if math.isfinite(value)]
    most = max((abs(value) for value in finite), default=0.0)
    if min(finite, default=0.0) < 0:
        return -most, most
    return 0.0, 1.0 if 0 < most <= 1 else most


def colour_of(value: float, low: float, high: float) -> Colour:
    """The colour of a finite number between low and high, mixed from the two nearest samples.

    For ranges that begin at zero the square root is mapped, which keeps 0.05 and 0.15 apart in a range up to 1.
    """
    place = (value / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.0  # halves: high − low may overflow
    place = max(place, 0.0) ** (0.5 if low == 0 else 1.0)
    step, part = divmod(min(max(place, 0.0), 1.0) * (len(CIVIDIS) - 1), 1)
    below, above = CIVIDIS[int(step)], CIVIDIS[min(int(step) + 1, len(CIVIDIS) - 1)]
    red, green, blue = (round(start + (end - start) * part) for start, end in zip(below, above, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG defines it, from 0 for black to 1 for white."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(colour: Colour) -> Colour:
    """Black or white, whichever stands out more against the colour."""
    behind = luminance(colour)
    return (0, 0, 0) if (behind + 0.05) ** 2 > 1.05 * 0.05 else (255, 255, 255)


def as_hex(colour: Colour) -> str:
    """The colour as #rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
