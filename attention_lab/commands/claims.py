"""`attn-lab claims`: what the documents claim, each sentence measured in this run, with its verdict."""

from __future__ import annotations

from attention_lab.claims.ledger import STOPPED, ledger
from attention_lab.commands.output import add_views, check_views, show
from attention_lab.commands.variant import add_variant, chosen
from attention_lab.errors import PartlyFailed
from attention_lab.options import Parser, parser_for
from attention_lab.result import Result, Statement
from attention_lab.show.progress import progress_line
from attention_lab.text import count

DESCRIPTION = """Every testable sentence of the documents, measured now: does it hold, and which command shows it.

Without a document, all of them."""


def parser() -> Parser:
    """The command line of `attn-lab claims`."""
    it = parser_for("attn-lab claims", DESCRIPTION)
    it.add_argument("--document", metavar="NAME", help="only what this one claims: D0, D2, D3, D4 or paper")
    add_variant(it)
    add_views(it)
    return it


def complain(result: Result) -> None:
    """After the page of a person's own functions: say in a sentence what they stopped, with exit code 1."""
    lost = [part for part in result.parts if isinstance(part, Statement) and STOPPED in part.measured]
    if lost:
        what = f"{count(len(lost), 'claim')} could not be measured, the first of them {lost[0].name}."
        raise PartlyFailed(what, "The page says why, and shows the others.")


def claims(words: list[str]) -> None:
    """Measure what the documents claim."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    choice = chosen(arguments)
    with progress_line(True) as progress:
        result = ledger(choice.broken(), arguments.document, progress, choice.words)
    show(result, arguments)
    if arguments.own:
        complain(result)
