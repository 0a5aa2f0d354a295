"""`attn-lab kill TESTS.py`: which faults a person's own tests would notice, and which they would miss."""

from __future__ import annotations

import shlex
from pathlib import Path

from attention_lab.commands.output import add_views, check_views, show
from attention_lab.errors import PartlyFailed
from attention_lab.options import Parser, named, parser_for
from attention_lab.sandbox.records import LEVELS
from attention_lab.show.progress import progress_line
from attention_lab.text import count, first_of

DESCRIPTION = """Run your own pytest file on the model and on every fault of the catalogue: which faults would it miss?

The tests import the model as attention_lab.transformer, as transformer or as model ('from model import attention'), or
take the fixture 'model' ('model.attention(…)'). A module that is not installed, and of which they import only functions
of the model ('from my_attention import softmax, attention'), is the model, too.

The file is run by itself, without a conftest.py or anything else beside it, and again for each fault, in a process that
can reach no other file. Only tests that pass on the healthy model count, and only faults of functions that they call.

Exit code 0 if every test passes on the healthy model, 1 if one fails there, 2 if there is nothing to run, 3 if this
machine does not protect what --require-sandbox asks for."""


def parser() -> Parser:
    """The command line of `attn-lab kill`."""
    it = parser_for("attn-lab kill", DESCRIPTION)
    it.add_argument("file", metavar="FILE", type=named, help="a Python file with tests, or a notebook")
    it.add_argument("--all", action="store_true", help="count the faults of all functions, not of those called only")
    level = f"run only where this much protection holds: {', '.join(LEVELS)}"
    it.add_argument("--require-sandbox", metavar="LEVEL", choices=tuple(LEVELS), help=level)
    add_views(it)
    return it


def kill(words: list[str]) -> None:
    """Try the tests of a file."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    from attention_lab.kill.kill import measure_kills
    from attention_lab.kill.kill_page import kill_page

    with progress_line(True) as progress:
        found = measure_kills(Path(arguments.file), arguments.all, progress, arguments.require_sandbox or "")
    command = shlex.join(["attn-lab", "kill", arguments.file, *(["--all"] if arguments.all else [])])
    show(kill_page(found, command), arguments)
    if found.wrong:
        names = first_of([fate.name for fate in found.wrong], 5)
        what = f"{count(len(found.wrong), 'test')} failed on the healthy model: {names}."
        raise PartlyFailed(what, "The page says why. Correct them: they do not count.")
