"""The page of an inspection: what holds for all heads, what stands out, one row a head, pictures of the odd ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from attention_lab.errors import BadInput
from attention_lab.inspection.files import Array
from attention_lab.inspection.findings import KINDS, Head, Kind, findings, measure_heads
from attention_lab.inspection.heads import Heads
from attention_lab.inspection.measures import visible_keys
from attention_lab.inspection.scores import scores_statement
from attention_lab.result import Cell, Column, Matrix, Note, Part, Result, Statement, Table, matrix, table
from attention_lab.text import count, first_of

SHOWN = 20  # heads of a table, unless all are asked for
NAMED = 6  # heads that are named in a sentence
DRAWN = 3  # heads of which a matrix is drawn
WINDOW = 12  # rows and columns of it
WORDS = Note(
    "words",
    "Uniform: an entropy above 0.99 of ln(keys), the most there is. Dead: the rows differ by less than 0.01, in half "
    "the sum of absolute differences. Saturated: more than half of the rows have a weight above 0.99. Sink: a key with "
    "more than half of the mass in more than half of the rows. Looks at: a place, counted from the query, with more "
    "than half of the mass on average. Rows with a single key do not count, and four rows are the fewest for a "
    "pattern. Sinks, and heads that look at a neighbour, are usual in trained models. Heads, samples, queries and "
    "keys are counted from 0.",
)


def head_labels(heads: Sequence[Head]) -> str:
    """Labels of the first heads, and the number of the others."""
    labels = ", ".join(head.label for head in heads[:NAMED])
    return labels + (f" and {len(heads) - NAMED} more" if len(heads) > NAMED else "")


def heads_showing(kind: Kind, heads: Sequence[Head]) -> list[Head]:
    """Heads with this kind of finding, the worst first."""
    return sorted((head for head in heads if kind.shown_by(head)), key=lambda head: (-kind.distance(head), head.index))


def kind_statement(kind: Kind, heads: Sequence[Head]) -> Statement | None:
    """Whether the claim of a kind holds for these heads; None where it could not be measured."""
    amounts = [amount for head in heads if (amount := kind.amount(head)) is not None]
    if not kind.claim or not amounts or (kind.name == "copy" and len(heads) == 1):
        return None
    showing = heads_showing(kind, heads)
    seen = f"{len(showing)} of {count(len(heads), 'head')}: {head_labels(showing)}" if showing else ""
    example = f" ({kind.says(showing[0])})" if showing else ""
    overall = kind.overall(heads) or ("" if showing else f"It is so in {count(len(heads), 'head')}.")
    told = f"{overall} Not so in {seen}{example}." if showing else overall
    worst = max(amounts) if kind.low <= 0 else min(amounts)
    return Statement(kind.name.replace(" ", "-"), kind.claim, told.strip(), not showing, float(worst))


def overview(heads: Sequence[Head]) -> Table:
    """Table of findings with their heads."""
    rows = [(kind.name, len(shown), head_labels(shown)) for kind in KINDS if (shown := heads_showing(kind, heads))]
    return table("found", "What stands out, the worst first", ("finding", "heads", "which"), rows)


# ---- one row a head ----


def worst_first(heads: Sequence[Head]) -> list[Head]:
    """The heads, the worst first: by their worst finding, then by how far it goes."""

    def rank(head: Head) -> tuple[int, float, tuple[int, ...]]:
        kinds = findings(head)
        if not kinds:
            return len(KINDS), 0.0, head.index
        return KINDS.index(kinds[0]), -kinds[0].distance(head), head.index

    return sorted(heads, key=rank)


def columns(heads: Heads) -> list[tuple[Column, Callable[[Head], Cell]]]:
    """The columns of the table of heads, as far as they apply."""
    _, Tq, Tk = heads.sizes
    chosen: list[tuple[Column, Callable[[Head], Cell]]] = [
        (Column(".".join(heads.axes)), lambda head: head.label),
        (Column("found"), lambda head: "; ".join(kind.says(head) for kind in findings(head))),
        (Column("row sum off 1", 3), lambda head: head.measures.off),
        (Column("on the future", 3), lambda head: head.measures.future),
    ]
    if Tq != Tk:
        chosen.append((Column("causal from"), lambda head: head.measures.corner))
    if heads.mask is not None or heads.real is not None:
        chosen.append((Column(f"on {heads.closed} keys", 3), lambda head: head.measures.closed))
    chosen += [
        (Column("entropy", unit="nats"), lambda head: head.measures.entropy),
        (Column("of the most"), lambda head: head.measures.share),
        (Column("largest weight"), lambda head: head.measures.largest),
        (Column("rows above 0.99"), lambda head: head.measures.saturated),
    ]
    return chosen


def heads_table(heads: Heads, sorted_heads: Sequence[Head], every: bool) -> Table:
    """One row a head, the worst first, at most 20 unless all are asked for."""
    first_heads = sorted_heads if every else sorted_heads[:SHOWN]
    left = len(sorted_heads) - len(first_heads)
    title = "Each head, the worst first" + (f"; {left} more with --all" if left else "")
    chosen = columns(heads)
    rows = [[cell(head) for _, cell in chosen] for head in first_heads]
    return table("heads", title, [column for column, _ in chosen], rows)


def tempers_table(sorted_heads: Sequence[Head], axes: Sequence[str], every: bool) -> Table:
    """Table of the score spread of each head, with and without the division by √d_k, and of its output."""
    first_heads = [head for head in (sorted_heads if every else sorted_heads[:SHOWN]) if head.temper is not None]
    heads = (
        ".".join(axes),
        "std of scores",
        "without ÷ √d_k",
        "largest weight",
        "largest without ÷ √d_k",
        "output / value",
    )
    rows = [
        (
            head.label,
            head.temper.spread,
            head.temper.raw,
            head.measures.largest,
            head.temper.raw_largest,
            head.temper.passed_on,
        )
        for head in first_heads
        if head.temper is not None
    ]
    known = any(row[-1] is not None for row in rows)
    width = len(heads) - (not known)
    return table("scores", "What the scale does to each of them", heads[:width], [row[:width] for row in rows])


# ---- pictures ----


def heads_to_draw(sorted_heads: Sequence[Head]) -> Iterator[tuple[Head, Kind]]:
    """The odd heads to draw: of each kind the worst head that is not drawn yet, up to three."""
    taken: list[Head] = []
    for kind in KINDS:
        left = [head for head in heads_showing(kind, sorted_heads) if head not in taken and findings(head)[0] is kind]
        if left and len(taken) < DRAWN:
            taken.append(left[0])
            yield left[0], kind


def window(place: int, length: int) -> slice:
    """Slice of at most WINDOW places around `place`."""
    start = max(0, min(place - WINDOW // 2, length - WINDOW))
    return slice(start, min(start + WINDOW, length))


def range_text(what: str, shown: slice, length: int) -> str:
    """Which rows or columns are shown: "keys 4–15 of 64"."""
    return f"{what} {shown.start}–{shown.stop - 1} of {length}"


def head_picture(heads: Heads, head: Head, kind: Kind) -> Matrix:
    """The part of a head's weights that shows what was found; closed cells are hidden if nothing is in them."""
    weights, allowed = heads.of(head.index), heads.allowed(head.index)
    marks: Array = np.asarray(kind.spot(weights, allowed, head), dtype=float)
    if heads.queries is not None and (of_tokens := marks * heads.queries[..., np.newaxis]).any():
        marks = of_tokens
    sample, row, column = np.unravel_index(int(marks.argmax()), weights.shape)
    B, Tq, Tk = weights.shape
    rows, keys = window(int(row), Tq), window(int(column), Tk)
    where = [f"sample {sample} of {B}"] if B > 1 else []
    if max(Tq, Tk) > WINDOW:
        where += [range_text("queries", rows, Tq), range_text("keys", keys, Tk)]
    title = f"{'.'.join(heads.axes)} {head.label}: {kind.says(head)}"
    title += f" ({', '.join(where)}; the others are not shown)" if where else ""
    visible = visible_keys(weights.shape, allowed, head.measures.corner) | (weights != 0)
    return matrix(
        f"head-{head.label}",
        title,
        weights[sample, rows, keys],
        [str(i) for i in range(Tq)[rows]],
        [str(j) for j in range(Tk)[keys]],
        visible[sample, rows, keys],
    )


