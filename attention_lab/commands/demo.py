"""`attn-lab demo`: find a demo, read its options, run it on a model, show its result."""

from __future__ import annotations

from inspect import getdoc

from attention_lab.catalogue import find, listing
from attention_lab.commands.output import add_views, check_views, show
from attention_lab.demo import listens, options_of, perform
from attention_lab.errors import LabError, RunFailed, complaint
from attention_lab.options import add_options, parser_for, values_of
from attention_lab.show.progress import progress_line
from attention_lab.variants import healthy


def run(name: str, words: list[str]) -> None:
    """Run one demo."""
    found = find(name)
    options = options_of(found.run)
    parser = parser_for(f"attn-lab demo {name}", f"{found.demo.summary}\n\n{getdoc(found.run) or ''}")
    add_options(parser, options)
    add_views(parser)
    arguments = parser.parse_args(words)
    check_views(arguments)
    with progress_line(listens(found.run)) as progress:
        try:
            result = perform(found.demo, found.run, healthy(), values_of(arguments, options), progress)
        except LabError:
            raise
        except Exception as error:
            if not found.origin:
                raise
            raise RunFailed(complaint(found.origin, error), "Correct that line.") from error
    show(result, arguments)


def demo(words: list[str]) -> None:
    """Run an experiment; without a name, list them all."""
    if words and not words[0].startswith("-"):
        run(words[0], words[1:])
        return
    parser = parser_for(
        "attn-lab demo", "Run an experiment: demo NAME, or demo FILE.py. Without one, list them all."
    )
    add_views(parser)
    arguments = parser.parse_args(words)
    check_views(arguments)
    show(listing(), arguments)
