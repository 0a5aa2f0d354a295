"""Numbers that people choose, worked out from what a function returns: in a mask, added as a mask, and a norm's eps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_lab.check.inputs import Arguments
from attention_lab.check.layouts import ADDITIVE, FINITE
from attention_lab.check.outcomes import Failed, apart, computed
from attention_lab.check.references import BIASED, HEALTHY, MASKED, SCALED_BIAS, Reference
from attention_lab.check.trial import Replies, Trial
from attention_lab.variants import Patch

WRITTEN = "scores = np.where(checked(mask), scores, {})  # mask"
ADDED = "scores = np.where(checked(mask), scores, scores + {})  # mask"
ROUGHLY = 1e-3  # of an error: enough to see whether numbers are added at all
DIGITS = 4  # people write short numbers


def solved(returned: Any, value: Any, seen: Any, hidden: Any) -> float:
    """The factor of the hidden weights: returned = (seen + factor · hidden) @ value, each row divided by its sum."""
    left = returned * hidden.sum(axis=-1, keepdims=True) - hidden @ value
    right = seen @ value - returned * seen.sum(axis=-1, keepdims=True)
    return float((left * right).sum() / (left**2).sum())


def numbers(arguments: Arguments, returned: Any, value: Any) -> dict[str, float]:
    """What is written over hidden scores, or added to them, if attention returned this."""
    query, mask = arguments["query"], arguments["mask"]
    weights = np.exp(query @ np.swapaxes(arguments["key"], -1, -2) / query.shape[-1] ** 0.5)
    seen, hidden = weights * mask, {WRITTEN: np.ones_like(weights) * ~mask, ADDED: weights * ~mask}
    with np.errstate(all="ignore"):
        found = {line: np.log(solved(returned, value, seen, one)) for line, one in hidden.items()}
    return {line: float(f"{number:.{DIGITS}g}") for line, number in found.items() if np.isfinite(number)}


def named(number: float) -> str:
    """The fault of the catalogue that is of this kind."""
    return "mask-minus-ten" if number < -0.5 else "mask-sign-lost" if number > 0.5 else "mask-zero"


def fitted(trial: Trial) -> list[Reference]:
    """What attention might be: the model with some number in place of −∞. None where there is no mask, or no number."""
    drawn = trial.bench.drawn
    place = next((i for i in trial.usable if not drawn[i].edge and "mask" in drawn[i].arguments), None)
    if trial.role.name != "attention" or "mask" not in trial.plan.takes or place is None:
        return []
    arguments, outcome = trial.bench.arguments(place, trial.plan.cuts), trial.outcome(place)
    ours = trial.reference(place, HEALTHY)
    if arguments is None or isinstance(outcome, Failed) or isinstance(ours, Failed):
        return []
    part = next(iter(outcome), "")
    if part not in ours or outcome[part].shape != ours[part].shape:
        return []
    value = arguments["value"] if part == "output" else np.eye(arguments["value"].shape[-2])
    found = numbers(arguments, outcome[part], value)
    return [
        Reference((named(number), line.format(number)), (named(number),), (Patch(MASKED, line.format(number)),), 2)
        for line, number in found.items()
    ]


# ---- masks that are added ----


def adds(trial: Trial) -> bool:
    """True if the function really adds its mask.

    A mask of 0 and ½ decides: adding changes the scores, comparing with 0 or −∞ does not; the latter must then treat
    −10⁹ as −∞, or ignore it.
    """
    ordinary = (place for lead in trial.leads for place in trial.places(lead))
    masked = (trial.bench.arguments(place, trial.plan.cuts) or {} for place in ordinary)
    arguments = next((one for one in masked if "mask" in one and not one["mask"].all()), None)
    if trial.plan.mask is not ADDITIVE or trial.role.makes_mask or arguments is None:
        return True
    masks = {name: arguments[name] for name in ("mask", "memory_mask") if name in arguments}
    call = Trial(trial.child, trial.bench, replace(trial.plan, mask=FINITE), Replies()).answer
    small, large = (
        arguments | {name: np.where(mask, 0.0, fill) for name, mask in masks.items()} for fill in (0.5, -1e9)
    )
    unmasked = computed(HEALTHY, trial.role, arguments | {name: np.ones_like(mask) for name, mask in masks.items()})
    hidden, theirs = computed(HEALTHY, trial.role, arguments), call(small)
    added = [computed(one, trial.role, small) for one in (BIASED, SCALED_BIAS)]  # with −∞ it is all one
    if any(apart(theirs, ours) < ROUGHLY for ours in (*added, hidden)):
        return True
    beyond = call(large) if apart(theirs, unmasked) < ROUGHLY else Failed()
    return any(apart(beyond, ours) < ROUGHLY for ours in (hidden, unmasked))


# ---- the eps of a norm ----


def eps_in(returned: Any, centred: Any) -> float | None:
    """What was added to the variance, if this came of these numbers; None where it is not the same everywhere."""
    variance = (centred**2).mean(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        added = (centred / returned) ** 2 - variance
    if not np.isfinite(added).all():
        return None
    exact = 1e-12 if returned.dtype == np.float64 else 1e-5
    found, rounding = float(np.median(added)), exact * float(variance.max())
    if np.abs(added - found).max() > rounding + 1e-3 * abs(found):
        return None
    return float(f"{found:.2g}") if found > rounding else 0.0


def own_eps(trial: Trial) -> float | None:
    """The eps of a norm that is not asked for one, from what it returns for tiny tokens; None where it has none."""
    drawn, leads = trial.bench.drawn, trial.leads
    if trial.role.name != "layer_norm" or "eps" in trial.plan.takes or not leads:
        return None
    place = next((i for i in trial.usable if drawn[i].edge == "tiny numbers" and drawn[i].lead == leads[0]), None)
    arguments = None if place is None else trial.bench.arguments(place, trial.plan.cuts)
    outcome = Failed() if place is None else trial.outcome(place)
    output = None if isinstance(outcome, Failed) else outcome.get("output")
    if arguments is None or output is None or output.shape != arguments["x"].shape:
        return None
    x, returned = arguments["x"], (output - arguments["bias"]) / arguments["gain"]
    found = (eps_in(returned, centred) for centred in (x - x.mean(axis=-1, keepdims=True), x))
    return next((eps for eps in found if eps is not None), None)
