"""`attn-lab check FILE[:FUNCTION]`: what a person's code computes, whether it is right, and which fault it has."""

from __future__ import annotations

import secrets
import shlex
from argparse import Namespace
from pathlib import Path

from attention_lab.commands.output import add_views, check_views, show
from attention_lab.errors import BadInput, LabError, PartlyFailed
from attention_lab.options import Parser, named, parser_for
from attention_lab.text import count, listed, typed

DESCRIPTION = """Check attention code: what each function of the file computes, whether it is right, and if not, which fault
it has. It is compared with the model by what it computes, not by how it is written.

Exit code 0 if all of it is right, 1 if something is wrong, 2 if there is nothing to check, 3 if the check itself failed."""
LAYOUTS = {"T-d": "(…, T, d)", "d-T": "(d, T)", "B-d-T": "(B, d, T)", "B-T-h-d": "(B, T, h, d)", "T-B-d": "(T, B, d)"}
MASKS = ("allowed", "ones", "additive", "blocked", "zeros")


class CheckerFailed(LabError):
    """The check itself failed, which says nothing about the code that was checked."""

    kind = "checker-failed"
    exit_code = 3


def parser() -> Parser:
    """The command line of `attn-lab check`."""
    it = parser_for("attn-lab check", DESCRIPTION)
    it.add_argument("file", metavar="FILE[:FUNCTION]", type=named, help="a Python file or a notebook")
    how = it.add_argument_group("how it is to be called, if that is not found out")
    how.add_argument("--mask", choices=MASKS, default="", help="what a mask says")
    how.add_argument("--layout", choices=tuple(LAYOUTS), default="", help="which axis of an array is which")
    it.add_argument("--seed", metavar="N", type=int, help="seed of the inputs (default: another one each time)")
    add_views(it)
    return it


def parted(text: str) -> tuple[Path, str]:
    """File and function of FILE:FUNCTION; a colon in the name of a file that exists is part of it."""
    file, colon, function = text.rpartition(":")
    if not colon or Path(text).exists() or not function.replace(".", "_").isidentifier():
        return Path(text), ""
    return Path(file), function


def command_of(arguments: Namespace, seed: int) -> str:
    """The command that gives this page again."""
    words = ["attn-lab", "check", arguments.file]
    for flag in ("mask", "layout"):
        words += typed(f"--{flag}", getattr(arguments, flag)) if getattr(arguments, flag) else []
    return shlex.join([*words, "--seed", str(seed)])


def check(words: list[str]) -> None:
    """Check a file."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    if arguments.seed is not None and arguments.seed < 0:
        raise BadInput(f"--seed is {arguments.seed}.", "It must be at least 0.")
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    path, function = parted(arguments.file)
    from attention_lab.check.sandbox import Child

    with Child(path) as child:  # started before the catalogue is imported: the two go side by side
        from attention_lab.check.page import page
        from attention_lab.check.survey import Asked, survey

        offers = [one.name for one in child.offers]
        if function and function not in offers:
            raise BadInput(f"{path} has no function {function!r}.", f"It has {listed(offers) or 'none at all'}.")
        try:
            found = survey(child, seed, Asked(function, arguments.mask, LAYOUTS.get(arguments.layout, "")))
            result = page(found, child, seed, command_of(arguments, seed))
        except LabError:
            raise
        except Exception as error:
            what = f"The check itself failed: {type(error).__name__}: {error}."
            raise CheckerFailed(what, "This says nothing about your code. Please report it, with the file.") from error
    show(result, arguments)
    if not found.findings:
        raise BadInput(f"{path} has nothing that can be checked.", "It needs a function or a class, softmax for instance.")
    wrong = [one.offer.name for one in found.findings if one.alarming]
    if wrong:
        raise PartlyFailed(f"{count(len(wrong), 'function')} wrong: {listed(wrong)}.", "The page says how.")
