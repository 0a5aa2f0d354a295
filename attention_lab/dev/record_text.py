"""The Python text of a break's record, as it stands in the catalogue's files, and where to paste it."""

from __future__ import annotations

import importlib
import pkgutil
import textwrap
from dataclasses import MISSING, fields
from pathlib import Path

from attention_lab import breaks
from attention_lab.breaks.record import Break

WIDTH = 120  # characters of a line
STEP = "    "


def literal(text: str) -> str:
    """A string as a formatter writes it: in double quotes, unless single ones need fewer backslashes."""
    quoted = repr(text)
    if quoted.startswith("'") and '"' not in text:
        return '"' + quoted[1:-1] + '"'
    return quoted


def literal_lines(text: str, width: int) -> str:
    """A string as a literal, or as several in lines of their own, which Python joins, where it is wider than that."""
    pieces = textwrap.wrap(text, width - 8, drop_whitespace=False, replace_whitespace=False, expand_tabs=False)
    fits = len(literal(text)) <= width or "".join(pieces) != text
    return literal(text) if fits else "\n".join(map(literal, pieces))


def strings(head: str, texts: tuple[str, ...], tail: str, indent: str) -> str:
    """Strings between brackets, indented: on one line where they fit, else one a line."""
    line = f"{indent}{head}{', '.join(map(literal, texts))}{tail}"
    if len(line) < WIDTH:  # a comma follows
        return line
    inner = indent + STEP
    lines = [textwrap.indent(literal_lines(text, WIDTH - len(inner) - 1), inner) for text in texts]
    return f"{indent}{head}\n" + "".join(f"{line},\n" for line in lines) + f"{indent}{tail.lstrip(',')}"


def patches_text(record: Break) -> str:
    """The field of the patches: `becomes` for a single one."""
    indent = STEP * 2
    if len(record.patches) == 1:
        patch = record.patches[0]
        return strings("patches=becomes(", (patch.old, patch.new), ")", indent)
    inner = [strings("Patch(", (patch.old, patch.new), ")", STEP * 3) for patch in record.patches]
    return f"{indent}patches=(\n" + "".join(f"{patch},\n" for patch in inner) + f"{indent})"


def field_text(record: Break, name: str) -> str:
    """One field of the record, indented."""
    value, indent = getattr(record, name), STEP * 2
    if name == "patches":
        return patches_text(record)
    if isinstance(value, tuple):
        return strings(f"{name}=(", value, ",)" if len(value) == 1 else ")", indent)
    return f"{indent}{name}={literal(value) if isinstance(value, str) else value}"


def record_text(record: Break) -> str:
    """The record as an entry of a tuple, indented by four spaces. Fields with their default are left out."""
    given = [field.name for field in fields(record) if field.default is MISSING or getattr(record, field.name)]
    return f"{STEP}Break(\n" + "".join(f"{field_text(record, name)},\n" for name in given) + f"{STEP}),\n"


def catalogue_file(part: str) -> tuple[str, str]:
    """The file that holds the breaks of a part, from the repository's root, and the name of their tuple there."""
    for module in pkgutil.iter_modules(breaks.__path__):
        for name, value in vars(importlib.import_module(f"{breaks.__name__}.{module.name}")).items():
            if isinstance(value, tuple) and {getattr(entry, "part", None) for entry in value} == {part}:
                return Path("attention_lab", "breaks", f"{module.name}.py").as_posix(), name
    raise LookupError(part)
