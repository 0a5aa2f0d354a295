"""Positions: sine and cosine at many speeds give each position a code that nobody has to learn."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Column, Note, Part, Result, Statement, matrix, series, table
from attention_lab.variants import Model

Array = NDArray[np.floating]

PICTURE, COLUMNS = 8, 12  # rows and columns of the heatmap
CLOCKS = 6  # rows of the table of wavelengths
CURVE = 64  # distances in the curve
FAR = 27  # a distance that is looked at twice
WORDS = 100  # random ones


def reference_codes(T: int, d_model: int) -> Array:  # -> (T, d_model)
    """The codes number by number, without the model."""
    codes = np.empty((T, d_model))
    for column in range(d_model):
        angle = np.arange(T) / 10000 ** (column // 2 * 2 / d_model)
        codes[:, column] = np.cos(angle) if column % 2 else np.sin(angle)
    return codes


def word_and_code(model: Model, rng: np.random.Generator, d_model: int) -> tuple[float, float]:
    """How long a word's vector and its position's code are in what embed() adds up, on average over random words."""
    table = weights.embedding(rng, WORDS, d_model)
    ids = np.arange(WORDS)[np.newaxis]
    code = model.embed(ids, 0 * table)
    word = model.embed(ids, table) - code
    return float(np.linalg.norm(word, axis=-1).mean()), float(np.linalg.norm(code, axis=-1).mean())


def similarity(codes: Array) -> Array:  # (T, d_model) -> (T, T)
    """The dot product of every two codes, divided by the number of pairs: 1 for the same code."""
    alike: Array = codes @ codes.T / (codes.shape[-1] // 2)
    return alike


def wavelengths(codes: Array) -> Array:  # (T, d_model) -> (d_model / 2,)
    """Positions until each pair of columns repeats, from how far it turns between positions 0 and 1."""
    turned = np.arctan2(codes[1, 0::2], codes[1, 1::2]) - np.arctan2(codes[0, 0::2], codes[0, 1::2])
    with np.errstate(divide="ignore"):  # what never turns has an infinite wavelength
        length: Array = 2 * np.pi / turned
    return length


def spread_by_distance(alike: Array) -> float:  # (T, T)
    """How much the similarity at one distance depends on where one starts, at the worst distance."""
    return max(float(np.ptp(np.diagonal(alike, distance))) for distance in range(len(alike)))


def nearest_distance(codes: Array) -> float:  # (T, d_model)
    """Distance between the two most similar codes."""
    square = (codes**2).sum(axis=-1)
    apart = square[:, np.newaxis] + square - 2 * codes @ codes.T
    np.fill_diagonal(apart, np.inf)
    return float(np.sqrt(max(apart.min(), 0)))


def odd_width(d_model: int) -> tuple[Part, ...]:
    """A word on the column without a partner, if there is one."""
    if d_model % 2 == 0:
        return ()
    return (Note("odd", f"Column {d_model - 1} is a sine without its cosine. What follows is about the pairs only."),)


def width_7(model: Model) -> tuple[bool, str]:
    """Whether the model makes a table of odd width, and a sentence on it."""
    try:
        shape = np.shape(model.sinusoidal_positions(8, 7))
    except ValueError as reason:
        return False, f'the model says "{reason}"'
    return shape == (8, 7), f"eight codes have the shape {list(shape)}"


def run(
    model: Model,
    *,
    positions: Annotated[int, Param("how many positions to compare", at_least=32, at_most=4096)] = 200,
    d_model: Annotated[int, Param("width of a code; an odd one works too", at_least=2, at_most=4096)] = 12,
    seed: Seed = 0,
) -> Result:
    """The sinusoidal codes: a picture, their wavelengths, and how alike two positions are.

    The seed draws the second place from which a distance is counted, and words to which codes are added.
    """
    require_memory(
        8.0 * positions * (6 * d_model + 4 * positions),
        f"--positions {positions} with --d-model {d_model}",
        "Give smaller ones.",
    )
    codes = np.asarray(model.sinusoidal_positions(positions, d_model), dtype=float)
    rule_error = np.abs(codes - reference_codes(positions, d_model)).max()
    longer = np.abs(model.sinusoidal_positions(2 * positions, d_model)[:positions] - codes).max()
    pairs = codes[:, : d_model // 2 * 2]
    lengths = np.sqrt(pairs[:, 0::2] ** 2 + pairs[:, 1::2] ** 2)
    length_error = np.abs(lengths - 1).max()
    waves = wavelengths(pairs)
    with np.errstate(invalid="ignore"):  # nothing is slower than what never turns
        slower = waves[1:] / waves[:-1]

    alike = similarity(pairs)
    fall = alike[0]
    rng = np.random.default_rng(seed)
    elsewhere = int(rng.integers(4, positions - FAR))
    word, code = word_and_code(model, rng, d_model)
    depends = spread_by_distance(alike)
    rises = np.flatnonzero(np.diff(fall) > 1e-12)
    closest = nearest_distance(codes)

    odd_works, odd_seen = width_7(model)
    shown = min(d_model, COLUMNS)
    return Result(
        (
            matrix(
                "codes",
                f"Codes of {d_model} columns" + (f", the first {shown}" if shown < d_model else ""),
                codes[:PICTURE, :shown],
                [str(position) for position in range(PICTURE)],
                [str(column) for column in range(shown)],
                row_title="position",
                column_title="column",
            ),
            *odd_width(d_model),
            Statement(
                "computed",
                "The codes are computed, not learned. Column 2i is the sine and column 2i + 1 the cosine of position ÷ "
                "10000^(2i ÷ d_model).",
                f"Worked out one by one, {codes.size:,} numbers differ by {rule_error:.1g} at most; in a text twice as "
                f"long they change by {longer:.1g}.",
                holds=bool(rule_error < 1e-9 and longer < 1e-9),
                value=float(rule_error),
                source="D0, paper 3.5",
            ),
            table(
                "clocks",
                "Sine and cosine are the hand of a clock; each pair of columns is slower than the one before",
                ("columns", Column("wavelength", 1), Column("× the one before", 3)),
                [
                    (f"{2 * pair}, {2 * pair + 1}", waves[pair], slower[pair - 1] if pair else None)
                    for pair in range(min(CLOCKS, len(waves)))
                ],
            ),
            Statement(
                "unit-clocks",
                "Every hand has length 1 (sin² + cos² = 1), and each clock is slower by the same factor.",
                f"The lengths are off by {length_error:.1g} at most; wavelengths go from {waves[0]:.2f} to "
                f"{waves[-1]:,.0f} positions; 2π is {2 * np.pi:.2f}.",
                holds=bool(length_error < 1e-12 and np.all(slower > 1) and np.allclose(slower, slower[:1], rtol=1e-6)),
                value=float(length_error),
                source="D0",
            ),
            Statement(
                "distance-only",
                "How alike two codes are depends on their distance only, not on where one starts.",
                f"At distance {FAR} the similarity is {alike[3, 3 + FAR]:.4f} from 3 and "
                f"{alike[elsewhere, elsewhere + FAR]:.4f} from {elsewhere}; at no distance does it vary by more than "
                f"{depends:.1g}.",
                holds=depends < 1e-12,
                value=depends,
                source="paper 3.5",
            ),
            series(
                "fall",
                "Similarity to position 0",
                "distance",
                "similarity",
                range(min(positions, CURVE)),
                {"similarity": fall[:CURVE]},
            ),
            Statement(
                "every-step",
                "The further apart, the less alike.",
                f"Positions 3 and 4 are alike by {alike[3, 4]:.2f}, 3 and 30 by {alike[3, 30]:.2f}; but at "
                f"{len(rises)} of {positions - 1} steps the similarity rises again.",
                holds=bool(len(rises) == 0 and np.all(np.isfinite(fall))),
                value=float(len(rises)),
            ),
            Statement(
                "fingerprint",
                f"No two of {positions} positions have the same code.",
                f"The two most alike are {closest:.2g} apart, where each has length {(d_model / 2) ** 0.5:.2f}.",
                holds=closest > 1e-5,
                value=closest,
                source="D0",
            ),
            Statement(
                "word-is-louder",
                "Multiplied by √d_model, a word's vector is longer than the code that is added to it.",
                f"On average over {WORDS} random words it is {word:.2f} long, and its code {code:.2f}.",
                holds=word > code,
                value=word / code if code else None,
                source="D3",
            ),
            Statement(
                "any-width",
                "A code of odd width exists too: its last sine has no cosine.",
                f"With d_model = 7 {odd_seen}.",
                holds=odd_works,
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
