"""`attn-lab break`: list the catalogue, examine a fault or an edit, draw what catches what, check the catalogue."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

from attention_lab.breaks import BREAKS
from attention_lab.commands.names import break_names
from attention_lab.commands.outcome import Outcome
from attention_lab.commands.variant import Choice, Edits, OwnFile, aside, choose
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.options import Param, do_not_combine
from attention_lab.result import Note, Part, Result, Signs, Statement, table
from attention_lab.text import listed

if TYPE_CHECKING:
    from attention_lab.vitals.record import Setting

SENTENCE = "the cat sat on the big mat"  # short words: two matrices fit side by side in 80 columns
PAGES = "which page"
SIZES = "at which sizes; equal ones hide faults"

Names = Annotated[tuple[str, ...], Param("breaks of the catalogue", metavar="NAME", names=break_names)]
Train = Annotated[bool, Param("train healthy and broken side by side, in seconds", group=PAGES)]
Fair = Annotated[bool, Param("with --train: each at its own best of five rates, over three seeds", group=PAGES)]
Matrix = Annotated[bool, Param("what catches what: every break by every vital sign", group=PAGES)]
Verify = Annotated[bool, Param("check the whole catalogue; exit code 1 if anything is off", group=PAGES)]
Size = Annotated[int | None, Param("number of tokens", metavar="T", at_least=2, at_most=64, group=SIZES, default="7")]
KeyWidth = Annotated[int, Param("width of a query and a key", at_least=2, at_most=256, group=SIZES)]
Heads = Annotated[int, Param("number of heads", at_least=1, at_most=16, group=SIZES)]
Labels = Annotated[str | None, Param("label the tokens with a sentence of your own", group=SIZES)]
Seed = Annotated[int, Param("seed of the random numbers", at_least=0, group=SIZES)]


def listing() -> Result:
    """The catalogue, a table for each part."""
    parts: list[Part] = []
    for part, breaks in groupby(BREAKS, key=lambda entry: entry.part):
        rows = [
            (entry.name + (" (harmless)" if entry.harmless else ""), entry.patches[0].new.strip()) for entry in breaks
        ]
        parts.append(table(part, part.capitalize(), ("break", "the line as it becomes"), rows))
    parts.append(Note("how", "Run one with 'attn-lab break NAME'; read about it with 'attn-lab explain NAME'."))
    return Result(tuple(parts), title=f"{len(BREAKS)} ways to break a transformer")


def verify_catalogue() -> Outcome:
    """The catalogue's own checks, and a failure where one does not hold."""
    from attention_lab.breaks.verification import verify

    result = verify()
    if all(part.holds for part in result.parts if isinstance(part, Statement)):
        return Outcome(result)
    failure = PartlyFailed("The catalogue does not hold what it declares.", "See the checks that do not hold.")
    return Outcome(result, failure)


# ---- the page of a break ----


def labelled_setting(size: int | None, d_k: int, heads: int, text: str | None, seed: int) -> tuple[Setting, list[str]]:
    """The setting that was asked for, and a label for each of its tokens."""
    from attention_lab.text import sentence_tokens
    from attention_lab.vitals.record import Setting

    sentence = sentence_tokens(SENTENCE if text is None else text, at_least=2)
    T = size or (7 if text is None else len(sentence))
    labels = [*sentence[:T], *(str(place) for place in range(len(sentence), T))]
    return Setting(T=T, d_k=d_k, h=heads, seed=seed), labels


def failure_of(result: Result) -> PartlyFailed | None:
    """The failure where vital signs of a person's own change could not be taken."""
    lost = [sign for part in result.parts if isinstance(part, Signs) for sign in part.signs if sign.reason]
    if not lost:
        return None
    what = f"{len(lost)} vital signs could not be taken: {lost[0].reason}."
    return PartlyFailed(what, "The page shows the others. Correct that line.")


def examined(choice: Choice, setting: Setting, labels: list[str], is_own: bool) -> Outcome:
    """The page of what was asked for; code of one's own gets a second for each vital sign."""
    from attention_lab.break_page.examine import Case, break_result

    seconds = 1.0 if is_own else None  # the catalogue's own code is known to end
    case = Case(choice.healthy(), choice.broken(), choice.before, choice.after, choice.breaks, seconds)
    with aside(is_own):
        result = break_result(case, setting, labels, "")
    kinds = ["harmless" if entry.harmless else entry.part for entry in choice.breaks]
    result = replace(
        result,
        demo=choice.title or "your own change",
        title=listed(dict.fromkeys(kinds)) if kinds else "",
        question=" ".join(f"Watch: {entry.watch}" for entry in choice.breaks),
    )
    return Outcome(result, failure_of(result) if is_own else None)


# ---- the command ----


def check_training(names: Names, size: int | None, d_k: int, heads: int, text: str | None, is_own: bool) -> None:
    """Raise BadInput where there is nothing to train with, or on sizes, which training has no use for."""
    if not names and not is_own:
        raise BadInput("--train needs a fault to train with.", "Name one, or give --edit OLD NEW.")
    for flag, value, usual in (
        ("--size", size, None),
        ("--d-k", d_k, 4),
        ("--heads", heads, 3),
        ("--text", text, None),
    ):
        if value != usual:
            what = do_not_combine(flag, "--train").what
            raise BadInput(what, "'attn-lab train reverse --break NAME' takes sizes.")


def breaks(
    names: Names = (),
    *,
    edits: Edits = (),
    own: OwnFile = None,
    train: Train = False,
    fair: Fair = False,
    matrix: Matrix = False,
    verify: Verify = False,
    size: Size = None,
    d_k: KeyWidth = 4,
    heads: Heads = 3,
    text: Labels = None,
    seed: Seed = 0,
) -> Outcome:
    """Break the model: the line that changes, the matrices before and after, the vital signs that move.

    Several names combine. Without a name, the catalogue is listed by part.
    """
    is_own = bool(edits or own)
    if (matrix or verify) and (names or is_own):
        raise BadInput("--matrix and --verify are of the whole catalogue.", "Leave the names, --edit and --with out.")
    if matrix:
        from attention_lab.breaks.matrix import what_catches_what

        return Outcome(what_catches_what())
    if fair and not train:
        raise BadInput("--fair needs --train.", "Give both: attn-lab break NAME --train --fair.")
    if train:
        from attention_lab.commands.fair_break import fair_break
        from attention_lab.commands.train_break import train_break

        check_training(names, size, d_k, heads, text, is_own)
        return (fair_break if fair else train_break)(choose(breaks=names, edits=edits, own=own), is_own, seed)
    if verify:
        return verify_catalogue()
    if not names and not is_own:
        return Outcome(listing())
    choice = choose(breaks=names, edits=edits, own=own)
    return examined(choice, *labelled_setting(size, d_k, heads, text, seed), is_own)
