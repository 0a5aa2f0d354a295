"""`attn-lab claims`: what the documents claim, each sentence measured in this run, with its verdict."""

from __future__ import annotations

from typing import Annotated

from attention_lab.claims.ledger import STOPPED, ledger
from attention_lab.commands.names import document_names
from attention_lab.commands.outcome import Outcome
from attention_lab.commands.variant import Breaks, OwnFile, choose
from attention_lab.errors import PartlyFailed
from attention_lab.options import Param
from attention_lab.result import Result, Statement
from attention_lab.show.progress import progress_line
from attention_lab.text import count

DOCUMENT = Param("only what this one claims: D0, D2, D3, D4 or paper", metavar="NAME", names=document_names)


def failure_of(result: Result) -> PartlyFailed | None:
    """The failure where a person's own functions stopped experiments."""
    stopped = [part for part in result.parts if isinstance(part, Statement) and STOPPED in part.measured]
    if not stopped:
        return None
    what = f"{count(len(stopped), 'claim')} could not be measured, the first of them {stopped[0].name}."
    return PartlyFailed(what, "The page says why, and shows the others.")


def claims(*, document: Annotated[str | None, DOCUMENT] = None, breaks: Breaks = (), own: OwnFile = None) -> Outcome:
    """Every testable sentence of the documents, measured now: does it hold, and which command shows it.

    Without a document, all of them.
    """
    choice = choose(breaks=breaks, own=own)
    with progress_line(True) as progress:
        result = ledger(choice.broken(), document, progress, choice.words)
    return Outcome(result, failure_of(result) if own else None)
