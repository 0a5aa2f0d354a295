"""Words into lines of a given width, counted in terminal cells: a Chinese character takes two."""

from __future__ import annotations

import shlex

from rich.cells import cell_len, chop_cells, set_cell_size


def one_line(text: str) -> str:
    """A label or a cell, which must not begin a line of its own."""
    return " ".join(text.split())


def shortened(text: str, width: int, cut: str) -> str:
    """The text in at most so many cells; one that is too long ends in `cut`."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - cell_len(cut))).rstrip() + cut


def padded(text: str, width: int, align: str = "left") -> str:
    """The text in exactly so many cells, if it is not wider."""
    room = max(0, width - cell_len(text))
    left = {"left": 0, "right": room, "centre": (room + 1) // 2}[align]
    return " " * left + text + " " * (room - left)


def wrapped_line(text: str, width: int) -> list[str]:
    """One paragraph in lines of at most `width` cells. Only a word that is wider than that is broken."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if cell_len(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = chop_cells(word, max(2, width)) or [word]
        lines += full
    return [*lines, line]


def wrapped(text: str, width: int) -> list[str]:
    """Paragraphs, one to a line of the text, in lines of at most `width` cells; none for no text."""
    return [line for paragraph in text.split("\n") for line in wrapped_line(paragraph, width)] if text else []


def command_lines(command: str, width: int) -> list[str]:
    """A command over as many lines as it needs, each but the last ending in a backslash: it can be pasted whole."""
    try:
        words = [shlex.quote(word) for word in shlex.split(command)]
    except ValueError:  # somebody wrote it by hand, and no shell could read it
        words = command.split()
    lines = words[:1]
    for left, word in zip(reversed(range(len(words) - 1)), words[1:], strict=True):
        backslash = " \\" if left else ""
        if cell_len(f"{lines[-1]} {word}{backslash}") <= width:
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(f"  {word}")
    return [piece for line in lines for piece in (wrapped(line, width) if cell_len(line) > width else [line])]


def longest_word(text: str) -> int:
    """The width in cells below which the text cannot be wrapped without breaking a word."""
    return max((cell_len(word) for word in text.split()), default=0)


def balanced(count: int, room: int) -> list[slice]:
    """So many items in the fewest runs of at most `room`, all of about the same length."""
    room = max(1, room)
    runs = -(-count // room)
    each = -(-count // runs) if runs else 0
    return [slice(start, start + each) for start in range(0, count, each)] if each else []
