"""Draw docs/pictures/architecture.svg: which part of the package imports which, as it is now.

Run it from the repository's root when a test says that the picture is old:

    python docs/draw_architecture.py
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "architecture.svg"
TOP = "attention_lab"

PURPOSES = {  # of each part, in at most 35 characters
    "transformer": "the model, in NumPy alone",
    "result": "what is measured, as frozen data",
    "errors": "errors: what happened, what to do",
    "draws": "draws that new entries leave alone",
    "weights": "untrained weights",
    "variants": "the model patched, loaded, watched",
    "text": "words of sentences: lists, counts",
    "csv_cells": "texts as cells of a CSV file",
    "kept_files": "files that the lab writes",
    "telling_sizes": "sizes that let no fault hide",
    "source_text": "Python code read as text",
    "machine": "memory, time limits, timing",
    "vitals": "the vital signs",
    "train": "gradients, Adam, tasks, decoding",
    "sandbox": "the process for other people's code",
    "demo": "what a demo is, and its options",
    "breaks": "the breaks, and their doctor",
    "demos": "demos/: one experiment a file",
    "break_page": "the page of a break",
    "lesson": "lessons: read, run, verified",
    "inspection": "heads of a real model",
    "claims": "what documents claim, measured",
    "dev": "a new break, measured",
    "check": "which fault a learner's code has",
    "show": "views: terminal, JSON, HTML, SVG",
    "quiz": "faults drawn, answers scored",
    "kill": "which faults a test file misses",
    "grade": "a class, and gradebooks' forms",
    "options": "an option, declared once",
    "commands": "the commands",
    "cli": "the command line",
    "notebook": "results and walks in a notebook",
    "__main__": "python -m attention_lab",
}
WIDTH, MARGIN, HEAD = 800, 14, 92  # pixels: of the picture, around it, above the matrix for the columns' names
NAMES, MATRIX = 96, 338  # pixels from the left at which purposes and the matrix begin
INK, FAINT, PAPER, LINE = "#1f2430", "#5b6472", "#ffffff", "#c9ced6"
CLOSED, OWN, IMPORT, UPWARD = "#e9ebef", "#9aa3b0", "#2f6fb2", "#d9720b"

Import = tuple[str, str]  # a part, and a part that it imports from


def layers() -> list[list[str]]:
    """The layers of the contract in pyproject.toml, the lowest first. demos/ stands on all that its files import."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (rule for rule in settings["tool"]["importlinter"]["contracts"] if rule["type"] == "layers")
    rows = [[name.strip() for name in layer.split("|")] for layer in reversed(contract["layers"])]
    rows.remove(["demos"])  # the file that loads demos/ in a checkout
    above_breaks = next(place for place, row in enumerate(rows) if "breaks" in row) + 1
    return [*rows[:above_breaks], ["demos"], *rows[above_breaks:]]


def part_of(module: str) -> str:
    """The part in which a module stands: a package or a module of attention_lab, or demos."""
    first, *others = module.split(".")
    return others[0] if first == TOP and others else first


def imports() -> set[Import]:
    """Every import between two parts, also those inside functions."""
    graph = grimp.build_graph(TOP, "demos", cache_dir=None)
    pairs = {
        (part_of(module), part_of(target))
        for module in graph.modules
        for target in graph.find_modules_directly_imported_by(module)
    }
    return {(part, target) for part, target in pairs if part != target and TOP not in (part, target)}


def upward(pairs: set[Import]) -> set[Import]:
    """Imports from a part of the same layer or of a higher one: the exceptions that the contracts list."""
    height = {name: number for number, row in enumerate(layers()) for name in row}
    return {(part, target) for part, target in pairs if height[target] >= height[part]}


# ---- the picture ----


def square(x: float, y: float, side: float, colour: str, title: str = "") -> str:
    """A square of the matrix, with a title that is shown under the pointer."""
    inner = f"<title>{escape(title)}</title>" if title else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" fill="{colour}">{inner}</rect>'


def words(x: float, y: float, text: str, colour: str = INK, more: str = "") -> str:
    """A line of text, its middle at height y."""
    return f'<text x="{x:g}" y="{y:g}" dy="0.35em" fill="{colour}"{more}>{escape(text)}</text>'


def matrix(rows: list[list[str]], pairs: set[Import], side: float) -> Iterator[str]:
    """A row for each part and a square for each part that it may or does import from."""
    names = [name for row in rows for name in row]
    height = {name: number for number, row in enumerate(rows) for name in row}
    exceptions = upward(pairs)
    for i, name in enumerate(names):
        y = HEAD + i * side
        yield words(MARGIN, y + side / 2, name, more=' font-weight="600"')
        yield words(MARGIN + NAMES, y + side / 2, PURPOSES.get(name, ""), FAINT)
        x = MATRIX + (i + 0.5) * side
        yield words(0, 0, name, more=f' transform="translate({x:g} {HEAD - 6}) rotate(-90)"')
        for j, target in enumerate(names):
            inside = MATRIX + j * side + 0.5, y + 0.5, side - 1
            if i == j:
                yield square(*inside, OWN)
            elif (name, target) in pairs:
                colour = UPWARD if (name, target) in exceptions else IMPORT
                yield square(*inside, colour, f"{name} imports from {target}")
            elif height[target] >= height[name]:
                yield square(*inside, CLOSED)


def between(rows: list[list[str]], side: float) -> Iterator[str]:
    """A line between two layers."""
    place = 0
    for row in rows[:-1]:
        place += len(row)
        y = HEAD + place * side
        yield f'<line x1="{MARGIN}" y1="{y:g}" x2="{WIDTH - MARGIN}" y2="{y:g}" stroke="{LINE}"/>'


def legend(y: float) -> Iterator[str]:
    """What the colours mean."""
    texts = ((IMPORT, "the row imports from the column"), (CLOSED, "not allowed"), (UPWARD, "a listed exception"))
    for (colour, text), x in zip(texts, (MARGIN, 260, 380), strict=True):
        yield square(x, y - 6, 12, colour)
        yield words(x + 18, y, text)


def picture(pairs: set[Import]) -> str:
    """The whole picture as SVG."""
    rows = layers()
    count = sum(map(len, rows))
    side = (WIDTH - MARGIN - MATRIX) / count
    bottom = HEAD + count * side
    size = f"{WIDTH} {bottom + 40:g}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="12">',
        "<title>What imports what: a part stands on those above it, as under a causal mask</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}" stroke="{LINE}"/>',
        *between(rows, side),
        *matrix(rows, pairs, side),
        *legend(bottom + 20),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # where demos/ is
    PICTURE.write_text(picture(imports()), encoding="utf-8")
