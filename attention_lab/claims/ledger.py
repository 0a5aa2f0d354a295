"""The ledger of claims: run the experiments that they name, each once, and compute every verdict from what they saw."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from attention_lab.claims.claims import CLAIMS, Claim, Evidence, Experiment
from attention_lab.claims.documents import DOCUMENTS, with_title
from attention_lab.demo import Progress, command_line, options_of, perform, silent
from attention_lab.demo.registry import Found, find
from attention_lab.errors import LabError, TooLarge, complaint, unknown
from attention_lab.result import Note, Part, Result, Statement, table
from attention_lab.text import count, listed
from attention_lab.variants import Model, healthy

VERDICTS = ("holds", "holds when …", "does not hold", "quoted from the paper, not measured here")
STOPPED = "Not measured, the model stopped:"
ENDED = "Not measured: on this model the demo ends before it comes to that."
HOW = Note(
    "how",
    "Every verdict is computed from what the command below it measures. 'Holds when' names where the sentence was seen "
    "to hold; elsewhere it was seen not to. A claim of several documents is counted under the first.",
)


@dataclass(frozen=True)
class Done:
    """An experiment that was run: its statements by name, its command, and why it stopped, where the model made it."""

    statements: dict[str, Statement]
    command: str
    stopped: str = ""


# ---- running ----


def command_of(found: Found, experiment: Experiment, more: Sequence[str]) -> str:
    """The command that runs this experiment."""
    options = options_of(found.run)
    values = {option.name: option.default for option in options} | dict(experiment.options)
    return command_line(experiment.demo, options, values, more)


def carried_out(experiment: Experiment, model: Model, progress: Progress, more: Sequence[str]) -> Done:
    """Run an experiment. What a broken model raises ends this one experiment; what the healthy one raises, all."""
    import numpy as np

    found, is_healthy = find(experiment.demo), model is healthy()
    command = command_of(found, experiment, more)

    def doing(what: str) -> None:
        progress(f"{experiment.demo}: {what}")

    progress(experiment.demo)
    try:
        with np.errstate(all=None if is_healthy else "ignore"):  # overflow and NaN are what a fault shows
            result = perform(found.demo, found.run, model, dict(experiment.options), doing)
    except Exception as error:
        if is_healthy or isinstance(error, TooLarge):
            raise
        why = error.what if isinstance(error, LabError) else complaint(str(model.__file__), error)
        return Done({}, command, why)
    return Done({part.name: part for part in result.parts if isinstance(part, Statement)}, command)


def experiments_of(claims: Iterable[Claim]) -> tuple[Experiment, ...]:
    """Every experiment that these claims name, once."""
    return tuple(dict.fromkeys(evidence.experiment for claim in claims for evidence in claim.evidence))


@cache
def done_healthily(experiment: Experiment) -> Done:
    """What the healthy model makes of it, for sentences that a broken one did not live to make."""
    return carried_out(experiment, healthy(), silent, ())


def sentence_of(claim: Claim, done: dict[Experiment, Done]) -> str:
    """The claim's own sentence, or that of its statement."""
    if claim.sentence:
        return claim.sentence
    evidence = claim.evidence[0]
    statement = done[evidence.experiment].statements.get(evidence.statement)
    return (statement or done_healthily(evidence.experiment).statements[evidence.statement]).claim


# ---- judging ----


def outcome(statement: Statement | None) -> bool | None:
    """Whether a statement holds: None is one that the paper makes and nobody here can measure.

    One that could not be measured on this model was not seen to hold.
    """
    if statement is None:
        return False
    return None if statement.holds is None and "paper" in statement.source else bool(statement.holds)


def judged(outcomes: Sequence[tuple[bool | None, str]]) -> tuple[bool | None, str]:
    """Whether a claim holds, from what each of its statements came to and when; and when it does, if not always."""
    measured = [(holds, when) for holds, when in outcomes if holds is not None]
    if not measured:
        return None, ""
    if all(holds for holds, _ in measured):
        return True, ""
    return False, listed(when for holds, when in measured if holds)


def seen_in(evidence: Evidence, done: Done) -> str:
    """What was measured, after what was so when it was."""
    statement = done.statements.get(evidence.statement)
    lost = f"{STOPPED} {done.stopped}" if done.stopped else ENDED
    measured = statement.measured if statement else lost
    return f"When {evidence.when}: {measured}" if evidence.when else measured


def entry(claim: Claim, done: dict[Experiment, Done]) -> Statement:
    """The line of the ledger for one claim."""
    seen = [(evidence, done[evidence.experiment]) for evidence in claim.evidence]
    statements = [of.statements.get(evidence.statement) for evidence, of in seen]
    whens = [evidence.when for evidence in claim.evidence]
    holds, when = judged(list(zip(map(outcome, statements), whens, strict=True)))
    first = statements[0]
    return Statement(
        claim.name,
        sentence_of(claim, done),
        "\n".join(seen_in(*one) for one in seen),
        holds,
        value=first.value if first and len(statements) == 1 else None,
        source=", ".join(claim.documents),
        when=when,
        commands=tuple(dict.fromkeys(of.command for _, of in seen)),
    )


def verdict(statement: Statement) -> str:
    """Which of the four verdicts this is."""
    if statement.holds is None:
        return VERDICTS[3]
    return VERDICTS[0] if statement.holds else VERDICTS[1] if statement.when else VERDICTS[2]


# ---- the page ----


def of_document(name: str) -> tuple[Claim, ...]:
    """The claims that a document makes. Raises UnknownName when there is no such document."""
    names = [document.name for document in DOCUMENTS]
    if name not in names:
        raise unknown("document", name, names, "attn-lab demo")
    return tuple(claim for claim in CLAIMS if name in claim.documents)


def tally(found: dict[str, list[Statement]]) -> Part:
    """How many claims of each document came to which verdict."""
    came_to = {name: [verdict(one) for one in statements] for name, statements in found.items()}
    rows = [(with_title(name), *(verdicts.count(one) for one in VERDICTS)) for name, verdicts in came_to.items()]
    return table("tally", "Claims by verdict", ("document", *VERDICTS[:3], "quoted"), rows)


def ledger(model: Model, document: str | None = None, progress: Progress = silent, more: Sequence[str] = ()) -> Result:
    """Every claim with its verdict on this model, under the document that makes it first; or those of one document.

    `more` are the words of the command line that chose the model.
    """
    claims = of_document(document) if document is not None else CLAIMS
    done = {one: carried_out(one, model, progress, more) for one in experiments_of(claims)}
    found: dict[str, list[Statement]] = {}
    for claim in claims:
        found.setdefault(document or claim.documents[0], []).append(entry(claim, done))
    parts: list[Part] = [tally(found), HOW]
    for name, statements in found.items():
        parts += [Note(name, f"{with_title(name)}: {count(len(statements), 'claim')}"), *statements]
    words = ["attn-lab", "claims", *(["--document", document] if document is not None else []), *more]
    return Result(
        tuple(parts),
        demo="claims",
        title=f"{count(len(claims), 'claim')} of the documents, measured in this run.",
        documents=tuple(found),
        command=shlex.join(words),
    )
