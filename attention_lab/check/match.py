"""What a person's function computes, found among all that the model, its breaks and their pairs compute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.fitted_constants import adds, fitted
from attention_lab.check.inputs import Arguments
from attention_lab.check.layouts import BATCH_SECOND, REVERSED
from attention_lab.check.outcomes import INF, Failed, apart, copied, width_of
from attention_lab.check.plans import Plan
from attention_lab.check.references import HEALTHY, Reference, references
from attention_lab.check.remote import equal, written_to
from attention_lab.check.restricted_domain import any_eps, narrower, other_eps, own
from attention_lab.check.roles import Role
from attention_lab.check.trial import Bench, Replies, Trial
from attention_lab.sandbox.records import CallFailed
from attention_lab.text import listed

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import CodeError, Definition

EXACT = {"f8": 1e-9, "f4": 2e-5, "f2": 1e-9}  # of an error relative to 1 + the largest number
CLOSE = {"f8": 1e-6, "f4": 2e-5, "f2": 5e-3}  # right, and to what precision is told
AT_EDGES = {"f8": 1e-6, "f4": 1e-3, "f2": 2e-2}
IDLE = {"mask-ignored", "mask-not-passed", "mask-inf-times"}  # faults of any mask read under the wrong convention
WIDE = {"float32": 1e-4, "float16": 2e-2}  # on inputs of this width
CAPPED = "labels of almost no probability, whose loss it caps"
QUIET = ("a row that may see nothing", "float32", "float16", "odd d_model", CAPPED)  # told; nobody says what is right
HARDLY = {"mask-renormalised"}  # a fault only where no weight is left to be shared out


# ---- the verdict on one plan ----


def alarms(edge: str, names: Sequence[str]) -> bool:
    """Whether a function that is not the model's at this edge, but as with these faults, is wrong."""
    return edge not in QUIET and not set(names) & HARDLY


@dataclass(frozen=True)
class Finding:
    """What was found out about one function. `edges` are the unusual inputs on which it is not the model's function.

    `verdict`: "right", "edges" (right on ordinary data), "break", "several", "unknown", "does-not-run".
    `breaks` are the faults that it equals; `otherwise` those that it would have without what was assumed.
    """

    role: Role
    definition: Definition
    plan: Plan
    verdict: str
    matches: tuple[Reference, ...] = ()
    precision: float = 0.0
    leads: tuple[int, ...] = ()
    edges: tuple[tuple[str, tuple[str, ...]], ...] = ()
    otherwise: tuple[str, ...] = ()
    code_error: CodeError | None = None
    said: str = ""  # why no call gave a value, where no line raised
    trial: Trial | None = None
    elsewhere: bool = False  # whether `otherwise` is what it would be in another role
    more: tuple[str, ...] = ()  # arrays of an instance that have no place in the role
    fit_for: str = ""  # why it is no fault here, where it is wrong only for what it is not used for
    because: str = ""  # why an assumption under which it would be right does not hold

    @property
    def breaks(self) -> tuple[str, ...]:
        """The names of the faults, each once."""
        named = dict.fromkeys(name for one in self.matches for name in one.faults)
        return tuple(named) or tuple(dict.fromkeys(name for _, names in self.edges for name in names))

    @property
    def alarming(self) -> bool:
        """Whether it is wrong."""
        if self.fit_for:
            return False
        if self.verdict == "edges":
            return any(alarms(edge, names) for edge, names in self.edges)
        return self.verdict != "right"

    @property
    def blamed(self) -> tuple[str, ...]:
        """Faults that count against it. For an "edges" verdict, only those on edges where right is defined."""
        if self.verdict != "edges":
            return self.breaks
        return tuple(dict.fromkeys(name for edge, names in self.edges if alarms(edge, names) for name in names))


def agreeing(
    trial: Trial, places: list[int], among: Iterable[Reference], limits: dict[str, float] = EXACT
) -> tuple[list[Reference], float]:
    """The references that the function equals on these probes, as exactly as its floats can tell, and the error."""
    unlike = trial.unlike(places[0]) if places else frozenset()
    errors = [(trial.error(one, places), one) for one in among if one.names not in unlike]
    possible = [(error, one) for error, one in errors if error < INF]
    if not possible:
        return [], INF
    width = width_of(map(trial.outcome, places))
    equal = [(error, one) for error, one in possible if error <= limits[width]]
    return [one for _, one in equal], min((error for error, _ in equal), default=INF)


