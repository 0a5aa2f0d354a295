"""A learner's file, read by the parent as text: never run, never waited for, and safe to print."""

from __future__ import annotations

import ast
import json
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

from attention_lab.errors import BadInput
from attention_lab.text import spell_out_controls
from attention_lab.variants import regular_file

LARGEST = 2**20  # bytes of a learner's file, and of the code in a notebook
LARGEST_NOTEBOOK = 2**24  # bytes: the pictures in its outputs count, and are not looked at
AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # never wait for kernel files without data
NO_CODE = (SyntaxError, ValueError, RecursionError, MemoryError)
OTHER_LANGUAGE = re.compile(r"\s*%%(\w+)")
OF_PYTHON = ("time", "timeit", "capture", "prun", "python", "python3")  # cell magics above cells of Python
MAGIC = re.compile(r"^([ \t]*)((?:%%?\w|!|\?|\w+ *= *[%!]|[\w.]+\?\??[ \t]*$).*)", re.MULTILINE)


def as_one_line(text: str) -> str:
    """A learner's text on one line, safe to print: line ends and tabs are spelled out too."""
    return spell_out_controls(text).replace("\n", "\\n").replace("\t", "\\t")


def parse_silently(text: str) -> ast.Module:
    """Syntax tree of a learner's code, without Python's warnings. Raises as `ast.parse` does (NO_CODE)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def python_of_cell(cell: str) -> str:
    """Python code of one cell, line by line: magics and other languages become comments."""
    try:
        parse_silently(cell)
    except NO_CODE:
        if (first := OTHER_LANGUAGE.match(cell)) and first[1] not in OF_PYTHON:
            return "\n".join(f"# {line}" for line in cell.split("\n"))
        return MAGIC.sub(r"\1pass  # \2", cell)
    return cell


class NotebookLine(int):
    """A line of a notebook, counted over all code cells, that prints as a line of its cell."""

    cell = 0  # which of the code cells, from 1
    line = 0  # of that cell, from 1

    def __str__(self) -> str:
        return f"{self.line} of code cell {self.cell}"


def notebook_line(number: int, lengths: Sequence[int]) -> int:
    """A line of a learner's code: a NotebookLine where `lengths` gives the lines of each code cell, else the number."""
    start = 0
    for cell, length in enumerate(lengths, 1):
        if start < number <= start + length:
            found = NotebookLine(number)
            found.cell, found.line = cell, number - start
            return found
        start += length
    return number


def notebook_cells(text: str, path: Path) -> tuple[str, ...]:
    """The code of each code cell of a notebook, in whole lines.

    Raises BadInput where it is no notebook, or holds too much code.
    """
    name = as_one_line(str(path))
    try:
        sources = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError) as reason:
        raise BadInput(f"Cannot read {name}: it is no notebook.", "Give a Python file, or a .ipynb.") from reason
    codes = [source.replace("\r\n", "\n").replace("\r", "\n") for source in sources]  # as Python counts lines
    size = sum(len(cell.encode(errors="replace")) for cell in codes)
    if size > LARGEST:
        raise BadInput(f"Cannot read {name}: it has {size:,} bytes of code.", f"At most {LARGEST:,} are read.")
    return tuple(f"{python_of_cell(cell)}\n" for cell in codes)


def learner_cells(path: Path) -> tuple[str, ...]:
    """The text of a learner's file, or of each code cell of a notebook.

    Raises BadInput, naming what is wrong; a pipe is not waited for.
    """
    name, notebook = as_one_line(str(path)), path.suffix == ".ipynb"
    most = LARGEST_NOTEBOOK if notebook else LARGEST
    try:
        file = regular_file(path)
    except BadInput as reason:
        raise BadInput(as_one_line(reason.what), reason.advice) from reason
    try:
        with open(os.open(file, os.O_RDONLY | AT_ONCE), "rb") as stream:
            data = stream.read(most + 1) or b""
    except OSError as reason:
        raise BadInput(f"Cannot read {name}: {reason.strerror}.", "Give the path of a Python file.") from reason
    if len(data) > most:
        less = " Clear its outputs, if it is they." if notebook else ""
        what = f"Cannot read {name}: it has {file.stat().st_size:,} bytes."
        raise BadInput(what, f"Give a file of at most {most:,} bytes.{less}")
    if b"\0" in data:
        raise BadInput(f"Cannot read {name}: it holds null bytes.", "Give a Python file in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise BadInput(f"Cannot read {name}: {reason}.", "Give a Python file in UTF-8.") from reason
    return notebook_cells(text, path) if notebook else (text,)


def cell_lengths(path: Path, code: Sequence[str]) -> tuple[int, ...]:
    """Number of lines of each code cell of a notebook; () for any other file."""
    return tuple(cell.count("\n") for cell in code) if path.suffix == ".ipynb" else ()


def learner_text(path: Path) -> str:
    """The text of a learner's file or notebook. Raises BadInput, as `learner_cells` does."""
    return "".join(learner_cells(path))
