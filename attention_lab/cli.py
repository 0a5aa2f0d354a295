"""The command `attn-lab`. Thin: Typer finds the command, `commands/` runs it, and its one exit shows the outcome."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import typer
from typer.core import TyperGroup

from attention_lab.commands.command_table import COMMANDS, Command
from attention_lab.commands.exit import exit_code, finish, silence_streams
from attention_lab.errors import BadInput, CannotWrite, LabError, TooLarge, unknown
from attention_lab.machine.memory import THREADS

NAME = "attn-lab"
RAW = {"allow_extra_args": True, "ignore_unknown_options": True}  # the words as typed; `options/` reads them
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # Typer cannot read the command line; no public name


class Commands(TyperGroup):
    """The commands of attn-lab, without an option of the group's own: `options/parser.py` says what one costs."""

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
    """The function that Typer calls for a command; the command's module is imported only then."""

    def run(context: typer.Context) -> None:
        from attention_lab.commands.declaration import run_words

        ending, views = run_words(*command.declaration(list(context.args)))
        finish(ending, views, Path(typer.get_app_dir("attention-lab")))

    return run


for command in COMMANDS:
    app.command(command.name, help=command.summary, context_settings=RAW, add_help_option=False)(entry(command))


# ---- the start and the end ----


def use_one_thread() -> None:
    """Let NumPy, once it is imported, multiply in one thread, unless the environment says how many it may use.

    On a busy machine threads that share out a small product wait for each other, up to a hundred times as long as the
    product takes: a time measured would be that of the waiting.
    """
    for name in THREADS:
        os.environ.setdefault(name, "1")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code; no person's mistake ends in a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    use_one_thread()
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (closed by whoever started us)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        code = app(args=words, prog_name=NAME, standalone_mode=False) or 0
        sys.stdout.flush()
    except LabError as error:
        code = exit_code(error, as_json)
    except UsageError as error:
        code = exit_code(BadInput(str(error), f"'{NAME} --help' shows what there is."), as_json)
    except KeyboardInterrupt:
        code = 130
    except MemoryError:
        code = exit_code(TooLarge("This needs more memory than there is.", "Give smaller sizes."), as_json)
    except OSError as error:
        if error.errno != errno.EPIPE:
            exit_code(CannotWrite("the result", str(error.strerror)), as_json)
        silence_streams()
        code = CannotWrite.exit_code
    sys.exit(code)


def run_as_script(file: str) -> None:
    """`python demos/scaling.py --d-k 8` is `attn-lab demo scaling --d-k 8`."""
    main(["demo", file, *sys.argv[1:]])
