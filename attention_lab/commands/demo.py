"""`attn-lab demo`: find a demo, read its options, run it on a model."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from inspect import getdoc, getsourcefile
from typing import TYPE_CHECKING, Any

from attention_lab.commands.declaration import Declaration
from attention_lab.commands.outcome import Outcome
from attention_lab.commands.variant import VARIANT, aside, choose
from attention_lab.commands.views import VIEWS, Views
from attention_lab.demo import listens, options_of, perform
from attention_lab.demo.registry import find, listing
from attention_lab.errors import BadInput, LabError, RunFailed, complaint, raised_at
from attention_lab.show.progress import progress_line

if TYPE_CHECKING:
    from attention_lab.commands.variant import Choice
    from attention_lab.demo.registry import Found
    from attention_lab.options import Option
    from attention_lab.options.option import Values
    from attention_lab.result import Result

GROUP = "this demo"
MODEL = tuple(option for option in VARIANT if option.name in ("breaks", "own"))


def failure_at(found: Found, choice: Choice, error: BaseException) -> RunFailed:
    """What was raised where the demo or the model is a person's own: the innermost line of the two is to blame."""
    written = [file for file in (found.origin, choice.after.path) if file]
    ours = [f"<{choice.label}>"] + ([] if found.origin else [str(getsourcefile(found.run))])
    origin, *others = written + ours
    theirs = raised_at(error, origin, *others)[0] in written
    advice = "Correct that line." if theirs else "It cannot work with what the model's functions return."
    return RunFailed(complaint(origin, error, *others), advice)


def run_demo(found: Found, choice: Choice, values: dict[str, Any]) -> Result:
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
            raise failure_at(found, choice, error) from error


def check_flags(name: str, options: tuple[Option, ...]) -> None:
    """Raise BadInput where a demo of one's own has an option that attn-lab has as well."""
    ours = {"-h", "--help", *(option.flag for option in (*MODEL, *VIEWS))}
    taken = next((option.flag for option in options if option.flag in ours), None)
    if taken is not None:
        raise BadInput(f"{name} has an option that attn-lab has as well: {taken}.", "Rename it.")


def under_heading(option: Option) -> Option:
    """The option of a demo under a heading of its own in the help."""
    return replace(option, param=replace(option.param, group=option.param.group or GROUP))


def declaration(name: str) -> Declaration:
    """The command line of the demo of this name, or in this file."""
    found = find(name)
    options = tuple(under_heading(option) for option in options_of(found.run))
    check_flags(name, options)

    def run(values: Values, _: Views) -> Outcome:
        model = {option.name: values[option] for option in MODEL if option in values}
        typed = {option.name: values[option] for option in options if option in values}
        return Outcome(run_demo(found, choose(**model), typed))

    description = f"{found.demo.summary}\n\n{getdoc(found.run) or ''}"
    return Declaration(f"attn-lab demo {name}", description, (*options, *MODEL), VIEWS, run)


def demo() -> Outcome:
    """Run an experiment: demo NAME, or demo FILE.py. Without one, list them all."""
    return Outcome(listing())
