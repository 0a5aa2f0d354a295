"""What a person's function computes, found among all that the model, its breaks and their pairs compute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.plans import Arguments, Plan, plans
from attention_lab.check.inputs import Probe
from attention_lab.check.references import HEALTHY, Reference, references
from attention_lab.check.remote import Parts, cut, named_parts, read_parts, remote
from attention_lab.check.roles import Role
from attention_lab.check.sandbox import CallFailed, Raised, TimedOut

if TYPE_CHECKING:
    from attention_lab.check.sandbox import Child, Offer, Trouble

INF = float("inf")
EXACT = {"f8": 1e-9, "f4": 2e-5, "f2": 1e-9}  # of an error relative to 1 + the largest number
CLOSE = {"f8": 1e-6, "f4": 2e-5, "f2": 5e-3}  # right, and to what precision is told
WIDE = {"float32": 1e-4, "float16": 2e-2}  # on inputs of this width
QUIET = ("a row that may see nothing", "float32", "float16")  # told, and no fault: nobody says what is right there


# ---- outcomes ----


@dataclass(frozen=True)
class Failed:
    """A call that gave no value, and why."""

    trouble: Trouble | None = None
    said: str = ""


Outcome = Parts | Failed


def computed(reference: Reference, role: Role, arguments: Arguments) -> Outcome:
    """What a reference computes; an error is an outcome as well."""
    try:
        with np.errstate(all="ignore"):
            return named_parts(getattr(reference.model, role.name)(**copied(arguments)), role)
    except Exception as error:  # whatever a broken model raises
        return Failed(said=f"{type(error).__name__}: {error}")


def copied(value: Any) -> Any:
    """A value of its own: a break may write into what it is given."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    return type(value)(map(copied, value)) if isinstance(value, (list, tuple)) else value


def distance(one: Any, other: Any) -> float:
    """The largest difference of two arrays, relative to 1 + the largest number; infinite where they cannot be equal."""
    if one.shape != other.shape:
        return INF
    if one.dtype == bool or other.dtype == bool:
        return 0.0 if one.dtype == other.dtype and np.array_equal(one, other) else INF
    one, other = np.asarray(one, float), np.asarray(other, float)
    finite = np.isfinite(one)
    if not np.array_equal(finite, np.isfinite(other)) or not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return INF
    largest = np.max(np.abs(other[finite]), initial=0.0)
    return float(np.max(np.abs(one[finite] - other[finite]), initial=0.0) / (1 + largest))


def apart(theirs: Outcome, ours: Outcome) -> float:
    """How far an outcome is from a reference's, in the parts that the person's function returns."""
    if isinstance(theirs, Failed) or isinstance(ours, Failed):
        return 0.0 if isinstance(theirs, Failed) and isinstance(ours, Failed) else INF
    if not theirs or not theirs.keys() <= ours.keys():
        return INF
    return max(distance(part, ours[name]) for name, part in theirs.items())


def width_of(outcomes: Iterable[Outcome]) -> str:
    """The narrowest floating point numbers that came back: they say how exact an answer can be."""
    kinds = {part.dtype.str[1:] for one in outcomes if not isinstance(one, Failed) for part in one.values()}
    return next((width for width in ("f2", "f4") if width in kinds), "f8")


# ---- one plan ----


