"""What `attn-lab` alone says: what this is, what to type first, and where to read on."""

from __future__ import annotations

import textwrap

ABOUT = (
    "Understand attention by breaking it: a transformer in plain NumPy whose every line you can change. You run its "
    "experiments, predict, break it, and see in numbers what broke."
)
FIRST = (
    ("attn-lab walk quick", "four breaks in five minutes, step by step"),
    ("attn-lab demo scaling", "one experiment, measured now"),
    ("attn-lab break mask-flip", "one line changed, and what it costs"),
)
MORE = "All lessons: attn-lab walk. All commands: attn-lab --help. One of them: attn-lab demo --help."
COLUMN = 28  # where what a command does stands beside it
WIDE = 72  # columns from which on there is room for that
WIDEST = 80


def greeting(columns: int) -> str:
    """A few lines for whoever comes for the first time, on a terminal of so many columns."""
    width = max(1, min(columns, WIDEST))
    lines = [*textwrap.wrap(ABOUT, width), "", "Type first:"]
    for command, does in FIRST:
        if width >= WIDE:
            lines.append(f"  {command:{COLUMN - 2}}{does}")
        else:
            lines += [f"  {command}", *textwrap.wrap(does, width, initial_indent="    ", subsequent_indent="    ")]
    return "\n".join([*lines, "", *textwrap.wrap(MORE, width)])
