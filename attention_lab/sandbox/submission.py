"""A learner's file, read by the parent as text: never run, never waited for, and safe to print."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

from attention_lab.errors import BadInput
from attention_lab.variants import regular_file

LARGEST = 2**20  # bytes of a learner's file
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # kinds of characters that act and are not seen


def shown(text: str) -> str:
    """A learner's text with everything spelled out that could act on a terminal: escapes, controls, direction marks."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    signs = (sign if sign in "\n\t" or unicodedata.category(sign) not in HIDDEN else None for sign in text)
    return "".join(sign or text[place].encode("unicode_escape").decode() for place, sign in enumerate(signs))


def cells(text: str, path: Path) -> str:
    """The code of a notebook, its magics left out. Raises BadInput where it is no notebook."""
    try:
        found = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        code = "\n".join("".join(source) for source in found)
    except (ValueError, KeyError, TypeError, RecursionError) as reason:
        raise BadInput(f"Cannot read {path}: it is no notebook.", "Give a Python file, or a .ipynb.") from reason
    lines = (f"pass  # {line}" if line.lstrip().startswith(("%", "!")) else line for line in code.splitlines())
    return "\n".join(lines) + "\n"


def learner_text(path: Path) -> str:
    """The text of a learner's file or notebook. Raises BadInput, naming what is wrong; a pipe is not waited for."""
    name = shown(str(path))
    try:
        file = regular_file(path)
    except BadInput as reason:
        raise BadInput(shown(reason.what), reason.advice) from reason
    try:
        with open(file, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as reason:
        raise BadInput(f"Cannot read {name}: {reason.strerror}.", "Give the path of a Python file.") from reason
    if len(data) > LARGEST:
        size = file.stat().st_size
        raise BadInput(f"Cannot read {name}: it has {size:,} bytes.", f"Give a file of at most {LARGEST:,} bytes.")
    if b"\0" in data:
        raise BadInput(f"Cannot read {name}: it holds null bytes.", "Give a Python file in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        raise BadInput(f"Cannot read {name}: {reason}.", "Give a Python file in UTF-8.") from reason
    return cells(text, path) if path.suffix == ".ipynb" else text
