"""The command `attn-lab`. Thin: find by name, run, show, exit code.

Exit codes: 0 done; 1 a person's own file failed while it ran; 2 input that nothing can be done with; 130 interrupted.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import getdoc
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from attention_lab.errors import BadInput, LabError, RunFailed, unknown

if TYPE_CHECKING:
    import argparse

    from attention_lab.demo import Progress
    from attention_lab.options import Parser
    from attention_lab.result import Result

NAME = "attn-lab"
RAW = {"allow_extra_args": True, "ignore_unknown_options": True}  # the words as typed; `options.py` reads them
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # Typer cannot read the command line; no public name


class Commands(TyperGroup):
    """The commands of attn-lab, without an option of the group's own: see `options.py` for what one would cost."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer --help and --version, and no command at all."""
        if args[:1] == ["--version"]:
            from attention_lab import __version__

            typer.echo(f"attention-lab {__version__}")
            raise typer.Exit
        if args[:1] in ([], ["--help"], ["-h"]):
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name the nearest command when there is none of this name."""
        if args[0] not in self.commands:
            raise unknown("command", args[0], self.commands, f"{NAME} --help")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    name=NAME,
    add_help_option=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def attn_lab() -> None:
    """Understand attention by breaking it: run every experiment of four tutorials on "Attention Is All You Need"."""


# ---- output ----


def add_views(parser: Parser) -> None:
    """Give the parser the options that every result understands."""
    group = parser.add_argument_group("how it is shown")
    only = group.add_mutually_exclusive_group()
    only.add_argument("--plain", action="store_true", help="text only: no colour, no borders; for screen readers")
    only.add_argument("--json", action="store_true", help="JSON on standard output, and nothing else")
    group.add_argument("--html", metavar="FILE", help="also write a page that loads nothing from elsewhere")
    group.add_argument("--svg", metavar="FILE", help="also write a picture of the terminal")


def check_writable(file: str | None) -> None:
    """Raise BadInput before the work is done, not after it, when its result could not be written."""
    if file is None:
        return
    folder = os.path.dirname(file) or "."
    if os.path.isdir(file):
        raise BadInput(f"Cannot write {file}: it is a folder.", "Name a file in it.")
    if not os.path.isdir(folder):
        raise BadInput(f"Cannot write {file}: there is no folder {folder}.", "Make the folder, or name another file.")
    if not os.access(file if os.path.exists(file) else folder, os.W_OK):
        raise BadInput(f"Cannot write {file}: no permission.", "Name a file that you may write.")


def write(file: str, text: str) -> None:
    """Write a file and say so on standard error, which leaves standard output to the result."""
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(text)
    typer.echo(f"Wrote {file}", err=True)


def show(result: Result, arguments: argparse.Namespace) -> None:
    """Show a result in the views that were asked for. Each view is imported only when it is."""
    if arguments.json:
        from attention_lab.show.jsonview import dumps

        typer.echo(dumps(result))
    elif arguments.plain:
        from attention_lab.show.glyphs import readable
        from attention_lab.show.plain import plain

        typer.echo(plain(readable(result, sys.stdout.encoding)))
    else:
        from attention_lab.show.terminal import make_console, print_result

        print_result(result, make_console())
    if arguments.html:
        from attention_lab.show.html import page

        write(arguments.html, page(result))
    if arguments.svg:
        from attention_lab.show.svg import svg

        write(arguments.svg, svg(result))


@contextmanager
def progress_on_terminal(wanted: bool) -> Iterator[Progress]:
    """What a long demo reports to: a line on standard error, only where a person sits in front of it."""
    if not (wanted and sys.stderr.isatty()):
        from attention_lab.demo import silent

        yield silent
        return
    from rich.console import Console

    with Console(stderr=True).status("working …") as status:
        yield lambda doing: status.update(doing)


# ---- demo ----


def run_demo(name: str, words: list[str]) -> None:
    """Find a demo, read its options, run it on the model, show its result."""
    from attention_lab.catalogue import complaint, find
    from attention_lab.demo import listens, options_of, perform
    from attention_lab.options import add_options, parser_for, values_of
    from attention_lab.variants import healthy

    found = find(name)
    options = options_of(found.run)
    parser = parser_for(f"{NAME} demo {name}", f"{found.demo.summary}\n\n{getdoc(found.run) or ''}")
    add_options(parser, options)
    add_views(parser)
    arguments = parser.parse_args(words)
    check_writable(arguments.html)
    check_writable(arguments.svg)
    with progress_on_terminal(listens(found.run)) as progress:
        try:
            result = perform(found.demo, found.run, healthy(), values_of(arguments, options), progress)
        except LabError:
            raise
        except Exception as error:
            if not found.origin:
                raise
            raise RunFailed(complaint(found.origin, error), "Correct that line.") from error
    show(result, arguments)


@app.command(context_settings=RAW, add_help_option=False)
def demo(context: typer.Context) -> None:
    """Run an experiment; without a name, list them all."""
    words = list(context.args)
    if words and not words[0].startswith("-"):
        run_demo(words[0], words[1:])
        return
    from attention_lab.catalogue import listing
    from attention_lab.options import parser_for

    parser = parser_for(f"{NAME} demo", getdoc(demo) or "")
    add_views(parser)
    arguments = parser.parse_args(words)
    show(listing(), arguments)


# ---- the one exit ----


def report(error: LabError, as_json: bool) -> None:
    """One error: a sentence and what to do, on standard error; with --json as JSON on standard output."""
    if as_json:
        body = {"kind": error.kind, "what": error.what, "advice": error.advice}
        typer.echo(json.dumps({"schema": "attention-lab/error/1", "error": body}, indent=2))
        return
    from attention_lab.show.glyphs import spelled

    message = "\n".join([f"error: {error.what}", *(f"       {line}" for line in error.advice.splitlines())])
    typer.echo(spelled(message, sys.stderr.encoding or "utf-8"), err=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code; no person's mistake ends in a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(args=words, prog_name=NAME, standalone_mode=False) or 0
        sys.stdout.flush()
    except LabError as error:
        report(error, "--json" in words)
        code = error.exit_code
    except UsageError as error:
        report(BadInput(str(error), f"'{NAME} --help' shows what there is."), "--json" in words)
        code = BadInput.exit_code
    except KeyboardInterrupt:
        code = 130
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        # whoever read our output has left, as in `| head`; let the interpreter's own flush at exit fail silently
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def run_as_script(file: str) -> None:
    """`python demos/scaling.py --d-k 8` is `attn-lab demo scaling --d-k 8`."""
    main(["demo", file, *sys.argv[1:]])
