"""The ledger of claims: run each experiment once, and compute every verdict from its statements."""

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
class ExperimentRun:
    """A finished experiment: its statements by name, its command, and the error of the model if that stopped it."""

    statements: dict[str, Statement]
    command: str
    stopped: str = ""


# ---- running ----


def experiment_command(found: Found, experiment: Experiment, more: Sequence[str]) -> str:
    """The command that runs this experiment."""
    options = options_of(found.run)
    values = {option.name: option.default for option in options} | dict(experiment.options)
    return command_line(experiment.demo, options, values, more)


def run_experiment(experiment: Experiment, model: Model, progress: Progress, more: Sequence[str]) -> ExperimentRun:
    """Run an experiment. An error of a broken model ends only this experiment; one of the healthy model is raised."""
    import numpy as np

    found, is_healthy = find(experiment.demo), model is healthy()
    command = experiment_command(found, experiment, more)

    def doing(what: str) -> None:
        progress(f"{experiment.demo}: {what}")

    progress(experiment.demo)
    try:
        with np.errstate(all=None if is_healthy else "ignore"):  # overflow and NaN are symptoms of a fault
            result = perform(found.demo, found.run, model, dict(experiment.options), doing)
    except Exception as error:
        if is_healthy or isinstance(error, TooLarge):
            raise
        why = error.what if isinstance(error, LabError) else complaint(str(model.__file__), error)
        return ExperimentRun({}, command, why)
    return ExperimentRun({part.name: part for part in result.parts if isinstance(part, Statement)}, command)


def experiments_of(claims: Iterable[Claim]) -> tuple[Experiment, ...]:
    """The experiments of these claims, without repetition."""
    return tuple(dict.fromkeys(evidence.experiment for claim in claims for evidence in claim.evidence))


@cache
def healthy_run(experiment: Experiment) -> ExperimentRun:
    """The experiment on the healthy model, for the sentences of statements that a broken model did not reach."""
    return run_experiment(experiment, healthy(), silent, ())


def claim_sentence(claim: Claim, done: dict[Experiment, ExperimentRun]) -> str:
    """The sentence of a claim: its own, or that of its statement."""
    if claim.sentence:
        return claim.sentence
    evidence = claim.evidence[0]
    statement = done[evidence.experiment].statements.get(evidence.statement)
    return (statement or healthy_run(evidence.experiment).statements[evidence.statement]).claim


# ---- judging ----


def statement_holds(statement: Statement | None) -> bool | None:
    """True if a statement holds; None for a sentence of the paper that cannot be measured here.

    A statement that could not be measured on this model counts as not holding.
    """
    if statement is None:
        return False
    return None if statement.holds is None and "paper" in statement.source else bool(statement.holds)


def judge_claim(outcomes: Sequence[tuple[bool | None, str]]) -> tuple[bool | None, str]:
    """Verdict on a claim from (holds, condition) of its statements, and the conditions under which it holds in part."""
    measured = [(holds, when) for holds, when in outcomes if holds is not None]
    if not measured:
        return None, ""
    if all(holds for holds, _ in measured):
        return True, ""
    return False, listed(when for holds, when in measured if holds)


def evidence_line(evidence: Evidence, done: ExperimentRun) -> str:
    """The measurement of one piece of evidence, after its condition."""
    statement = done.statements.get(evidence.statement)
    lost = f"{STOPPED} {done.stopped}" if done.stopped else ENDED
    measured = statement.measured if statement else lost
    return f"When {evidence.when}: {measured}" if evidence.when else measured


def ledger_entry(claim: Claim, done: dict[Experiment, ExperimentRun]) -> Statement:
    """The entry of the ledger for one claim."""
    seen = [(evidence, done[evidence.experiment]) for evidence in claim.evidence]
    statements = [of.statements.get(evidence.statement) for evidence, of in seen]
    whens = [evidence.when for evidence in claim.evidence]
    holds, when = judge_claim(list(zip(map(statement_holds, statements), whens, strict=True)))
    first = statements[0]
    return Statement(
        claim.name,
        claim_sentence(claim, done),
        "\n".join(evidence_line(evidence, run) for evidence, run in seen),
        holds,
        value=first.value if first and len(statements) == 1 else None,
        source=", ".join(claim.documents),
        when=when,
        commands=tuple(dict.fromkeys(of.command for _, of in seen)),
    )


def verdict_name(statement: Statement) -> str:
    """The verdict of a statement, one of VERDICTS."""
    if statement.holds is None:
        return VERDICTS[3]
    return VERDICTS[0] if statement.holds else VERDICTS[1] if statement.when else VERDICTS[2]


# ---- the page ----


def claims_of(name: str) -> tuple[Claim, ...]:
    """The claims of a document. Raises UnknownName if there is no such document."""
    names = [document.name for document in DOCUMENTS]
    if name not in names:
        raise unknown("document", name, names, "attn-lab demo")
    return tuple(claim for claim in CLAIMS if name in claim.documents)


def verdict_tally(ledger_entries: dict[str, list[Statement]]) -> Part:
    """Number of claims by document and verdict."""
    by_document = {name: [verdict_name(entry) for entry in entries] for name, entries in ledger_entries.items()}
    rows = [(with_title(name), *map(verdicts.count, VERDICTS)) for name, verdicts in by_document.items()]
    return table("tally", "Claims by verdict", ("document", *VERDICTS[:3], "quoted"), rows)


def ledger(model: Model, document: str | None = None, progress: Progress = silent, more: Sequence[str] = ()) -> Result:
    """Every claim with its verdict on this model, under its first document; or the claims of one document.

    `more` are the words of the command line that chose the model.
    """
    claims = claims_of(document) if document is not None else CLAIMS
    runs = {experiment: run_experiment(experiment, model, progress, more) for experiment in experiments_of(claims)}
    entries: dict[str, list[Statement]] = {}
    for claim in claims:
        entries.setdefault(document or claim.documents[0], []).append(ledger_entry(claim, runs))
    parts: list[Part] = [verdict_tally(entries), HOW]
    for name, statements in entries.items():
        parts += [Note(name, f"{with_title(name)}: {count(len(statements), 'claim')}"), *statements]
    words = ["attn-lab", "claims", *(["--document", document] if document is not None else []), *more]
    return Result(
        tuple(parts),
        demo="claims",
        title=f"{count(len(claims), 'claim')} of the documents, measured in this run.",
        documents=tuple(entries),
        command=shlex.join(words),
    )
