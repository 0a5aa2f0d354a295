"""`attn-lab break`: list the catalogue, examine a fault or an edit, draw what catches what, check the catalogue."""

from __future__ import annotations

import shlex
from argparse import Namespace
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from attention_lab.breaks import BREAKS
from attention_lab.commands.output import add_views, aside, check_views, show
from attention_lab.commands.variant import Choice, choose
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.options import Parser, named, parser_for
from attention_lab.result import Note, Part, Result, Signs, Statement, table
from attention_lab.text import listed, option_words

if TYPE_CHECKING:
    from attention_lab.vitals.record import Setting

SENTENCE = "the cat sat on the big mat"  # short words: two matrices fit side by side in 80 columns
DESCRIPTION = """Break the model: the line that changes, the matrices before and after, the vital signs that move.

Several names combine. Without a name, the catalogue is listed by part."""


def parser() -> Parser:
    """The command line of `attn-lab break`."""
    it = parser_for("attn-lab break", DESCRIPTION)
    it.add_argument("names", metavar="NAME", nargs="*", help="breaks of the catalogue")
    what = it.add_argument_group("what to break")
    what.add_argument(
        "--edit", nargs=2, metavar=("OLD", "NEW"), action="append", default=[], help="a change of your own"
    )
    what.add_argument("--with", dest="own", metavar="FILE", type=named, help="break your own file, not the model's")
    what.add_argument("--train", action="store_true", help="train healthy and broken side by side, in seconds")
    what.add_argument("--matrix", action="store_true", help="what catches what: every break by every vital sign")
    what.add_argument("--verify", action="store_true", help="check the whole catalogue; exit code 1 if anything is off")
    sizes = it.add_argument_group("at which sizes; equal ones hide faults")
    sizes.add_argument("--size", metavar="T", type=int, help="number of tokens (default 7)")
    sizes.add_argument("--d-k", metavar="N", type=int, default=4, help="width of a query and a key (default 4)")
    sizes.add_argument("--heads", metavar="N", type=int, default=3, help="number of heads (default 3)")
    sizes.add_argument("--text", metavar="TEXT", help="label the tokens with a sentence of your own")
    sizes.add_argument("--seed", metavar="N", type=int, default=0, help="seed of the random numbers (default 0)")
    add_views(it)
    return it


def listing() -> Result:
    """The catalogue, a table for each part."""
    parts: list[Part] = []
    for part, breaks in groupby(BREAKS, key=lambda one: one.part):
        rows = [(one.name + (" (harmless)" if one.harmless else ""), one.patches[0].new.strip()) for one in breaks]
        parts.append(table(part, part.capitalize(), ("break", "the line as it becomes"), rows))
    parts.append(Note("how", "Run one with 'attn-lab break NAME'; read about it with 'attn-lab explain NAME'."))
    return Result(tuple(parts), title=f"{len(BREAKS)} ways to break a transformer", command="attn-lab break")


def check_sizes(arguments: Namespace) -> None:
    """Raise BadInput on a size of no sense, also where the page asked for has no use for it."""
    for flag, least in (("size", 2), ("d_k", 2), ("heads", 1), ("seed", 0)):
        value = getattr(arguments, flag)
        if value is not None and value < least:
            raise BadInput(f"--{flag.replace('_', '-')} is {value}.", f"It must be at least {least}.")
    for flag, most in (("size", 64), ("d_k", 256), ("heads", 16)):
        if (getattr(arguments, flag) or 0) > most:
            seen = f"--{flag.replace('_', '-')} is {getattr(arguments, flag)}."
            raise BadInput(seen, f"It must be at most {most}: no page shows more.")


def sizes(arguments: Namespace) -> tuple[Setting, tuple[str, ...]]:
    """The setting that was asked for, and a label for each of its tokens."""
    from attention_lab.text import sentence_tokens
    from attention_lab.vitals.record import Setting

    own = arguments.text is not None
    sentence = sentence_tokens(arguments.text if own else SENTENCE, at_least=2)
    T = arguments.size or (len(sentence) if own else 7)
    labels = [*sentence[:T], *(str(place) for place in range(len(sentence), T))]
    setting = Setting(T=T, d_k=arguments.d_k, h=arguments.heads, seed=arguments.seed)
    return setting, tuple(labels)


def command_of(choice: Choice, arguments: Namespace) -> str:
    """The command that gives this page again."""
    words = ["attn-lab", "break", *(one.name for one in choice.breaks)]
    words += [word for edit in arguments.edit for word in ("--edit", *edit)]
    words += option_words("--with", arguments.own) if arguments.own else []
    for flag, usual in (("size", None), ("d_k", 4), ("heads", 3), ("text", None), ("seed", 0)):
        value = getattr(arguments, flag)
        words += [] if value == usual else option_words(f"--{flag.replace('_', '-')}", value)
    return shlex.join(words)


def page(arguments: Namespace) -> Result:
    """Examine what was asked for."""
    from attention_lab.break_page.examine import Case, break_result

    choice = choose(arguments.names, [tuple(edit) for edit in arguments.edit], arguments.own)
    setting, labels = sizes(arguments)
    seconds = 1.0 if arguments.edit or arguments.own else None  # the catalogue's own code is known to end
    case = Case(choice.healthy(), choice.broken(), choice.before, choice.after, choice.breaks, seconds)
    with aside(seconds is not None):
        result = break_result(case, setting, labels, command_of(choice, arguments))
    names = " + ".join(one.name for one in choice.breaks)
    return replace(result, demo=names or "your own change", title=parts_of(choice), question=watch(choice))


def parts_of(choice: Choice) -> str:
    """Which parts of the model are broken."""
    kinds = ["harmless" if one.harmless else one.part for one in choice.breaks]
    return listed(dict.fromkeys(kinds)) if kinds else ""


def watch(choice: Choice) -> str:
    """What to look at."""
    return " ".join(f"Watch: {one.watch}" for one in choice.breaks)


def complain(result: Result) -> None:
    """After the page of a person's own change: say in a sentence what could not be taken, with exit code 1."""
    lost = [sign for part in result.parts if isinstance(part, Signs) for sign in part.signs if sign.reason]
    if lost:
        what = f"{len(lost)} vital signs could not be taken: {lost[0].reason}."
        raise PartlyFailed(what, "The page shows the others. Correct that line.")


def breaks(words: list[str]) -> None:
    """Break the model, one line at a time."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    check_sizes(arguments)
    if (arguments.matrix or arguments.verify) and (arguments.names or arguments.edit or arguments.own):
        raise BadInput("--matrix and --verify are of the whole catalogue.", "Leave the names, --edit and --with out.")
    if arguments.matrix:
        from attention_lab.breaks.matrix import what_catches_what

        show(what_catches_what(), arguments)
    elif arguments.train:
        from attention_lab.commands.train_break import train_break

        train_break(arguments)
    elif arguments.verify:
        from attention_lab.breaks.verification import verify

        result = verify()
        show(result, arguments)
        if not all(part.holds for part in result.parts if isinstance(part, Statement)):
            raise PartlyFailed("The catalogue does not hold what it declares.", "See the checks that do not hold.")
    elif arguments.names or arguments.edit or arguments.own:
        result = page(arguments)
        show(result, arguments)
        if arguments.edit or arguments.own:
            complain(result)
    else:
        show(listing(), arguments)
