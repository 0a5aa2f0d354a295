"""Run the commands and the Python of the README, in its order, in one interpreter.

    python readme_commands.py README.md (quick | slow) [--without COMMAND]

Files are written in the current folder: later commands work on those of earlier ones. The exit code is 1 after a
command that fails or prints nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

SLOW = {"--train", "claims", "--matrix", "grade", "check"}  # words of commands that take seconds
BOTH = {"new"}  # of those that write the files on which others work
TYPED = "\na\n"  # in a walk: go on, answer, and leave


def blocks_of(readme: str) -> list[tuple[str, str]]:
    """The language and the text of each block of commands or Python."""
    return re.findall(r"```(sh|python)\n(.*?)```", readme, flags=re.DOTALL)


def commands_in(block: str) -> Iterator[str]:
    """The lines of a block that run attn-lab."""
    yield from (line for line in block.splitlines() if line.startswith("attn-lab "))


def fault_of_command(command: str) -> str:
    """What is wrong with a command; "" if it prints something and ends with exit code 0."""
    from attention_lab.cli import main

    sys.stdin = io.StringIO(TYPED)
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(shlex.split(command)[1:])
        except SystemExit as left:
            code = left.code
    if code in (0, None) and out.getvalue():
        return ""
    return f"{command}: exit code {code}, {len(out.getvalue())} characters printed\n{err.getvalue()}"


def is_in_part(command: str, part: str) -> bool:
    """Whether a command belongs to the quick or to the slow part."""
    words = set(shlex.split(command))
    return bool(words & BOTH) or bool(words & SLOW) == (part == "slow")


def run_readme(readme: str, part: str, without: list[str]) -> Iterator[str]:
    """Run the README's commands of one part, the Python with the quick ones; what is wrong with each that fails."""
    for language, text in blocks_of(readme):
        if language == "python" and part == "quick":
            exec(text, {})  # noqa: S102 (the README's own code is what is tested)
        if language == "sh":
            commands = (
                command for command in commands_in(text) if command not in without and is_in_part(command, part)
            )
            yield from filter(None, map(fault_of_command, commands))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("readme", type=Path)
    parser.add_argument("part", choices=("quick", "slow"))
    parser.add_argument("--without", action="append", default=[])
    arguments = parser.parse_args()
    faults = run_readme(arguments.readme.read_text(encoding="utf-8"), arguments.part, arguments.without)
    sys.exit("\n".join(faults) or None)
