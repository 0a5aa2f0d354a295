"""How a command shows its result: in the views that were asked for, and in files that can be written."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from attention_lab.errors import BadInput, CannotWrite
from attention_lab.kept_files import write_file
from attention_lab.machine.time_limit import remind_when_slow
from attention_lab.options import named
from attention_lab.text import brief_in

if TYPE_CHECKING:
    import argparse

    from attention_lab.options import Parser
    from attention_lab.result import Result


def add_views(parser: Parser) -> None:
    """Give the parser the options that every result understands."""
    group = parser.add_argument_group("how it is shown")
    only = group.add_mutually_exclusive_group()
    only.add_argument("--plain", action="store_true", help="text only: no colour, no borders; for screen readers")
    only.add_argument("--json", action="store_true", help="JSON on standard output, and nothing else")
    group.add_argument("--html", metavar="FILE", type=named, help="also write a page that loads nothing from elsewhere")
    group.add_argument("--svg", metavar="FILE", type=named, help="also write a picture of the terminal")


def check_writable(file: str | None) -> None:
    """Raise CannotWrite before the work is done, not after it, when its result could not be written."""
    if file is None:
        return
    folder = os.path.dirname(file) or "."
    if os.path.isdir(file):
        raise CannotWrite(file, "it is a folder")
    if os.path.exists(file) and stat.S_ISFIFO(os.stat(file).st_mode):
        raise CannotWrite(file, "it is a pipe")
    if not os.path.isdir(folder):
        raise CannotWrite(file, f"there is no folder {folder}")
    if not os.access(file if os.path.exists(file) else folder, os.W_OK):
        raise CannotWrite(file, "no permission")


def check_views(arguments: argparse.Namespace) -> None:
    """Raise CannotWrite when a view could not be written, BadInput when it would take the place of something."""
    targets = [file for file in (arguments.html, arguments.svg) if file is not None]
    for file in targets:
        if file.endswith((".py", ".npy", ".npz")):
            raise BadInput(f"{file} is not the name of a page or a picture.", "Name a file that ends in .html or .svg.")
    if len(targets) > 1 and os.path.abspath(targets[0]) == os.path.abspath(targets[1]):
        raise BadInput(f"--html and --svg are both {targets[0]}.", "Name two files.")
    check_writable(arguments.html)
    check_writable(arguments.svg)


def write_view(file: str, text: str) -> None:
    """Write a file and say so on standard error, which leaves standard output to the result."""
    write_file(file, text)
    from attention_lab.show.glyphs import encodable_text

    sys.stderr.write(encodable_text(f"Wrote {file}\n", sys.stderr.encoding or "utf-8"))


@contextmanager
def aside(wanted: bool) -> Iterator[None]:
    """Let a person's own code run: what it prints goes to standard error, as standard output is the result's.

    A complex number that is taken for a real one is an error, since half of it would be lost without a word.
    """
    if not wanted:
        yield
        return
    with redirect_stdout(sys.stderr), remind_when_slow(), warnings.catch_warnings():
        warnings.filterwarnings("error", "Casting complex values to real")
        yield


TAKEN: ContextVar[list[Result] | None] = ContextVar("TAKEN", default=None)  # a list takes results instead of views


def show(result: Result, arguments: argparse.Namespace) -> None:
    """Show a result in the views that were asked for. Each view is imported only when it is."""
    taken = TAKEN.get()
    if taken is not None:
        taken.append(result)
        return
    result = brief_in(result, but=("command", "commands"))
    result = replace(result, command=result.command.replace("\n", "\\n"))  # in the name of a file
    if arguments.json:
        from attention_lab.show.jsonview import result_json_text

        sys.stdout.write(result_json_text(result) + "\n")
    elif arguments.plain:
        from attention_lab.show.glyphs import encodable_result
        from attention_lab.show.plain import plain_text

        sys.stdout.write(plain_text(encodable_result(result, sys.stdout.encoding)) + "\n")
    else:
        from attention_lab.show.terminal import make_console, print_result

        print_result(result, make_console())
    if arguments.html is not None:
        from attention_lab.show.html import result_page

        write_view(arguments.html, result_page(result))
    if arguments.svg is not None:
        from attention_lab.show.svg import result_svg

        write_view(arguments.svg, result_svg(result))
