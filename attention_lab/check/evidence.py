"""What shows a verdict: the smallest input that tells two candidates apart, and the vital signs of an unknown fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.inputs import Arguments
from attention_lab.check.match import Finding
from attention_lab.check.outcomes import INF, Failed, Outcome, apart, computed, copied
from attention_lab.check.references import HEALTHY, Reference, references
from attention_lab.check.remote import equal
from attention_lab.check.restrictions import narrowed
from attention_lab.check.roles import Role
from attention_lab.check.trial import Trial

if TYPE_CHECKING:
    from attention_lab.result import Sign
    from attention_lab.variants import Model
    from attention_lab.vitals.record import Vital

SEEN = 1e-3  # a difference that three digits show
AXES = {  # what the last axes of an argument are; axes of one name are shortened together
    "logits": ("Tq", "Tk"),
    "query": ("Tq", "d_k"),
    "key": ("Tk", "d_k"),
    "value": ("Tk", "d_v"),
    "mask": ("Tq", "Tk"),
    "x": ("Tq", "d"),
    "source": ("Tk", "d"),
    "gain": ("d",),
    "bias": ("d",),
    "w_in": ("d", "wide"),
    "b_in": ("wide",),
    "w_out": ("wide", "d"),
    "b_out": ("d",),
    "positions": ("Tq",),
    "ids": ("B", "Tq"),
    "labels": ("B", "Tq"),
    "target": ("B", "Tq"),
    "table": ("V", "d"),
}
LOSS = {"logits": ("B", "Tq", "V")}
Differ = Callable[[Arguments], bool]
Compute = Callable[[Arguments], Outcome]


@dataclass(frozen=True)
class Separation:
    """An input on which two candidates differ, and what each computes there."""

    arguments: Arguments
    one: Outcome
    other: Outcome


# ---- the smallest input ----


def axes_of(name: str, role: Role) -> tuple[str, ...]:
    """The names of the last axes of an argument."""
    return {**AXES, **(LOSS if role.name == "cross_entropy" else {})}.get(name, ())


def shortened(arguments: Arguments, axis: str, step: int, role: Role) -> Arguments | None:
    """The same call with one axis shorter; None where that is not possible."""
    found, changed = {}, False
    for name, value in arguments.items():
        found[name] = value
        if isinstance(value, np.ndarray):
            for place, known in enumerate(reversed(axes_of(name, role)), 1):
                if known == axis and place <= value.ndim and found[name].shape[-place] > max(step, 1):
                    found[name] = np.take(found[name], range(found[name].shape[-place] - step), axis=-place)
                    changed = True
        elif isinstance(value, int) and axis in ({name, "Tq"} if name == "Tk" else {name}) and value > step:
            found[name], changed = value - step, True  # queries and keys together: a mask stays square
    return found if changed else None


def in_front(name: str, value: Any, role: Role) -> int:
    """How many axes stand in front of those that an argument has by itself."""
    own = axes_of(name, role)
    return value.ndim - len(own) if isinstance(value, np.ndarray) and own else 0


def without_front(arguments: Arguments, role: Role) -> Arguments | None:
    """The same call for the first sample, or the first head; None where no axis stands in front."""
    deepest = max(in_front(name, value, role) for name, value in arguments.items())
    if deepest <= 0:
        return None
    return {name: value[0] if in_front(name, value, role) == deepest else value for name, value in arguments.items()}


def rounded(arguments: Arguments) -> Arguments:
    """The same call with whole numbers."""
    return {
        name: np.round(value) + 0.0 if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
        for name, value in arguments.items()
    }


def smaller(arguments: Arguments, role: Role) -> Iterator[Arguments]:
    """Calls that are a little smaller, the greatest step first."""
    front = without_front(arguments, role)
    if front is not None:
        yield front
    for axis in ("B", "Tq", "Tk", "d_k", "d_v", "d", "wide", "T", "d_model"):
        for step in (4, 2, 1):
            shorter = shortened(arguments, axis, step, role)
            if shorter is not None:
                yield shorter
    plain = rounded(arguments)
    if not equal(plain, arguments):
        yield plain


def shrunk(arguments: Arguments, role: Role, differ: Differ, cuts: tuple[str, ...]) -> Arguments:
    """The smallest call of an interface on which two candidates still differ."""
    for _ in range(100):
        less = (narrowed(one, cuts) for one in smaller(arguments, role))
        found = next((one for one in less if one is not None and differ(one)), None)
        if found is None:
            return arguments
        arguments = found
    return arguments


def told_apart(one: Outcome, other: Outcome, finite: bool) -> bool:
    """Whether two outcomes differ so that one sees it: in numbers, or where those cannot tell, in NaN and infinity."""
    if isinstance(one, Failed) or isinstance(other, Failed):
        return False  # an error on one side is no number to look at
    parts = [*one.values(), *other.values()]
    return apart(one, other) > SEEN and not (finite and any(not np.isfinite(part).all() for part in parts))


def smallest(
    role: Role, one: Compute, other: Compute, inputs: list[Arguments], cuts: tuple[str, ...]
) -> Separation | None:
    """The smallest input on which two functions differ; None where they differ on none of these."""
    for finite in (True, False):

        def differ(arguments: Arguments, finite: bool = finite) -> bool:
            return told_apart(one(arguments), other(arguments), finite)

        first = next(filter(differ, inputs), None)
        if first is not None:
            found = shrunk(first, role, differ, cuts)
            return Separation(found, one(found), other(found))
    return None


def inputs_of(trial: Trial, edge: str | None = None) -> list[Arguments]:
    """The ordinary inputs of a trial, those with the fewest axes in front first; or those of one edge."""
    drawn = trial.bench.drawn
    places = [i for i in trial.usable if (not drawn[i].edge if edge is None else drawn[i].edge == edge)]
    places.sort(key=lambda place: drawn[place].lead)
    return [arguments for i in places if (arguments := trial.bench.arguments(i, trial.plan.cuts)) is not None]


def separation(trial: Trial, one: Reference, other: Reference) -> Separation | None:
    """The smallest input of a person's interface on which two references differ."""
    role = trial.role
    return smallest(
        role, partial(computed, one, role), partial(computed, other, role), inputs_of(trial), trial.plan.cuts
    )