def close(trial: Trial, places: list[int]) -> tuple[float, Reference]:
    """How far it is from the healthy model, or one of another design, and which; infinite where that is too far."""
    cuts = ("", *trial.plan.cuts)
    designs = [one for one in references(trial.role.name) if one.design and one.only in cuts]
    error, one = min(((trial.error(one, places), one) for one in (HEALTHY, *designs)), key=lambda it: it[0])
    return (error if error < INF and error <= CLOSE[width_of(map(trial.outcome, places))] else INF), one


def nearest(found: list[Reference]) -> list[Reference]:
    """Those that assume least: healthy before harmless before one fault before two."""
    least = min(one.order for one in found)
    return [one for one in found if one.order == least]


def at_edge(trial: Trial, one: Reference, place: int) -> bool:
    """Whether the function agrees with a reference on an edge: in numbers, and in the width of floats."""
    probe = trial.bench.drawn[place]
    theirs, ours = trial.outcome(place), trial.reference(place, one)
    if probe.edge in WIDE and not isinstance(theirs, Failed) and not isinstance(ours, Failed):
        same = all(part.dtype == ours[name].dtype for name, part in theirs.items() if name in ours)
        return same and apart(theirs, ours) <= WIDE[probe.edge]
    return apart(theirs, ours) <= AT_EDGES[width_of([theirs])]


def told_of(trial: Trial, edge: str, places: list[int]) -> str:
    """An edge as one says it: a loss that stays finite is told apart from one that does not."""
    outcomes = [trial.outcome(place) for place in places]
    finite = all(np.isfinite(part).all() for one in outcomes if not isinstance(one, Failed) for part in one.values())
    capped = trial.role.name == "cross_entropy" and finite and not any(isinstance(one, Failed) for one in outcomes)
    return CAPPED if capped else edge


