"""The views as files, so that a change of one is seen in a diff.

After a wanted change: `python tests/show/test_golden.py` writes them again; read the diff before committing it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from show_samples import COMPARED, FULL, printed

from attention_lab.show.plain import plain_text

GOLDEN = Path(__file__).with_name("golden")
VIEWS: dict[str, Callable[[], str]] = {
    "terminal-80": lambda: printed(FULL, 80),
    "terminal-40": lambda: printed(FULL, 40),
    "terminal-80-ascii": lambda: printed(FULL, 80, "ascii"),
    "plain": lambda: plain_text(FULL),
    "compared-80": lambda: printed(COMPARED, 80),
    "compared-40-ascii": lambda: printed(COMPARED, 40, "ascii"),
    "compared-plain": lambda: plain_text(COMPARED),
}


def trimmed(text: str) -> str:
    """Without the spaces at the ends of lines, which no editor keeps."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.mark.parametrize("name", VIEWS)
def test_view_is_as_it_was(name: str) -> None:
    assert trimmed(VIEWS[name]()) == GOLDEN.joinpath(f"{name}.txt").read_text("utf-8")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, view in VIEWS.items():
        GOLDEN.joinpath(f"{name}.txt").write_text(trimmed(view()), "utf-8", newline="\n")
