"""`attn-lab check FILE[:FUNCTION]`: what a person's code computes, whether it is right, and which fault it has."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from attention_lab.check.layouts import CONVENTIONS, LAYOUTS
from attention_lab.commands.check_file import CheckRequest, as_checker_failure, survey_file
from attention_lab.commands.outcome import Live, Outcome
from attention_lab.commands.shared import FreshSeed, Level, fresh_seed
from attention_lab.errors import PartlyFailed
from attention_lab.options import Param
from attention_lab.text import count

if TYPE_CHECKING:
    from attention_lab.check.survey import Survey

HOW = "how it is to be called, if that is not found out"
ALONE = "to find it yourself"
CALL = Param("what FUNCTION's parameters take: value,key,query", metavar="NAMES", group=HOW)
MASK = Param("what a mask says", choices=tuple(convention.name for convention in CONVENTIONS), group=HOW)
LAYOUT = Param("which axis of an array is which", choices=tuple(layout.option for layout in LAYOUTS), group=HOW)
WATCH = Param(
    "check at each save, and give hints when asked",
    group=ALONE,
    apart=("--unnamed", "--json", "--html", "--svg"),
    echo=False,
)
UNNAMED = Param("what is wrong, but not which fault it is", group=ALONE)


class NothingToCheck(PartlyFailed):
    """A file in which nothing could be judged; the page says what there is."""

    kind = "nothing-to-check"
    exit_code = 2


def failure_of(survey: Survey, path: Path, troubled: bool) -> PartlyFailed | None:
    """The failure where something is wrong, with exit code 1; with exit code 2 where nothing could be judged.

    `troubled` is whether statements of the file had to be left out.
    """
    from attention_lab.check.check_page import own_faults, shortened

    if not survey.findings and survey.outline.unwritten:
        return NothingToCheck(f"{path} has no function that is written.", f"Write {survey.outline.unwritten[0]} first.")
    if not survey.findings and not survey.late:
        what = f"{path} has nothing that can be checked."
        needed = "It needs a function or a class, softmax for instance."
        return NothingToCheck(what, "The page says what had to be left out." if troubled else needed)
    own = [finding.definition.name for finding in own_faults(survey)]
    others = sum(finding.alarming for finding in survey.findings) - len(own)
    if own:
        more = f", and {others} more by what they call" if others else ""
        return PartlyFailed(f"{count(len(own), 'function')} wrong: {shortened(own)}{more}.", "The page says how.")
    if survey.late:
        what = (
            f"The time was up before {count(len(survey.late), 'function')} could be judged: {shortened(survey.late)}."
        )
        return PartlyFailed(what, "Check one at a time: FILE:FUNCTION.")
    return None


def check_once(request: CheckRequest, level: str | None, is_unnamed: bool) -> Outcome:
    """One check of the file as it is now."""
    from attention_lab.sandbox.time_budget import SECONDS, BudgetedChild

    seed, path = fresh_seed(request.seed), request.path
    with BudgetedChild(
        path, time.monotonic() + SECONDS
    ) as child:  # started before the catalogue is imported: the two go side by side
        from attention_lab.check.check_page import late_parts, page
        from attention_lab.check.unnamed import unnamed as unnamed_page

        if level:
            child.required(level)
        survey = survey_file(child, request, seed)
        troubled = bool(child.code_errors)
        with as_checker_failure():
            result = (unnamed_page if is_unnamed else page)(survey, child, seed, "")
    result = replace(result, parts=(*result.parts, *late_parts(survey, SECONDS)))
    return Outcome(result, failure_of(survey, path, troubled), chosen={"seed": seed})


def check(
    file: Annotated[str, Param("a Python file or a notebook", metavar="FILE[:FUNCTION]", files=())],
    *,
    call: Annotated[str, CALL] = "",
    mask: Annotated[str, MASK] = "",
    layout: Annotated[str, LAYOUT] = "",
    watch: Annotated[bool, WATCH] = False,
    unnamed: Annotated[bool, UNNAMED] = False,
    seed: FreshSeed = None,
    level: Level = None,
) -> Outcome | Live:
    """Check attention code: what each function of the file computes, whether it is right, and which fault it has.

    It is compared with the model by what it computes, not by how it is written.

    Exit code 0 if all of it is right, 1 if something is wrong, 2 if there is nothing to check, 3 if the check failed.
    """
    request = CheckRequest(file, call, mask, layout, seed)
    if watch:
        from attention_lab.commands.check_watch import watching

        return Live(watching(request))
    return check_once(request, level, unnamed)
