"""The one exit of every command: what it came to is shown, an error is told, and the exit code is chosen.

Exit codes: 0 done; 1 a person's own file failed while it ran, or a result could not be written; 2 input that nothing
can be done with; 3 a checker or its protection failed; 130 interrupted.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.errors import LabError, PartlyFailed
from attention_lab.text import brief, brief_in

if TYPE_CHECKING:
    from attention_lab.commands.outcome import Document, Ending
    from attention_lab.commands.views import Views
    from attention_lab.result import Result


# ---- what is written ----


def write_view(file: str, text: str) -> None:
    """Write a file and say so on standard error, which leaves standard output to the result."""
    from attention_lab.kept_files import write_file
    from attention_lab.show.glyphs import encodable_text

    write_file(file, text)
    sys.stderr.write(encodable_text(f"Wrote {file}\n", sys.stderr.encoding or "utf-8"))


def print_text(text: str) -> None:
    """Write a text to standard output, characters that it cannot encode spelled out."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def write_document(document: Document) -> None:
    """Write a document to standard output and to its files."""
    from attention_lab.kept_files import write_file

    print_text(document.text)
    for file, text in document.files:
        write_file(file, text)


def show(result: Result, views: Views, output: str | None) -> None:
    """Show a result in the views that were asked for. Each view is imported only when it is."""
    result = brief_in(result, but=("command", "commands"))
    result = replace(result, command=result.command.replace("\n", "\\n"))  # in the name of a file
    if output is not None:
        from attention_lab.kept_files import write_file
        from attention_lab.show.plain import plain_text

        write_file(output, plain_text(result) + "\n")
    elif views.json:
        from attention_lab.show.jsonview import result_json_text

        sys.stdout.write(result_json_text(result) + "\n")
    elif views.plain:
        from attention_lab.show.glyphs import encodable_result
        from attention_lab.show.plain import plain_text

        sys.stdout.write(plain_text(encodable_result(result, sys.stdout.encoding)) + "\n")
    else:
        from attention_lab.show.terminal import make_console, print_result

        print_result(result, make_console())
    if views.html is not None:
        from attention_lab.show.html import result_page

        write_view(views.html, result_page(result))
    if views.svg is not None:
        from attention_lab.show.svg import result_svg

        write_view(views.svg, result_svg(result))


def finish(ending: Ending, views: Views, home: Path) -> None:
    """Show what a command came to, and then raise its failure, if there is one.

    `home` is the folder in which a live screen keeps progress.
    """
    from attention_lab.commands.outcome import Live, Outcome  # not needed for --help

    match ending:
        case Outcome():
            show(ending.result, replace(views, html=None) if ending.own_page else views, ending.output)
        case Live():
            ending.run(views, home)
            return
        case _:
            write_document(ending)
    if ending.failure is not None:
        raise ending.failure


# ---- what is told on the way out ----


def report(error: LabError, as_json: bool) -> None:
    """One error: a sentence and what to do, on standard error; with --json as JSON, unless a result stands there.

    The sentence is one line, whatever the names in it hold.
    """
    if as_json and not isinstance(error, PartlyFailed):
        body = {"kind": error.kind, "what": brief(error.what), "advice": brief(error.advice)}
        sys.stdout.write(json.dumps({"schema": "attention-lab/error/1", "error": body}, indent=2) + "\n")
        return
    from attention_lab.show.glyphs import encodable_text

    what = "\\n".join(error.what.splitlines())
    message = "\n".join([f"error: {what}", *(f"       {line}" for line in error.advice.splitlines())])
    sys.stderr.write(encodable_text(brief(message), sys.stderr.encoding or "utf-8") + "\n")
    sys.stderr.flush()


def silence_streams() -> None:
    """Nobody takes our output any more, as in `| head`: let the interpreter's own flush at exit fail silently."""
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def exit_code(error: LabError, as_json: bool) -> int:
    """Report an error, if anybody takes it; its exit code."""
    try:
        report(error, as_json)
        sys.stdout.flush()
    except OSError:
        silence_streams()
    return error.exit_code