def seen_edges(trial: Trial, ordinary: list[Reference], places: list[int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The edges at which a function that is right on ordinary data is not, each with the breaks that do the same."""
    healthy = [one for one in ordinary if one.order < 2]
    narrow = [one for one in healthy if one.design] or [HEALTHY]  # some harmless spellings widen float32, too
    failing: dict[str, list[int]] = {}
    for place in places:
        meant = narrow if trial.bench.drawn[place].edge in WIDE else healthy
        if not any(at_edge(trial, one, place) for one in meant):
            failing.setdefault(trial.bench.drawn[place].edge, []).append(place)
    faults = [one for one in ordinary if one.order == 2]
    whole = [one for one in faults if all(at_edge(trial, one, i) for group in failing.values() for i in group)]

    def like(group: list[int]) -> tuple[str, ...]:
        fitting = whole or [one for one in faults if all(at_edge(trial, one, i) for i in group)]
        return tuple(dict.fromkeys(name for one in fitting for name in one.faults))

    return tuple(dict.fromkeys((told_of(trial, edge, group), like(group)) for edge, group in failing.items()))


def ways(trial: Trial) -> Iterator[list[int]]:
    """The numbers of axes in front to judge it by: all with which it runs, then the most, then fewer.

    One row alone says nothing: a softmax of all that it is given is right there, and is meant for more.
    """
    if trial.leads:
        yield trial.leads
    if len(trial.leads) > 1:
        module = trial.plan.make is not None and trial.plan.convert == "torch"  # which is meant for batches
        batched = [lead for lead in trial.leads if lead > 0] if module else []
        yield from ([lead] for lead in batched or trial.leads if lead >= 0)


def ordinary(trial: Trial, leads: list[int]) -> list[int]:
    """The ordinary probes with these axes in front."""
    return [place for lead in leads for place in trial.places(lead)]


def right(trial: Trial, definition: Definition) -> Finding | None:
    """That it is right, if it is: with all axes in front, or with some."""
    for leads in ways(trial):
        places = ordinary(trial, leads)
        fine = (one for one in references(trial.role.name) if one.order < 2 and one.only in ("", *trial.plan.cuts))
        found, error = agreeing(trial, places, fine)
        if found and adds(trial):
            return content(trial, definition, found, error, leads)
    return None


def wrong(trial: Trial, definition: Definition) -> Finding | None:
    """Match single and combined faults; if none fits, accept as right at the looser tolerance CLOSE."""
    role, cuts = trial.role.name, ("", *trial.plan.cuts)
    for leads in ways(trial):
        places = ordinary(trial, leads)
        if agreeing(trial, places, [HEALTHY])[0] and not adds(trial):
            continue
        found, error = agreeing(trial, places, (one for one in references(role) if one.order > 1 and one.only in cuts))
        if found:
            return faulty(trial, definition, found, error, leads)
        error, like = (INF, HEALTHY) if any_eps(trial) else close(trial, places)
        if error < INF:
            return content(trial, definition, [like], error, leads)
    return None


def numbered(trial: Trial, definition: Definition) -> Finding | None:
    """A fault of the catalogue with another number in it, if it has one."""
    for leads in ways(trial):
        found, error = agreeing(trial, ordinary(trial, leads), fitted(trial))
        if found:
            return faulty(trial, definition, found, error, leads)
    return None


def writes(one: Reference, role: Role, arguments: Arguments) -> frozenset[str]:
    """The arguments that a reference changes in place."""
    given = copied(arguments)
    with np.errstate(all="ignore"), suppress(Exception):  # one that raises has written what it has written
        getattr(one.model, role.name)(**given)
    return frozenset(name for name, value in arguments.items() if not equal(value, given[name]))


def reuse(trial: Trial, places: list[int], same: list[Reference]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The edge that its inputs have changed after the call, if they have, with the breaks that change the same ones."""
    arguments = trial.bench.arguments(places[0], trial.plan.cuts) or {}
    if "rng" in trial.role.parameters:  # a generator is there to be changed
        return ()
    try:
        changed = written_to(trial.child, trial.role, trial.plan, arguments)
    except CallFailed:
        return ()
    like = tuple(name for one in same if writes(one, trial.role, arguments) == changed for name in one.faults)
    return ((f"{listed(sorted(changed))} used again, since it writes into what it is given", like),) if changed else ()


def content(trial: Trial, definition: Definition, found: list[Reference], error: float, leads: list[int]) -> Finding:
    """Right on ordinary data: look at the edges, and at what it would be with more axes in front."""
    role, places = trial.role.name, ordinary(trial, leads)
    limits = EXACT if error <= EXACT["f8"] else CLOSE  # who rounds to float32 on the way is as near to a fault
    cuts = ("", *trial.plan.cuts)
    same, _ = agreeing(trial, places, (one for one in references(role) if one.order == 2 and one.only in cuts), limits)
    edges = seen_edges(trial, [*found, *same], [i for lead in leads for i in trial.places(lead, edge=True)])
    edges += reuse(trial, [i for i in places if not isinstance(trial.outcome(i), Failed)], same)
    others, _ = agreeing(trial, ordinary(trial, trial.leads), same) if leads != trial.leads else ([], 0.0)
    otherwise = tuple(dict.fromkeys(name for one in others for name in one.faults))
    verdict = "edges" if edges else "right"
    return Finding(
        trial.role,
        definition,
        trial.plan,
        verdict,
        tuple(nearest(found)),
        error,
        tuple(leads),
        edges,
        otherwise,
        trial=trial,
    )


def faulty(trial: Trial, definition: Definition, found: list[Reference], error: float, leads: list[int]) -> Finding:
    """Equal to a fault, or to several: the edges may tell them apart."""
    edges = [i for lead in leads for i in trial.places(lead, edge=True)]
    ranked = [(sum(at_edge(trial, one, i) for i in edges), one) for one in found]
    most = max(score for score, _ in ranked)
    kept = tuple(nearest([one for score, one in ranked if score == most]))
    verdict = "break" if all(other.names[0] in kept[0].same for other in kept[1:]) else "several"
    return Finding(trial.role, definition, trial.plan, verdict, kept, error, tuple(leads), trial=trial)


# ---- all plans ----


def weight(finding: Finding) -> int:
    """How good an explanation is: right before a fault before none."""
    return {"right": 0, "edges": 1, "break": 2, "several": 3, "unknown": 5, "does-not-run": 6}[finding.verdict]


def faults_in(trials: Iterable[Trial], definition: Definition) -> tuple[str, ...]:
    """The faults of the first plan under which it has one."""
    found = (wrong(trial, definition) for trial in trials if trial.leads and right(trial, definition) is None)
    return next((one.breaks for one in found if one is not None and one.breaks), ())


def reversed_masks(trial: Trial, trials: Sequence[Trial]) -> list[Trial]:
    """The same plan, with masks that say the reverse."""
    plan = trial.plan
    return [
        other
        for other in trials
        if replace(other.plan, mask=plan.mask) == plan
        and (other.plan.mask.name in REVERSED) != (plan.mask.name in REVERSED)
    ]


def otherwise(finding: Finding, trials: Sequence[Trial]) -> tuple[str, ...]:
    """What fault it would have without what was assumed: masks of the usual sense, arrays of the usual layout."""
    plan = finding.plan
    if "no padding" in plan.cuts:
        whole = replace(plan, cuts=tuple(cut for cut in plan.cuts if cut != "no padding"))
        return faults_in((Trial(one.child, one.bench, whole, one.replies) for one in trials[:1]), finding.definition)
    if finding.verdict in ("right", "edges"):
        likelier = [one for one in trials[: [t.plan for t in trials].index(plan)] if one.plan.cuts == plan.cuts]
        return faults_in(likelier, finding.definition) if plan.unusual else ()
    trial = next(one for one in trials if one.plan == plan)
    if "attention-over-batch" in finding.breaks:
        return faults_in((one for one in trials if one.plan.layout is BATCH_SECOND), finding.definition)
    return faults_in(reversed_masks(trial, trials), finding.definition) if finding.role.makes_mask else ()


def maskless(finding: Finding) -> bool:
    """Whether it is taken for a causal function that ignores its mask: it has none, and that is no fault."""
    return "causal" in finding.plan.cuts and bool(set(finding.breaks) & IDLE)


def faulted(trials: Iterable[Trial], definition: Definition) -> Finding | None:
    """The first plan under which it has a fault; rather one whose mask does something than one whose mask does not."""
    found = filter(None, (wrong(trial, definition) for trial in trials if trial.leads))
    first = next((one for one in found if not maskless(one)), None)
    if first is None or not set(first.breaks) & IDLE:
        return first
    like = (one for one in found if replace(one.plan, mask=first.plan.mask) == first.plan)
    return next((one for one in like if not set(one.breaks) & IDLE), first)


def rightly(trials: Iterable[Trial], definition: Definition) -> Finding | None:
    """The first plan under which it is right, else the first under which it is right but for edges."""
    doubtful: Finding | None = None
    for trial in trials:
        found = right(trial, definition)
        if found is not None and not found.alarming:
            return found
        doubtful = doubtful or found
    return doubtful


def complete(found: Finding | None, trials: Sequence[Trial]) -> Finding | None:
    """A finding with what it would be under other assumptions."""
    return replace(found, otherwise=found.otherwise or otherwise(found, trials)) if found else None


def explained(trials: Sequence[Trial], less: Sequence[Trial], definition: Definition) -> Finding | None:
    """The first plan under which it is right, also of those that take `less`; else the first with a fault."""
    meant = complete(rightly(trials, definition), trials) or complete(rightly(less, definition), less)
    found = meant or complete(faulted(trials, definition), trials)
    return found or next(filter(None, (numbered(trial, definition) for trial in trials if trial.leads)), None)


def examined(child: Child, definition: Definition, bench: Bench, ways: Iterable[Plan]) -> Finding | None:
    """The verdict on one function in one role, by the plans of the first guess that explains it.

    A function that no plan explains is of the kind "unknown"; one that always raises does not run. None where there is
    no plan, for an object that nobody knows how to make.
    """
    tried, rest = list[Trial](), list[Trial]()
    doubtful: Finding | None = None
    replies = Replies()
    for _, group in groupby(sorted(ways, key=lambda plan: plan.guess), key=lambda plan: plan.guess):
        made = (Trial(child, bench, plan, replies) for plan in group)
        trials = [own(trial) for trial in made if trial.usable]
        fewer = (Trial(child, bench, plan, replies) for trial in trials for plan in narrower(trial, definition))
        less = [trial for trial in fewer if trial.usable]
        found = explained(trials, less, definition)
        if found is not None and not (found.alarming and found.plan.ordered):
            less_of_it = doubtful is not None and set(doubtful.plan.cuts) < set(found.plan.cuts)
            return doubtful if less_of_it else found  # it is right only where its mask is not looked at
        doubtful = doubtful or found  # what was told apart by trying may be something else
        tried += trials
        rest += less
    found = doubtful or complete(faulted(rest, definition), rest) or faulted(other_eps(tried), definition)
    if found is not None:
        return found
    ran = next((trial for trial in tried if trial.leads), None)
    if ran is not None:
        return Finding(bench.role, definition, ran.plan, "unknown", leads=tuple(ran.leads), trial=ran)
    failures = [one for trial in tried if (one := trial.failure) is not None]
    failure = min(failures, key=lambda one: not one.hopeless, default=None)
    if failure is None:
        return None
    first = tried[0]
    facts = (bench.role, definition, first.plan, "does-not-run")
    return Finding(*facts, code_error=failure.code_error, said=failure.said, trial=first)
