"""The command `attn-lab`. Thin: find by name, run, show, exit code.

Exit codes: 0 done; 1 a person's own file failed while it ran, or a result could not be written; 2 input that nothing
can be done with; 130 interrupted.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import typer
from typer.core import TyperGroup

from attention_lab.commands.command_table import COMMANDS, Command
from attention_lab.errors import BadInput, CannotWrite, LabError, PartlyFailed, TooLarge, unknown
from attention_lab.machine.memory import THREADS
from attention_lab.text import brief

NAME = "attn-lab"
RAW = {"allow_extra_args": True, "ignore_unknown_options": True}  # the words as typed; `options.py` reads them
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # Typer cannot read the command line; no public name


class Commands(TyperGroup):
    """The commands of attn-lab, without an option of the group's own: see `options.py` for what one would cost."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Answer --help and --version, and greet whoever types no command at all."""
        if args[:1] == ["--version"]:
            from attention_lab import __version__

            typer.echo(f"attention-lab {__version__}")
            raise typer.Exit
        if not args:
            from attention_lab.commands.greeting import greeting

            typer.echo(greeting(get_terminal_size().columns))
            raise typer.Exit
        if args[0] in ("--help", "-h"):
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


def entry(command: Command) -> Callable[[typer.Context], None]:
    """What Typer calls for a command; its module is imported only then."""

    def run(context: typer.Context) -> None:
        kept = (Path(typer.get_app_dir("attention-lab")),) if command.remembers else ()
        command.function(list(context.args), *kept)

    return run


for one in COMMANDS:
    app.command(one.name, help=one.summary, context_settings=RAW, add_help_option=False)(entry(one))


# ---- the one exit ----


def report(error: LabError, as_json: bool) -> None:
    """One error: a sentence and what to do, on standard error; with --json as JSON, unless a result stands there.

    The sentence is one line, whatever the names in it hold.
    """
    if as_json and not isinstance(error, PartlyFailed):
        body = {"kind": error.kind, "what": brief(error.what), "advice": brief(error.advice)}
        typer.echo(json.dumps({"schema": "attention-lab/error/1", "error": body}, indent=2))
        return
    from attention_lab.show.glyphs import encodable_text

    what = "\\n".join(error.what.splitlines())
    message = "\n".join([f"error: {what}", *(f"       {line}" for line in error.advice.splitlines())])
    typer.echo(encodable_text(brief(message), sys.stderr.encoding or "utf-8"), err=True)


def one_thread() -> None:
    """Let NumPy, once it is imported, multiply in one thread, unless the environment says how many it may use.

    On a busy machine threads that share out a small product wait for each other, up to a hundred times as long as the
    product takes: a time measured would be that of the waiting.
    """
    for name in THREADS:
        os.environ.setdefault(name, "1")


def unheard() -> None:
    """Nobody takes our output any more, as in `| head`: let the interpreter's own flush at exit fail silently."""
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def leave(error: LabError, as_json: bool) -> int:
    """Report an error, if anybody takes it; its exit code."""
    try:
        report(error, as_json)
        sys.stdout.flush()
    except OSError:
        unheard()
    return error.exit_code


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code; no person's mistake ends in a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    one_thread()
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (closed by whoever started us)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        code = app(args=words, prog_name=NAME, standalone_mode=False) or 0
        sys.stdout.flush()
    except LabError as error:
        code = leave(error, as_json)
    except UsageError as error:
        code = leave(BadInput(str(error), f"'{NAME} --help' shows what there is."), as_json)
    except KeyboardInterrupt:
        code = 130
    except MemoryError:
        code = leave(TooLarge("This needs more memory than there is.", "Give smaller sizes."), as_json)
    except OSError as error:
        if error.errno != errno.EPIPE:
            leave(CannotWrite("the result", str(error.strerror)), as_json)
        unheard()
        code = CannotWrite.exit_code
    sys.exit(code)


def run_as_script(file: str) -> None:
    """`python demos/scaling.py --d-k 8` is `attn-lab demo scaling --d-k 8`."""
    main(["demo", file, *sys.argv[1:]])
