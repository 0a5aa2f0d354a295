"""Consequences: a fault of one line, trained beside the healthy model; what training shows of it, and what is written.

`attn-lab break NAME --train` shows one fault at length, with the line, the curves and the maps.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import computes, functions
from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.errors import BadPatch
from attention_lab.result import Note, Result, Statement, table
from attention_lab.text import count, listed
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.run import Config, TrainingRun
from attention_lab.train.side_by_side import Job, train_lanes
from attention_lab.train.train_page import accuracy_curve, ending_notes
from attention_lab.variants import Model, Source, source_of

TASK, WARM_UP = "reverse", 30
NARROW, WIDE = NetworkSizes(d_model=32, heads=4, T=6), NetworkSizes(d_model=128, heads=1, T=6)
RATE = {NARROW: 6e-3, WIDE: 2e-3}  # learning rates at which the healthy model learns
LEARNED, MISSING = 0.8, 0.3  # right tokens of a model that has learned; how many fewer are a difference

HEALTHY = ""
BREAK = {one.name: one.patches for one in BREAKS} | {HEALTHY: ()}


class Trial(NamedTuple):
    """A model to train: its fault, and its sizes."""

    fault: str
    sizes: NetworkSizes


TRIALS = (  # every second trial runs in another process; both halves take about as long
    Trial(HEALTHY, WIDE),
    Trial("no-scale", WIDE),
    Trial(HEALTHY, NARROW),
    Trial("mask-zero", NARROW),
    Trial("mask-flip", NARROW),
    Trial("no-position", NARROW),
    Trial("no-scale", NARROW),
)
CURVES = (HEALTHY, "mask-flip", "no-position")


class Shares(NamedTuple):
    """Right tokens when the right ones are read, and when the model reads its own; NaN where there was no run."""

    accuracy: float = np.nan
    generated: float = np.nan


# ---- training ----


def head_width(sizes: NetworkSizes) -> int:
    """Width of a head."""
    return sizes.d_model // sizes.heads


def trial_name(trial: Trial) -> str:
    """The name of a trial on the page."""
    return f"{trial.fault or 'healthy'}, d_k {head_width(trial.sizes)}"


def faulty_source(text: Source, fault: str, label: str) -> Source | None:
    """Source of the model with a fault; None if the model lacks the line or replaces its function."""
    faulty = text
    try:
        for patch in BREAK[fault]:
            faulty = faulty.patched(patch)
    except BadPatch:
        return None
    before, after = functions(text.load(label)), functions(faulty.load(label))
    differs = any(computes(after[name]) != computes(before[name]) for name in before)
    return faulty if differs or fault == HEALTHY else None


def trial_jobs(model: Model, steps: int, seed: int) -> dict[Trial, Job]:
    """Training jobs: every trial whose line this model has."""
    text, label, jobs = source_of(model), model.__name__, {}
    for trial in TRIALS:
        faulty = faulty_source(text, trial.fault, label)
        if faulty is not None:
            config = Config(trial.sizes, steps, RATE[trial.sizes], WARM_UP, seed=seed)
            jobs[trial] = Job(trial_name(trial), faulty, label, TASK, config)
    return jobs


def train_trials(jobs: dict[Trial, Job], progress: Progress) -> dict[Trial, TrainingRun]:
    """The run of every job, in two processes where there are the cores. Raises KeyboardInterrupt on Ctrl-C."""
    lanes = [lane for lane in (list(jobs)[::2], list(jobs)[1::2]) if lane]
    together = train_lanes([[jobs[trial] for trial in lane] for lane in lanes], progress)
    found = {
        trial: run for lane, runs in zip(lanes, together, strict=True) for trial, run in zip(lane, runs, strict=True)
    }
    if any(run.stopped is not None for run in found.values()):
        raise KeyboardInterrupt
    return {trial: found[trial] for trial in jobs}


# ---- statements ----


def shares_of(run: TrainingRun | None) -> Shares:
    """Accuracy of a run on sequences outside its training."""
    if run is None or run.refused or run.scores.generated is None:
        return Shares()
    return Shares(run.scores.accuracy, run.scores.generated)


def is_worse(faulty: Shares, healthy: Shares) -> bool:
    """True if the healthy model has learned and the faulty one generates clearly fewer right tokens."""
    return healthy.generated >= LEARNED and healthy.generated - faulty.generated >= MISSING


def share_text(share: float) -> str:
    """A share with two decimals, or "no run"."""
    return "no run" if np.isnan(share) else f"{share:.2f}"


def shares_text(shares: Shares) -> str:
    """Both shares with two decimals."""
    return f"{share_text(shares.accuracy)} and {share_text(shares.generated)}"


def unnoticed_statement(name: str, claim: str, faulty: Shares, healthy: Shares) -> Statement:
    """A statement on whether a fault leaves teacher-forced accuracy intact but spoils generation."""
    return Statement(
        name,
        claim,
        f"Right tokens, when it reads the right ones and when it reads its own: {shares_text(faulty)}; "
        f"of the healthy model {shares_text(healthy)}.",
        holds=faulty.accuracy >= LEARNED and is_worse(faulty, healthy),
        value=faulty.generated,
        source="D0",
    )


def spoiled_statement(name: str, claim: str, source: str, faulty: Shares, healthy: Shares) -> Statement:
    """A statement on whether a fault spoils generation."""
    return Statement(
        name,
        claim,
        f"Right tokens that it writes: {share_text(faulty.generated)}; "
        f"of the healthy model {share_text(healthy.generated)}.",
        holds=is_worse(faulty, healthy),
        value=faulty.generated,
        source=source,
    )


def run_notes(runs: dict[Trial, TrainingRun]) -> list[Note]:
    """Notes on runs that stopped early, and on faults that this model has no lines for."""
    ends = [note.text for note in ending_notes([(trial_name(trial), run) for trial, run in runs.items()])]
    left_out = [trial_name(trial) for trial in TRIALS if trial not in runs]
    notes = [Note("ended", " ".join(ends))] if ends else []
    if left_out:
        notes.append(Note("left-out", f"This model has not the lines to be changed for: {listed(left_out)}."))
    return notes


def run(
    model: Model,
    *,
    steps: Annotated[int, Param("steps of training, 32 sequences each", at_least=1, at_most=5000)] = 150,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Result:
    """Encoder–decoders of one layer each learn to say six symbols backwards, as they are and with one line changed.

    d_model 32, 4 heads and Adam up to 0.006; or d_model 128, one head and 0.002. All of one width start from the same
    weights and see the same batches. Scores are on 256 fresh sequences.
    """
    runs = train_trials(trial_jobs(model, steps, seed), progress)
    healthy, flipped, zeroed, placeless, unscaled = (
        shares_of(runs.get(Trial(fault, NARROW)))
        for fault in (HEALTHY, "mask-flip", "mask-zero", "no-position", "no-scale")
    )
    healthy_wide, unscaled_wide = (shares_of(runs.get(Trial(fault, WIDE))) for fault in (HEALTHY, "no-scale"))

    return Result(
        (
            table(
                "runs",
                f"After {count(steps, 'step')}: right tokens of fresh sequences, reading the right ones or its own",
                ("model", "d_k", "loss", "teacher-forced", "generated"),
                (
                    (trial.fault or "healthy", head_width(trial.sizes), one.scores.loss, *shares_of(one))
                    for trial, one in runs.items()
                ),
            ),
            *run_notes(runs),
            *accuracy_curve([(t.fault or "healthy", runs[t]) for t in runs if t.fault in CURVES and t.sizes == NARROW]),
            unnoticed_statement(
                "future-read",
                "A decoder that reads the future looks as if it had learned, and cannot write: there is no future yet.",
                flipped,
                healthy,
            ),
            unnoticed_statement(
                "zero-for-mask",
                "A decoder whose mask is a 0 in place of −∞ looks as if it had learned, and cannot write either.",
                zeroed,
                healthy,
            ),
            spoiled_statement(
                "no-order",
                "Without positions a model does not learn what depends on order.",
                "D0",
                placeless,
                healthy,
            ),
            spoiled_statement(
                "scale-wide",
                f"At d_k = {head_width(WIDE)}, a model without ÷ √d_k does not learn in the same steps.",
                "D0, D2, D4",
                unscaled_wide,
                healthy_wide,
            ),
            spoiled_statement(
                "scale-narrow",
                f"At d_k = {head_width(NARROW)}, a model without ÷ √d_k does not learn in the same steps.",
                "D0, D2, D4",
                unscaled,
                healthy,
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
