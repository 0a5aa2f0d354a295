"""The page of a fair race: right answers at every rate, the curves of the best rates, and the verdict."""

from __future__ import annotations

from statistics import fmean

from attention_lab.result import Column, Note, Part, Statement, Table, series, table
from attention_lab.text import listed
from attention_lab.train.race import AS_GOOD, BETTER, UNCLEAR, Lane, Race, Verdict, verdict


def rates_table(race: Race) -> Table:
    """Right answers that each variant generates: a row for each rate, mean over the seeds, and how many seeds ran."""
    rows = []
    for rate in sorted({*race.healthy.rates, *race.broken.rates}):
        cells: list[float | str | None] = []
        for lane in (race.healthy, race.broken):
            shares = lane.generated(rate)
            marks = " (best)" if rate == lane.best_rate else ""
            cells += [fmean(shares) if shares else None, f"{len(shares)}{marks}"]
        rows.append((f"{rate:g}", *cells))
    columns = ("rate", Column("healthy"), "seeds", Column("broken"), "seeds ")
    return table("rates", "Right answers that are generated, at every rate", columns, rows)


def curves(race: Race) -> list[Part]:
    """Teacher-forced accuracy of training at the best rate of each variant, mean over the seeds."""
    means = {}
    for lane in (race.healthy, race.broken):
        runs = [finish.curve for finish in lane.at(lane.best_rate)]
        points = min(map(len, runs))
        means[f"{lane.name}, rate {lane.best_rate:g}"] = [fmean(run[place] for run in runs) for place in range(points)]
    points = min(map(len, means.values()))
    if points < 2:
        return []
    x = [round((place + 0.5) * race.steps / points) for place in range(points)]
    lines = {name: values[:points] for name, values in means.items()}
    return [series("curve", "Teacher-forced accuracy of training, at the best rate of each", "step", "share", x, lines)]


def statement_of(race: Race, judged: Verdict) -> Statement:
    """Whether the fault harms training, under the conditions of this race; None where the race cannot tell."""
    harms = None if judged.kind == UNCLEAR else judged.kind not in (AS_GOOD, BETTER)
    measured = f"{judged.sentence} Conditions: {race.when}."
    best = fmean(race.broken.generated(race.broken.best_rate))
    return Statement("fair", "The change harms training, each model at its own best rate.", measured, harms, best)


def lost_runs(lane: Lane) -> str:
    """The rates at which a run of a variant gave no answer, as a sentence; "" where there are none."""
    lost = dict.fromkeys(f"{finish.rate:g}" for finish in lane.finishes if finish.generated != finish.generated)
    return f"{lane.name.capitalize()} gives no answer at rate {listed(lost)}." if lost else ""


def race_parts(race: Race) -> list[Part]:
    """Everything that a race came to."""
    judged = verdict(race)
    note = "Rates that were far behind with the first seed were not run with the others."
    lost = " ".join(filter(None, map(lost_runs, (race.healthy, race.broken))))
    parts: list[Part] = [Note("ladder", f"{note} {lost}".strip()), rates_table(race), *curves(race)]
    return [*parts, statement_of(race, judged)]
