"""`attn-lab check FILE[:FUNCTION]`: what a person's code computes, whether it is right, and which fault it has."""

from __future__ import annotations

import secrets
import shlex
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.check.layouts import CONVENTIONS, LAYOUTS
from attention_lab.commands.output import add_views, check_views, show
from attention_lab.errors import BadInput, LabError, PartlyFailed
from attention_lab.options import Parser, named, parser_for
from attention_lab.sandbox.records import LEVELS
from attention_lab.text import count, listed, option_words

if TYPE_CHECKING:
    from attention_lab.check.survey import Survey
    from attention_lab.sandbox.parent import Child

DESCRIPTION = """Check attention code: what each function of the file computes, whether it is right, and if not, which
fault it has. It is compared with the model by what it computes, not by how it is written.

Exit code 0 if all of it is right, 1 if something is wrong, 2 if there is nothing to check, 3 if the check failed."""


class CheckerFailed(LabError):
    """The check itself failed, which says nothing about the code that was checked."""

    kind = "checker-failed"
    exit_code = 3


class NothingToCheck(PartlyFailed):
    """A file in which nothing could be judged; the page says what there is."""

    kind = "nothing-to-check"
    exit_code = 2


def parser() -> Parser:
    """The command line of `attn-lab check`."""
    it = parser_for("attn-lab check", DESCRIPTION)
    it.add_argument("file", metavar="FILE[:FUNCTION]", type=named, help="a Python file or a notebook")
    how = it.add_argument_group("how it is to be called, if that is not found out")
    masks, layouts = [one.name for one in CONVENTIONS], [one.option for one in LAYOUTS]
    how.add_argument("--call", metavar="NAMES", default="", help="what FUNCTION's parameters take: value,key,query")
    how.add_argument("--mask", choices=masks, default="", help="what a mask says")
    how.add_argument("--layout", choices=layouts, default="", help="which axis of an array is which")
    how_much = it.add_argument_group("to find it yourself").add_mutually_exclusive_group()
    how_much.add_argument("--watch", action="store_true", help="check at each save, and give hints when asked")
    how_much.add_argument("--unnamed", action="store_true", help="what is wrong, but not which fault it is")
    it.add_argument("--seed", metavar="N", type=int, help="seed of the inputs (default: another one each time)")
    level = f"run only where this much protection holds: {', '.join(LEVELS)}"
    it.add_argument("--require-sandbox", metavar="LEVEL", choices=tuple(LEVELS), help=level)
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
    for flag in ("call", "mask", "layout"):
        words += option_words(f"--{flag}", getattr(arguments, flag)) if getattr(arguments, flag) else []
    words += ["--unnamed"] if arguments.unnamed else []
    return shlex.join([*words, "--seed", str(seed)])


def seed_of(arguments: Namespace) -> int:
    """The seed that was asked for, or a fresh one."""
    return secrets.randbelow(2**32) if arguments.seed is None else arguments.seed


@contextmanager
def blamed() -> Iterator[None]:
    """Where something fails here that no person has caused, CheckerFailed is raised in its place."""
    try:
        yield
    except LabError:
        raise
    except Exception as error:
        what = f"The check itself failed: {type(error).__name__}: {error}."
        raise CheckerFailed(what, "This says nothing about your code. Please report it, with the file.") from error


def taken(arguments: Namespace, function: str) -> tuple[str, ...]:
    """What --call says that the function's parameters take, in their order. Raises BadInput."""
    from attention_lab.check.roles import ROLES

    if not arguments.call:
        return ()
    if not function:
        raise BadInput("--call is about one function.", "Name it: FILE:FUNCTION.")
    names = tuple(name.strip() for name in arguments.call.split(","))
    known = dict.fromkeys(name for role in ROLES for name in role.parameters)
    strange = next((name for name in names if name not in known or names.count(name) > 1), None)
    if strange is not None:
        what = f"--call names {strange!r}, which {'stands there twice' if strange in known else 'no function takes'}."
        raise BadInput(what, f"There are {listed(known)}.")
    return names


def look(child: Child, arguments: Namespace, seed: int) -> Survey:
    """What the file of a process has, and what each function computes. Raises BadInput, RunFailed, CheckerFailed."""
    from attention_lab.check.calls import outline
    from attention_lab.check.recognition import Asked
    from attention_lab.check.survey import survey
    from attention_lab.sandbox.submission import learner_text

    path, function = parted(arguments.file)
    names = [one.name for one in child.definitions]
    if function and function not in (*names, *(code_error.defines for code_error in child.code_errors)):
        raise BadInput(f"{path} has no function {function!r}.", f"It has {listed(names) or 'none at all'}.")
    out = outline(learner_text(path))
    left_out = frozenset((*out.unwritten, *out.waiting))
    call = taken(arguments, function)
    asked = Asked(function, arguments.mask, arguments.layout, left_out, call, out.calls)
    with blamed():
        return replace(survey(child, seed, asked), outline=out)


def complain(found: Survey, path: Path, troubled: bool) -> None:
    """After the page: say in a sentence what is wrong, with exit code 1; exit code 2 where nothing could be judged.

    `troubled` is whether statements of the file had to be left out.
    """
    from attention_lab.check.check_page import own_faults, shortened

    if not found.findings and found.outline.unwritten:
        raise NothingToCheck(f"{path} has no function that is written.", f"Write {found.outline.unwritten[0]} first.")
    if not found.findings and not found.late:
        what = f"{path} has nothing that can be checked."
        needed = "It needs a function or a class, softmax for instance."
        raise NothingToCheck(what, "The page says what had to be left out." if troubled else needed)
    own = [one.definition.name for one in own_faults(found)]
    others = sum(one.alarming for one in found.findings) - len(own)
    if own:
        more = f", and {others} more by what they call" if others else ""
        raise PartlyFailed(f"{count(len(own), 'function')} wrong: {shortened(own)}{more}.", "The page says how.")
    if found.late:
        what = f"The time was up before {count(len(found.late), 'function')} could be judged: {shortened(found.late)}."
        raise PartlyFailed(what, "Check one at a time: FILE:FUNCTION.")


def check(words: list[str], home: Path | None = None) -> None:
    """Check a file; with --watch again and again, and `home` is the folder in which progress is kept."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    if arguments.seed is not None and arguments.seed < 0:
        raise BadInput(f"--seed is {arguments.seed}.", "It must be at least 0.")
    path, _ = parted(arguments.file)
    if arguments.watch:
        from attention_lab.commands.check_watch import check_watch

        check_watch(path, arguments, home)
        return
    seed = seed_of(arguments)
    from attention_lab.sandbox.time_budget import SECONDS, BudgetedChild

    with BudgetedChild(
        path, time.monotonic() + SECONDS
    ) as child:  # started before the catalogue is imported: the two go side by side
        from attention_lab.check.check_page import late_parts, page
        from attention_lab.check.unnamed import unnamed

        if arguments.require_sandbox:
            child.required(arguments.require_sandbox)
        found = look(child, arguments, seed)
        troubled = bool(child.code_errors)
        with blamed():
            result = (unnamed if arguments.unnamed else page)(found, child, seed, command_of(arguments, seed))
    show(replace(result, parts=(*result.parts, *late_parts(found, SECONDS))), arguments)
    complain(found, path, troubled)