def nearest_other(finding: Finding) -> Reference | None:
    """The fault that comes nearest to what was found, without being the same: the next candidate."""
    trial = finding.trial
    if trial is None or not finding.matches:
        return None
    ours = {name for one in finding.matches for name in (*one.names, *one.same)}
    places = [place for lead in finding.leads for place in trial.places(lead)]

    def away(one: Reference) -> float:
        errors = [apart(trial.reference(i, finding.matches[0]), trial.reference(i, one)) for i in places]
        return max(errors) if max(errors) > 1e-9 else INF

    others = [one for one in references(finding.role.name) if one.order == 2 and one.names[0] not in ours]
    ranked = sorted(((away(one), one.names, one) for one in others), key=lambda it: it[:2])
    return ranked[0][2] if ranked and ranked[0][0] < INF else None


def against_healthy(finding: Finding) -> Separation | None:
    """The smallest input on which a person's function and the healthy model differ, found by calling it.

    Where it has a fault, the input is one on which it does what that fault does: not one that it was never meant for.
    """
    trial = finding.trial
    if trial is None:
        return None
    fault = finding.matches[0] if finding.verdict in ("break", "several") else None

    def theirs(arguments: Arguments) -> Outcome:
        outcome = trial.answer(arguments)
        meant = fault is None or apart(outcome, computed(fault, trial.role, arguments)) < SEEN
        return outcome if meant else Failed()

    edges: list[str | None] = [None, *(edge for edge, _ in finding.edges)]
    inputs = [arguments for edge in edges for arguments in inputs_of(trial, edge)]
    return smallest(trial.role, theirs, partial(computed, HEALTHY, trial.role), inputs, trial.plan.cuts)


# ---- vital signs ----


class NotOffered(Exception):
    """A vital sign asks for what the person's function does not take."""


def stand_in(trial: Trial, *args: Any, **kwargs: Any) -> Any:
    """The person's function with the signature of the model's. Raises NotOffered where its interface is narrower."""
    function = getattr(HEALTHY.model, trial.role.name)
    arguments = dict(signature(function).bind(*args, **kwargs).arguments)
    arguments = {name: value for name, value in arguments.items() if value is not None}
    outcome = trial.answer(copied(arguments)) if not trial.plan.cuts else Failed(said="narrower")
    if isinstance(outcome, Failed) or len(outcome) != len(trial.role.parts):
        raise NotOffered(outcome.said if isinstance(outcome, Failed) else "it returns less than the model's")
    parts = tuple(outcome[name] for name in trial.role.parts)
    return parts if len(parts) > 1 else parts[0]


def moved_in(model: Model, vitals: Iterable[Vital], most: int) -> tuple[Sign, ...]:
    """The first of these vital signs that move in a model, beside a healthy one's."""
    from attention_lab.result import Sign
    from attention_lab.variants import healthy
    from attention_lab.vitals.record import Setting, take_sign

    setting, moved = Setting(), list[Sign]()
    for vital in vitals:
        reading = take_sign(vital, model, setting)
        if reading.moved and NotOffered.__name__ not in reading.reason:
            before = take_sign(vital, healthy(), setting).value
            facts = (vital.name, vital.sentence, vital.unit, vital.low, vital.high, before, reading.value)
            moved.append(Sign(*facts, reading.moved, reading.reason))
        if len(moved) == most:
            break
    return tuple(moved)


def vital_signs(finding: Finding, most: int = 6) -> tuple[Sign, ...]:
    """The vital signs that move in a model whose function is the person's, beside a healthy one's."""
    from attention_lab.breaks.reach import called_by
    from attention_lab.variants import healthy
    from attention_lab.variants import module_copy as copy_of
    from attention_lab.vitals import VITALS

    if finding.trial is None:
        return ()
    model = copy_of(healthy())
    setattr(model, finding.role.name, partial(stand_in, finding.trial))
    return moved_in(model, (one for one in VITALS if finding.role.name in called_by(one)), most)
