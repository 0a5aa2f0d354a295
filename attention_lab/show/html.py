"""A Result as HTML: a fragment for a notebook, or a complete page that loads nothing from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape as escaped
from typing import assert_never

from attention_lab.claims.documents import with_title
from attention_lab.result import Cell, Diff, Matrix, Note, Pair, Part, Result, Series, Signs, Statement, Table
from attention_lab.show.chart import chart_svg, legend_key_svg
from attention_lab.show.colours import as_hex, colour_of, colour_range, ink_on
from attention_lab.show.glyphs import encodable_result
from attention_lab.show.numbers import cell_text, column_head, format_lone_number, format_number, format_position
from attention_lab.show.signs import signs_table
from attention_lab.show.style import FRAGMENT, PAGE

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
TEXT = ' class="text"'
HIDDEN = '<td class="hidden"><span aria-hidden="true">·</span><span class="unseen">hidden</span></td>'


def paragraphs_html(text: str, kind: str = "") -> str:
    """One element for each line of the text."""
    attribute = f' class="{kind}"' if kind else ""
    return "".join(f"<p{attribute}>{escaped(line)}</p>" for line in text.split("\n") if line)


def scroll_box(title: str, kind: str, heads: Iterable[tuple[str, bool]], rows: Iterable[str]) -> str:
    """A table in a box that scrolls, also by keyboard, where the table is wider than the page.

    `heads` are pairs: the name of a column, and whether the column holds text. `rows` are the cells of each row.
    """
    names = list(heads)
    cells = "".join(f'<th scope="col"{TEXT if text else ""}>{escaped(name)}</th>' for name, text in names)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="box" role="region" tabindex="0" aria-label="{escaped(title)}">'
        f'<table class="{kind}" style="--columns:{len(names)}"><caption class="unseen">{escaped(title)}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def figure_html(title: str, aside: str, content: str) -> str:
    """HTML content under its title, which stays in sight while a wide table scrolls."""
    small_print = f"<small>{escaped(aside)}</small>" if aside else ""
    return f"<figure><figcaption>{escaped(title)}{small_print}</figcaption>{content}</figure>"


# ---- one function for each kind of part ----


def statement_html(statement: Statement) -> str:
    """The verdict as a word on a colour, the source of the claim, the claim, and what was measured."""
    if statement.holds is None:
        kind, word = "quoted", "Quoted"
    else:
        kind, word = ("holds", "Holds") if statement.holds else ("fails", "Does not hold")
    if statement.when:
        kind, word = "partly", "Holds when"
    when = f" {escaped(statement.when)}" if statement.when else ""
    source = f" <cite>{escaped(statement.source)}</cite>" if statement.source else ""
    commands = "".join(f"<p><code>{escaped(command)}</code></p>" for command in statement.commands)
    claim = f'<p><strong class="verdict">{word}</strong>{when}{source} <b>{escaped(statement.claim)}</b></p>'
    return f'<div class="statement {kind}">{claim}{paragraphs_html(statement.measured)}{commands}</div>'


def heat_cell(value: float, digits: int, low: float, high: float, mark: bool = False) -> str:
    """A number on its colour. Infinities and NaN have no colour; a marked number has an asterisk."""
    text = ("*" if mark else "") + format_number(value, digits)
    if not math.isfinite(value):
        return f"<td>{text}</td>"
    colour = colour_of(value, low, high)
    return f'<td style="background:{as_hex(colour)};color:{as_hex(ink_on(colour))}">{text}</td>'


def matrix_html(matrix: Matrix, marked: tuple[tuple[bool, ...], ...] | None = None) -> str:
    """A table of coloured cells. A hidden cell is a dot on the screen and the word "hidden" for a screen reader."""
    none = tuple((False,) * len(row) for row in matrix.values)
    cells = zip(matrix.values, matrix.hidden or none, marked or none, strict=True)
    rows = [list(zip(*row, strict=True)) for row in cells]
    low, high = colour_range(value for row in rows for value, masked, _ in row if not masked)
    body = (
        f'<th scope="row">{escaped(name)}</th>'
        + "".join(HIDDEN if masked else heat_cell(value, matrix.digits, low, high, mark) for value, masked, mark in row)
        for name, row in zip(matrix.rows, rows, strict=True)
    )
    heads = [("", False), *((name, False) for name in matrix.columns)]
    axes = f"rows: {matrix.row_title}, columns: {matrix.column_title}"
    return figure_html(matrix.title, axes, scroll_box(matrix.title, "heat", heads, body))


def table_row(row: tuple[Cell, ...], table: Table, is_text: list[bool]) -> str:
    """The cells of one row, its name first. An empty cell is aligned as its column is."""
    cells = ""
    for j, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
        tag, scope = ("td", "") if j else ("th", ' scope="row"')
        text = TEXT if isinstance(cell, str) or (cell is None and is_text[j]) else ""
        cells += f"<{tag}{scope}{text}>{escaped(cell_text(cell, column.digits))}</{tag}>"
    return cells


def table_html(table: Table) -> str:
    """A table. Text is aligned left, numbers right."""
    is_text = [any(isinstance(row[j], str) for row in table.rows) for j in range(len(table.columns))]
    heads = zip(map(column_head, table.columns), is_text, strict=True)
    rows = (table_row(row, table, is_text) for row in table.rows)
    return figure_html(table.title, "", scroll_box(table.title, "list", heads, rows))


def series_html(series: Series) -> str:
    """A picture of the curves, their names, and a folded table of all values."""
    keys = "".join(f"<li>{legend_key_svg(i)} {escaped(line.name)}</li>" for i, line in enumerate(series.lines))
    rows = (
        f'<th scope="row">{format_position(x)}</th>'
        + "".join(f"<td>{format_lone_number(line.values[i], series.digits)}</td>" for line in series.lines)
        for i, x in enumerate(series.x)
    )
    heads = [(series.x_title, False), *((line.name, False) for line in series.lines)]
    values = f"<details><summary>All values</summary>{scroll_box(series.title, 'list', heads, rows)}</details>"
    return figure_html(series.title, "", f'{chart_svg(series)}<ul class="keys">{keys}</ul>{values}')


def diff_html(diff: Diff) -> str:
    """The lines as preformatted text. Removed and added lines are marked by colour and by sign."""
    lines = []
    for line in diff.lines:
        text = f"{line.number:>4} {line.sign} {escaped(line.text)}"
        tag = {"-": "del", "+": "ins"}.get(line.sign)
        lines.append(f"<{tag}>{text}</{tag}>" if tag else text)
    text = '<pre class="diff">' + "\n".join(lines) + "</pre>"
    return figure_html(diff.title, "", f'<div class="box" tabindex="0">{text}</div>')


def pair_html(pair: Pair) -> str:
    """Both matrices, side by side where the page is wide enough."""
    left, right = replace(pair.left, title="healthy"), replace(pair.right, title="broken (* changed)")
    return figure_html(pair.title, "", f'<div class="pair">{matrix_html(left)}{matrix_html(right, pair.changed)}</div>')


def signs_html(signs: Signs) -> str:
    """Vital signs as a table."""
    return table_html(signs_table(signs))


def part_html(part: Part) -> str:
    """One part. A new kind of part gets its case here."""
    match part:
        case Note():
            return paragraphs_html(part.text)
        case Statement():
            return statement_html(part)
        case Matrix():
            return matrix_html(part)
        case Table():
            return table_html(part)
        case Series():
            return series_html(part)
        case Diff():
            return diff_html(part)
        case Pair():
            return pair_html(part)
        case Signs():
            return signs_html(part)
        case _:
            assert_never(part)


# ---- the whole ----


def foot_html(result: Result) -> Iterator[str]:
    """The documents, the seed and the command of a result."""
    facts = [", ".join(map(with_title, result.documents))] if result.documents else []
    facts += [] if result.seed is None else [f"seed {result.seed}"]
    if facts:
        yield f"<p>{escaped(' · '.join(facts))}</p>"
    if result.command:
        yield f"<pre><code>{escaped(result.command)}</code></pre>"


def result_section(result: Result, level: str) -> str:
    """The result under a heading of this level ("h1", "h2"), with its own style; every string is escaped."""
    clean = encodable_result(result, "utf-8")
    name = f"<code>{escaped(clean.demo)}</code> " if clean.demo else ""
    title = f"<{level}>{name}{escaped(clean.title)}</{level}>" if name or clean.title else ""
    body = "\n".join(map(part_html, clean.parts))
    return (
        f'<section class="attn-lab"><style>{FRAGMENT}</style>\n{title}{paragraphs_html(clean.question, "question")}\n'
        f"{body}\n<footer>{''.join(foot_html(clean))}</footer></section>\n"
    )


def result_fragment(result: Result) -> str:
    """HTML for another page, such as a notebook. Its text takes the colours of that page."""
    return result_section(result, "h2")


def html_document(title: str, style: str, body: str) -> str:
    """A complete page whose policy forbids loading and scripts. `body` is HTML, `title` is plain text."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def result_page(result: Result) -> str:
    """A result on a page of its own, light or dark as the reader prefers, for a screen, a phone and a printer."""
    clean = encodable_result(result, "utf-8")
    title = clean.title or clean.demo or "attention lab"
    return html_document(title, PAGE, f"<main>\n{result_section(result, 'h1')}</main>\n")