@dataclass
class Trial:
    """A person's function called by one plan on the probes that it can take, and what the references say to that."""

    child: Child
    role: Role
    plan: Plan
    probes: list[tuple[Probe, Arguments]]
    theirs: dict[int, Outcome] = field(default_factory=dict)
    ours: dict[tuple[int, tuple[str, ...]], Outcome] = field(default_factory=dict)

    def reference(self, place: int, one: Reference) -> Outcome:
        """What a reference computes on one probe."""
        key = place, one.names
        if key not in self.ours:
            self.ours[key] = computed(one, self.role, self.probes[place][1])
        return self.ours[key]

    def outcome(self, place: int) -> Outcome:
        """What the person's function returns on one probe."""
        if place not in self.theirs:
            self.theirs[place] = self.ask(place)
        return self.theirs[place]

    def ask(self, place: int) -> Outcome:
        """Call it. The healthy model, without a mask where it refuses one, says what parts there are."""
        arguments = self.probes[place][1]
        try:
            value = remote(self.child, self.role, self.plan)(arguments)
        except Raised as error:
            return Failed(error.trouble, error.what)
        except CallFailed as error:
            return Failed(getattr(error, "trouble", None), error.what)
        like = self.reference(place, HEALTHY)
        if isinstance(like, Failed):
            like = computed(HEALTHY, self.role, {n: v for n, v in arguments.items() if n != "mask"})
        return read_parts(value, like, self.role, self.plan) if not isinstance(like, Failed) else Failed()

    def places(self, lead: int | None = None, edge: bool = False) -> list[int]:
        """The probes, by number: ordinary ones or edges, of one number of axes in front or of all that run."""
        leads = [lead] if lead is not None else self.leads()
        return [i for i, (probe, _) in enumerate(self.probes) if bool(probe.edge) == edge and probe.lead in leads]

    def leads(self) -> list[int]:
        """The numbers of axes in front with which anything comes back, the most first."""
        known = sorted({probe.lead for probe, _ in self.probes}, reverse=True)
        return [lead for lead in known if any(not isinstance(self.outcome(i), Failed) for i in self.places(lead))]

    def error(self, one: Reference, places: Iterable[int]) -> float:
        """How far the person's function is from a reference, at worst; stops once that is hopeless."""
        worst = 0.0
        for place in places:
            worst = max(worst, apart(self.outcome(place), self.reference(place, one)))
            if worst > 0.1:
                return INF
        return worst


def trial(child: Child, role: Role, plan: Plan, drawn: Sequence[Probe]) -> Trial:
    """A plan with the probes that it can take."""
    found = []
    for probe in drawn:
        arguments = cut(plan, probe.arguments) if probe.lead in plan.layout.leads else None
        if arguments is not None:
            found.append((probe, arguments))
    return Trial(child, role, plan, found)


# ---- the verdict on one plan ----


@dataclass(frozen=True)
class Finding:
    """What was found out about one function. `edges` are the unusual inputs on which it is not the model's function.

    `verdict`: "right", "edges" (right on ordinary data), "break", "several", "unknown", "does-not-run".
    `breaks` are the faults that it equals; `otherwise` those that it would have without what was assumed.
    """

    role: Role
    offer: Offer
    plan: Plan
    verdict: str
    matches: tuple[Reference, ...] = ()
    precision: float = 0.0
    leads: tuple[int, ...] = ()
    edges: tuple[tuple[str, tuple[str, ...]], ...] = ()
    otherwise: tuple[str, ...] = ()
    trouble: Trouble | None = None
    trial: Trial | None = None

    @property
    def breaks(self) -> tuple[str, ...]:
        """The names of the faults, each once."""
        named = dict.fromkeys(name for one in self.matches for name in one.faults)
        return tuple(named) or tuple(dict.fromkeys(name for _, names in self.edges for name in names))

    @property
    def alarming(self) -> bool:
        """Whether it is wrong."""
        if self.verdict == "edges":
            return any(edge not in QUIET for edge, _ in self.edges)
        return self.verdict != "right"


def agreeing(trial: Trial, places: list[int]) -> tuple[list[Reference], float]:
    """The references that the function equals on these probes, to the precision of what it returns, and the error."""
    exact = EXACT[width_of(map(trial.outcome, places))]
    found, best = [], INF
    for one in references(trial.role.name):
        error = trial.error(one, places)
        if error <= exact:
            found.append(one)
            best = min(best, error)
    if not any(one.order < 2 for one in found):
        error = trial.error(HEALTHY, places)
        if not found and error <= CLOSE[width_of(map(trial.outcome, places))]:
            return [HEALTHY], error
    return found, best


def nearest(found: list[Reference]) -> list[Reference]:
    """Those that assume least: healthy before harmless before one fault before two."""
    least = min(one.order for one in found)
    return [one for one in found if one.order == least]


def at_edge(trial: Trial, one: Reference, place: int) -> bool:
    """Whether the function agrees with a reference on an edge: in numbers, and in the width of floats."""
    probe = trial.probes[place][0]
    theirs, ours = trial.outcome(place), trial.reference(place, one)
    if probe.edge in WIDE and not isinstance(theirs, Failed) and not isinstance(ours, Failed):
        same = all(part.dtype == ours[name].dtype for name, part in theirs.items() if name in ours)
        return same and apart(theirs, ours) <= WIDE[probe.edge]
    return apart(theirs, ours) <= 1e-6


