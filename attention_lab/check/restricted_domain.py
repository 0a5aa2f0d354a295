"""Right for fewer inputs than the model: those on which a function runs, or for which it is meant; with its own eps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from attention_lab.check.fitted_constants import own_eps
from attention_lab.check.layouts import USUAL
from attention_lab.check.names import plain
from attention_lab.check.outcomes import Failed
from attention_lab.check.plans import Plan
from attention_lab.check.trial import Trial
from attention_lab.weights import NORM_EPS

if TYPE_CHECKING:
    from attention_lab.sandbox.records import Definition, Parameter

USUAL_EPS = (0.0, 1e-12, 1e-8, 1e-6, 1e-3, 1e-4, 1e-7, NORM_EPS)

# ---- fewer inputs ----


def about_padding(parameter: Parameter) -> bool:
    """Whether a parameter of a loss says which labels are padding."""
    return any(word in plain(parameter.name) for word in ("pad", "ignore", "mask", "weight", "length"))


def narrower(trial: Trial, definition: Definition) -> Iterator[Plan]:
    """The plan of a trial for fewer inputs, on which it may be right: those on which it runs, or for which it is meant.

    As many queries as keys, values like keys, and for a loss that is told nothing of padding, labels without it.
    """
    plan, role = trial.plan, trial.role
    if role.name == "cross_entropy" and trial.leads and not any(map(about_padding, definition.parameters)):
        yield replace(plan, cuts=(*plan.cuts, "no padding"))
    if not {"source", "key"} & set(role.parameters) or {"itself", "causal"} & set(plan.cuts):
        return
    if trial.leads:
        ran = {place: not isinstance(trial.outcome(place), Failed) for place in trial.telling(trial.leads[0])}
        if any(ran.values()) and not all(ran.values()):
            yield replace(plan, cuts=(*plan.cuts, "as many"))
    elif role.name == "attention" and plan.layout is USUAL and not plan.ordered:
        yield replace(plan, cuts=(*plan.cuts, "one width"))
        yield replace(plan, cuts=(*plan.cuts, "one width", "as many"))


# ---- the eps of a norm ----


def any_eps(trial: Trial) -> bool:
    """Whether it is a norm with an eps that nobody knows: what is only close to the model's may have a fault."""
    plan = trial.plan
    return trial.role.name == "layer_norm" and "eps" not in plan.takes and f"eps {NORM_EPS:g}" not in plan.cuts


def with_eps(trial: Trial, eps: float) -> Trial:
    """The trial of a norm, judged by the model's with this eps; what it returns is the same."""
    plan = replace(trial.plan, cuts=(*trial.plan.cuts, f"eps {eps:g}"))
    return Trial(trial.child, trial.bench, plan, trial.replies)


def own(trial: Trial) -> Trial:
    """The trial of a norm that has its own eps is judged by the model's with that."""
    eps = own_eps(trial)
    return trial if eps is None or f"{eps:g}" == f"{NORM_EPS:g}" else with_eps(trial, eps)


def other_eps(tried: Sequence[Trial]) -> Iterator[Trial]:
    """The trials of a norm in which a fault may hide its eps, with those that people choose."""
    ran = [trial for trial in tried if trial.leads and any_eps(trial)]
    yield from (with_eps(trial, eps) for eps in USUAL_EPS for trial in ran)