# ---- the page ----


def inspect_heads(
    heads: Heads, passed_over: Sequence[str] = (), every: bool = False, progress: Callable[[str], None] = lambda _: None
) -> Result:
    """Result of an inspection; scores get one statement only. Raises BadInput where nothing is finite."""
    measured = measure_heads(heads, progress)
    if all(head.measures.not_finite == int(np.prod(heads.sizes)) for head in measured):
        raise BadInput("Every weight is NaN or infinite.", "Look for the layer in which the first one appears.")
    rows = worst_first(measured)
    B, Tq, Tk = heads.sizes
    assumed = f"{heads.assumed} {count(len(measured), 'head')}, {count(B, 'sample')}, {Tq} queries, {Tk} keys."
    if heads.queries is not None:
        assumed += " Queries and keys are taken as the same tokens: means are not over the rows of padded ones."
    aside = f" Not looked at: {first_of(passed_over, SHOWN)}." if passed_over else ""
    parts: list[Part] = [Note("read", assumed + aside)]
    if unfinished := scores_statement(heads, measured):
        return Result((unfinished, *parts), demo="inspect", title="These look like scores, not weights")
    parts += [one for kind in KINDS if (one := kind_statement(kind, measured))]
    if any(findings(head) for head in measured):
        parts.append(overview(measured))
    parts.append(heads_table(heads, rows, every))
    if any(head.temper for head in measured):
        parts.append(tempers_table(rows, heads.axes, every))
    parts += [*(head_picture(heads, head, kind) for head, kind in heads_to_draw(rows)), WORDS]
    return Result(tuple(parts), demo="inspect", title="What each head of these weights does")
