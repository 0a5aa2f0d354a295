"""A fair race between two variants: each at its own best learning rate, over several seeds, with its curve over steps.

One rate, one seed or one number of steps can decide a comparison by itself. Here every variant is trained at each rate
of a ladder, and a verdict is drawn from the best rate of each. The numbers are data; `fair.py` measures them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan, sqrt
from statistics import fmean, stdev

MATTERS = 0.05  # of right answers: a smaller difference is within what another seed changes
SURE = 2.0  # standard errors that a difference must exceed
LEARNED = 0.9  # right answers of a variant that has learned; also the share whose step is told
OVERTIME = 2  # times the steps
RISING = 0.02  # of right answers, between the last two fifths of a curve: such a variant is still learning
SLOWER = 1.5  # times as many steps to that share are told as slower
WORSE, SMALLER, LARGER, AS_GOOD, SLOW, BETTER, UNCLEAR = (
    "worse at every rate",
    "only wants a smaller rate",
    "only wants a larger rate",
    "as good",
    "slower",
    "better",
    "cannot be told",
)


@dataclass(frozen=True)
class Finish:
    """One training run: the share of right answers that it generates and reads (teacher-forced), and its curve.

    `reached` is the first step at which the teacher-forced accuracy of training, over the last 20 steps, is at least
    `LEARNED`; None where no step is. `generated` is NaN where the run gave no answer.
    """

    rate: float
    seed: int
    generated: float
    accuracy: float
    reached: int | None = None
    curve: tuple[float, ...] = ()


def right_answers(finishes: Sequence[Finish]) -> tuple[float, ...]:
    """Share of right answers of each run; a run that gave none counts as 0."""
    return tuple(0.0 if isnan(finish.generated) else finish.generated for finish in finishes)


def steps_to_learn(finishes: Sequence[Finish]) -> int | None:
    """Steps to `LEARNED`, mean over the runs; None where a run does not get there."""
    reached = [finish.reached for finish in finishes if finish.reached is not None]
    return round(fmean(reached)) if reached and len(reached) == len(finishes) else None


@dataclass(frozen=True)
class Lane:
    """All runs of one variant. Rates that are behind from the first seed on have one run only.

    `overtime` are runs at the best rate with `OVERTIME` times the steps, of a variant that was behind and yet rising.
    """

    name: str
    finishes: tuple[Finish, ...]
    overtime: tuple[Finish, ...] = ()

    @property
    def rates(self) -> tuple[float, ...]:
        """The rates of the ladder, smallest first."""
        return tuple(sorted({finish.rate for finish in self.finishes}))

    def at(self, rate: float) -> tuple[Finish, ...]:
        """The runs at one rate, a seed each."""
        return tuple(finish for finish in self.finishes if finish.rate == rate)

    def generated(self, rate: float) -> tuple[float, ...]:
        """Right answers at one rate, a seed each."""
        return right_answers(self.at(rate))

    @property
    def best_rate(self) -> float:
        """The rate with the most right answers; among equals the one that was reached soonest, then the smallest."""
        complete = max(len(self.at(rate)) for rate in self.rates)
        full = [rate for rate in self.rates if len(self.at(rate)) == complete]
        return max(
            full, key=lambda rate: (round(fmean(self.generated(rate)), 2), -(self.reached(rate) or 10**9), -rate)
        )

    def reached(self, rate: float) -> int | None:
        """Steps to `LEARNED` at one rate, mean over the seeds."""
        return steps_to_learn(self.at(rate))

    @property
    def is_rising(self) -> bool:
        """Whether the accuracy of training still grows at the end, at the best rate of any seed."""
        curves = [finish.curve for finish in self.at(self.best_rate) if len(finish.curve) >= 5]
        fifths = [(fmean(curve[-n - n : -n]), fmean(curve[-n:])) for curve in curves if (n := len(curve) // 5)]
        return any(last - before > RISING for before, last in fifths)


@dataclass(frozen=True)
class Race:
    """Two variants on one task, for `steps` steps.

    `when` names the task, sizes, steps, rates and seeds on which the verdict rests.
    """

    healthy: Lane
    broken: Lane
    when: str
    steps: int


@dataclass(frozen=True)
class Verdict:
    """What a race came to: one of the kinds above, and the sentence with its numbers."""

    kind: str
    sentence: str


def standard_error(left: Sequence[float], right: Sequence[float]) -> float:
    """Standard error of the difference of two means; NaN where a side has a single value."""
    if min(len(left), len(right)) < 2:
        return nan
    return sqrt(stdev(left) ** 2 / len(left) + stdev(right) ** 2 / len(right))


def behind(broken: Sequence[float], healthy: Sequence[float]) -> bool:
    """Whether the broken variant has fewer right answers, by more than matters and more than its seeds differ."""
    difference, error = fmean(healthy) - fmean(broken), standard_error(broken, healthy)
    return difference > MATTERS and not difference <= SURE * error


def needs_overtime(race: Race) -> bool:
    """Whether the broken variant is behind, and still learning when its steps are over."""
    ours, theirs = race.healthy.generated(race.healthy.best_rate), race.broken.generated(race.broken.best_rate)
    return fmean(ours) >= LEARNED and fmean(ours) - fmean(theirs) > MATTERS and race.broken.is_rising


def of_equals(race: Race, numbers: str) -> Verdict:
    """The verdict where the broken variant learns as much: whether at the same rate, and whether as soon."""
    healthy, broken = race.healthy, race.broken
    ours, theirs = healthy.best_rate, broken.best_rate
    first, second = healthy.reached(ours), broken.reached(theirs)
    is_late = first is not None and second is not None and second >= SLOWER * first
    slower = f"it reaches {LEARNED} after {second} steps in place of {first}"
    at_ours = broken.generated(ours) if ours in broken.rates else ()
    if at_ours and ours != theirs and behind(at_ours, healthy.generated(ours)):
        kind = SMALLER if theirs < ours else LARGER
        later = f"; slower: {slower}" if is_late else ""
        return Verdict(kind, f"{kind.capitalize()}: {fmean(at_ours):.2f} right at rate {ours:g}, {numbers}{later}.")
    if is_late:
        return Verdict(SLOW, f"Slower: {slower}; in the end {numbers}.")
    return Verdict(AS_GOOD, f"As good: {numbers}.")


def verdict(race: Race) -> Verdict:
    """The verdict of a race, from the best rate of each variant, and from the healthy one's rate for both."""
    healthy, broken = race.healthy, race.broken
    ours, theirs = healthy.best_rate, broken.best_rate
    best_healthy, best_broken = healthy.generated(ours), broken.generated(theirs)
    numbers = f"{fmean(best_broken):.2f} right at rate {theirs:g}, healthy {fmean(best_healthy):.2f} at rate {ours:g}"
    longer = right_answers(broken.overtime)
    if fmean(best_healthy) < LEARNED / 2:
        return Verdict(UNCLEAR, f"Cannot be told: the healthy model has not learned, either ({numbers}).")
    if behind(best_healthy, best_broken):
        return Verdict(BETTER, f"Better than the healthy model: {numbers}.")
    if longer and not behind(longer, best_healthy):
        return Verdict(SLOW, f"Slower: {numbers}; with {OVERTIME} times the steps {fmean(longer):.2f}.")
    if behind(best_broken, best_healthy):
        more = f"; with {OVERTIME} times the steps {fmean(longer):.2f}" if longer else ""
        return Verdict(WORSE, f"Worse at every rate: at its best, {numbers}{more}.")
    if fmean(best_healthy) - fmean(best_broken) > MATTERS:
        return Verdict(UNCLEAR, f"Cannot be told: the seeds differ as much as the two models ({numbers}).")
    return of_equals(race, numbers)
