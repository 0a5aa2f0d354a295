"""Run a fair race: all rates of a ladder with the first seed, and those that are not far behind with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attention_lab.text import count
from attention_lab.train.race import LEARNED, OVERTIME, Finish, Lane, Race, needs_overtime, right_answers
from attention_lab.train.run import Config, TrainingRun
from attention_lab.train.side_by_side import Job, Report, train_lanes
from attention_lab.variants import Source

LADDER = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # learning rates, each about three times the one before
SEEDS = 3
FAR_BEHIND = 0.2  # of right answers, below the best rate of the first seed: such a rate is not run again
AVERAGED = 20  # steps of training whose accuracy is averaged
POINTS = 20  # of a curve


@dataclass(frozen=True)
class Entry:
    """A variant that takes part: its name on the page, and its text."""

    name: str
    text: Source
    label: str


def seeds_of(config: Config) -> range:
    """The seeds of a race."""
    return range(config.seed, config.seed + SEEDS)


def averaged(accuracies: Sequence[float]) -> np.ndarray:
    """Teacher-forced accuracy over the last `AVERAGED` steps, for each step from there on."""
    if len(accuracies) < AVERAGED:
        return np.empty(0)
    return np.convolve(accuracies, np.full(AVERAGED, 1 / AVERAGED), "valid")


def finish_of(run: TrainingRun) -> Finish:
    """The figures of one run."""
    means = averaged(run.accuracies)
    reached = np.flatnonzero(means >= LEARNED)
    curve = tuple(float(part.mean()) for part in np.array_split(np.asarray(run.accuracies), POINTS) if len(part))
    return Finish(
        run.config.rate,
        run.config.seed,
        float("nan") if run.scores.generated is None else run.scores.generated,
        run.scores.accuracy,
        int(reached[0]) + AVERAGED if len(reached) else None,
        curve,
    )


def run_all(jobs: Sequence[Job], say: Report) -> list[Finish]:
    """Train every job, in two lanes that end at about the same time. Raises KeyboardInterrupt on Ctrl-C."""
    lanes = [lane for lane in (jobs[::2], jobs[1::2]) if lane]
    runs = train_lanes(lanes, say)
    if any(run.stopped is not None for lane in runs for run in lane):
        raise KeyboardInterrupt
    finishes = [[finish_of(run) for run in lane] for lane in runs]
    return [finishes[place % 2][place // 2] for place in range(len(jobs))]


def jobs_of(entry: Entry, task: str, config: Config, rates: Sequence[float], seeds: Sequence[int]) -> list[Job]:
    """One job for each rate and seed."""
    configs = [replace(config, rate=rate, seed=seed) for rate in rates for seed in seeds]
    name = "{}, rate {:g}, seed {}".format
    return [Job(name(entry.name, one.rate, one.seed), entry.text, entry.label, task, one) for one in configs]


def promising(finishes: Sequence[Finish]) -> tuple[float, ...]:
    """The rates whose first run is not far behind the best one."""
    shares = dict(zip([finish.rate for finish in finishes], right_answers(finishes), strict=True))
    best = max(shares.values())
    return tuple(rate for rate, share in shares.items() if share >= best - FAR_BEHIND)


def when_of(task: str, config: Config) -> str:
    """The conditions of a race, as one clause."""
    sizes = config.sizes
    return (
        f"task {task}, d_model {sizes.d_model}, {count(sizes.heads, 'head')}, {count(config.steps, 'step')}, "
        f"rates {LADDER[0]:g} to {LADDER[-1]:g}, {SEEDS} seeds"
    )


def with_overtime(race: Race, entry: Entry, task: str, config: Config, say: Report) -> Race:
    """The race with the broken variant's best rate run once more, from the start, for `OVERTIME` times the steps."""
    longer = replace(config, steps=OVERTIME * config.steps)
    jobs = jobs_of(entry, task, longer, (race.broken.best_rate,), seeds_of(config))
    return replace(race, broken=replace(race.broken, overtime=tuple(run_all(jobs, say))))


def run_race(healthy: Entry, broken: Entry, task: str, config: Config, say: Report) -> Race:
    """The race of two variants; `config.seed` is the first seed. Raises KeyboardInterrupt on Ctrl-C."""
    first, *others = seeds_of(config)
    half = len(LADDER)
    openers = [job for entry in (healthy, broken) for job in jobs_of(entry, task, config, LADDER, (first,))]
    begun = run_all(openers, say)
    ours, theirs = begun[:half], begun[half:]
    more = jobs_of(healthy, task, config, promising(ours), others)
    rest = run_all([*more, *jobs_of(broken, task, config, promising(theirs), others)], say)
    lanes = Lane(healthy.name, (*ours, *rest[: len(more)])), Lane(broken.name, (*theirs, *rest[len(more) :]))
    both = Race(*lanes, when_of(task, config), config.steps)
    return with_overtime(both, broken, task, config, say) if needs_overtime(both) else both
