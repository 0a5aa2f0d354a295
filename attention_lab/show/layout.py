"""Wrap, pad and cut text to a width in terminal cells; a Chinese character takes two."""

from __future__ import annotations

import shlex

from rich.cells import cell_len, chop_cells, set_cell_size


def one_line(text: str) -> str:
    """The text with line breaks and runs of spaces replaced by single spaces, for labels and cells."""
    return " ".join(text.split())


def truncate(text: str, width: int, cut: str) -> str:
    """The text in at most `width` cells; a longer text ends in `cut`."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - cell_len(cut))).rstrip() + cut


def pad(text: str, width: int, align: str = "left") -> str:
    """The text filled with spaces to `width` cells; a wider text is unchanged."""
    room = max(0, width - cell_len(text))
    left = {"left": 0, "right": room, "centre": (room + 1) // 2}[align]
    return " " * left + text + " " * (room - left)


def wrap_paragraph(text: str, width: int) -> list[str]:
    """One paragraph in lines of at most `width` cells. Only words wider than `width` are broken."""
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


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` cells; each line of the text is a paragraph, and an empty text has no lines."""
    return [line for paragraph in text.split("\n") for line in wrap_paragraph(paragraph, width)] if text else []


def command_lines(command: str, width: int) -> list[str]:
    """A command in lines of at most `width` cells, joined by backslashes so that it can be pasted whole."""
    try:
        words = [shlex.quote(word) for word in shlex.split(command)]
    except ValueError:  # a command written by hand that no shell can read
        words = command.split()
    lines = words[:1]
    for left, word in zip(reversed(range(len(words) - 1)), words[1:], strict=True):
        backslash = " \\" if left else ""
        if cell_len(f"{lines[-1]} {word}{backslash}") <= width:
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(f"  {word}")
    return [piece for line in lines for piece in (wrap(line, width) if cell_len(line) > width else [line])]


def longest_word(text: str) -> int:
    """The width of the longest word in cells: narrower lines would break it."""
    return max((cell_len(word) for word in text.split()), default=0)


def balanced_runs(count: int, room: int) -> list[slice]:
    """Slices that split `count` items into the fewest runs of at most `room`, of about equal length."""
    room = max(1, room)
    runs = -(-count // room)
    each = -(-count // runs) if runs else 0
    return [slice(start, start + each) for start in range(0, count, each)] if each else []
