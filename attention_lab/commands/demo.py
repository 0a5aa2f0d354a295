"""`attn-lab demo`: find a demo, read its options, run it on a model, show its result."""

from __future__ import annotations

from argparse import ArgumentError
from contextlib import nullcontext
from inspect import getdoc, getsourcefile
from typing import TYPE_CHECKING, Any

from attention_lab.commands.output import add_views, aside, check_views, show
from attention_lab.commands.variant import add_variant, chosen
from attention_lab.demo import listens, options_of, perform
from attention_lab.demo.registry import find, listing
from attention_lab.errors import BadInput, LabError, RunFailed, complaint, raised_at
from attention_lab.options import Parser, add_options, parser_for, values_of
from attention_lab.show.progress import progress_line

if TYPE_CHECKING:
    from attention_lab.commands.variant import Choice
    from attention_lab.demo.registry import Found
    from attention_lab.result import Result


def failed(found: Found, choice: Choice, error: BaseException) -> RunFailed:
    """What was raised where the demo or the model is a person's own: the innermost line of the two is to blame."""
    written = [file for file in (found.origin, choice.after.path) if file]
    ours = [f"<{choice.label}>"] + ([] if found.origin else [str(getsourcefile(found.run))])
    origin, *others = written + ours
    theirs = raised_at(error, origin, *others)[0] in written
    advice = "Correct that line." if theirs else "It cannot work with what the model's functions return."
    return RunFailed(complaint(origin, error, *others), advice)


def measured(found: Found, choice: Choice, values: dict[str, Any]) -> Result:
    """Run a demo on a model. What a broken model, or a person's own demo, raises is told in a sentence, exit code 1."""
    import numpy as np

    model, own = choice.broken(), bool(found.origin or choice.words)
    quiet = np.errstate(all="ignore") if choice.words else nullcontext()  # overflow and NaN are what a fault shows
    with progress_line(listens(found.run)) as progress, quiet, aside(own):
        try:
            return perform(found.demo, found.run, model, values, progress, choice.words)
        except LabError:
            raise
        except (Exception, SystemExit) as error:
            if not own:
                raise
            raise failed(found, choice, error) from error


def parser_of(name: str, found: Found) -> Parser:
    """The command line of one demo, found by this name. Raises BadInput where its options are not its own."""
    it = parser_for(f"attn-lab demo {name}", f"{found.demo.summary}\n\n{getdoc(found.run) or ''}")
    add_variant(it)
    add_views(it)
    try:
        add_options(it, options_of(found.run))
    except ArgumentError as reason:
        raise BadInput(f"{name} has an option that attn-lab has as well: {reason}.", "Rename it.") from reason
    return it


def run(name: str, words: list[str]) -> None:
    """Run one demo."""
    found = find(name)
    arguments = parser_of(name, found).parse_args(words)
    check_views(arguments)
    show(measured(found, chosen(arguments), values_of(arguments, options_of(found.run))), arguments)


def parser() -> Parser:
    """The command line of `attn-lab demo` without a demo."""
    it = parser_for("attn-lab demo", "Run an experiment: demo NAME, or demo FILE.py. Without one, list them all.")
    add_views(it)
    return it


def demo(words: list[str]) -> None:
    """Run an experiment; without a name, list them all."""
    if words and not words[0].startswith("-"):
        run(words[0], words[1:])
        return
    arguments = parser().parse_args(words)
    check_views(arguments)
    show(listing(), arguments)