def seen_edges(trial: Trial, ordinary: list[Reference], places: list[int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The edges at which a function that is right on ordinary data is not, each with the breaks that do the same."""
    healthy = [one for one in ordinary if one.order < 2]
    failing: dict[str, list[int]] = {}
    for place in places:
        if not any(at_edge(trial, one, place) for one in healthy):
            failing.setdefault(trial.probes[place][0].edge, []).append(place)
    faults = [one for one in ordinary if one.order == 2]
    whole = [one for one in faults if all(at_edge(trial, one, i) for group in failing.values() for i in group)]

    def like(group: list[int]) -> tuple[str, ...]:
        fitting = whole or [one for one in faults if all(at_edge(trial, one, i) for i in group)]
        return tuple(name for one in fitting for name in one.faults)

    return tuple((edge, like(group)) for edge, group in failing.items())


def judged(trial: Trial, offer: Offer) -> Finding | None:
    """The verdict under one plan; None where nothing came back. The most axes in front come first, then fewer."""
    leads = trial.leads()
    if not leads:
        return None
    whole, error = agreeing(trial, trial.places())
    least = nearest(whole)[0].order if whole else 9
    if least < 2:
        return content(trial, offer, whole, error, tuple(leads))
    for lead in leads if len(leads) > 1 else []:
        some, error_there = agreeing(trial, trial.places(lead))
        if some and nearest(some)[0].order < 2:
            otherwise = tuple(dict.fromkeys(name for one in nearest(whole) for name in one.faults)) if whole else ()
            return content(trial, offer, some, error_there, (lead,), otherwise)
        if not whole and some:
            return faulty(trial, offer, some, error_there, (lead,))
    if whole:
        return faulty(trial, offer, whole, error, tuple(leads))
    return Finding(trial.role, offer, trial.plan, "unknown", leads=tuple(leads), trial=trial)


def content(
    trial: Trial, offer: Offer, found: list[Reference], error: float, leads: tuple[int, ...], otherwise: tuple[str, ...] = ()
) -> Finding:
    """Right on ordinary data: look at the edges."""
    edges = seen_edges(trial, found, [i for lead in leads for i in trial.places(lead, edge=True)])
    kept = tuple(one for one in nearest(found))
    verdict = "edges" if edges else "right"
    return Finding(trial.role, offer, trial.plan, verdict, kept, error, leads, edges, otherwise, trial=trial)


def faulty(trial: Trial, offer: Offer, found: list[Reference], error: float, leads: tuple[int, ...]) -> Finding:
    """Equal to a fault, or to several: the edges may tell them apart."""
    least = nearest(found)
    edges = [i for lead in leads for i in trial.places(lead, edge=True)]
    ranked = [(sum(at_edge(trial, one, i) for i in edges), one) for one in least]
    most = max(score for score, _ in ranked)
    kept = tuple(one for score, one in ranked if score == most)
    verdict = "break" if len(kept) == 1 else "several"
    return Finding(trial.role, offer, trial.plan, verdict, kept, error, leads, trial=trial)


# ---- all plans ----


def weight(finding: Finding) -> int:
    """How good an explanation is: right before a fault before none."""
    return {"right": 0, "edges": 1, "break": 2, "several": 3, "unknown": 5, "does-not-run": 6}[finding.verdict]


def examined(child: Child, offer: Offer, role: Role, drawn: Sequence[Probe], mask: str = "", layout: str = "") -> Finding:
    """The verdict on one function in one role: the first plan under which it is right, else the best explanation."""
    best: Finding | None = None
    failure: Failed | None = None
    for plan in plans(offer, role, mask, layout):
        one = trial(child, role, plan, drawn)
        if not one.probes:
            continue
        found = judged(one, offer)
        if found is None:
            failure = failure or next((o for o in one.theirs.values() if isinstance(o, Failed)), None)
            if any("still running" in o.said for o in one.theirs.values() if isinstance(o, Failed)):
                break
            continue
        if best is None or weight(found) < weight(best):
            best = found
        if found.verdict == "right" or (found.verdict == "edges" and not found.alarming):
            break
    if best is not None:
        return best
    first = next(iter(plans(offer, role, mask, layout)), None) or Plan(offer.name, ())
    return Finding(role, offer, first, "does-not-run", trouble=failure.trouble if failure else None)


def explanations(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Those that say something about a function whose name says nothing: right, or equal to a fault."""
    return (one for one in findings if weight(one) < 5)


__all__ = ["Finding", "TimedOut", "examined", "explanations"]
