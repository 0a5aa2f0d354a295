"""All that a function needs in one argument: a tuple in the model's order, or a dictionary, whose keys it asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attention_lab.check.plans import Bag, Bundle, Plan, Source, bindings, by_name, causal_again
from attention_lab.check.remote import value_of
from attention_lab.check.restrictions import MASKS, WEIGHT_OF, cuts_for
from attention_lab.check.roles import Role
from attention_lab.check.trial import Bench
from attention_lab.sandbox.records import CallFailed, Raised

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Definition

Meant = Callable[[str, list[str]], str | None]  # a key and the names that are free: the one that it means
MOST = 12  # keys that are asked for, one after the other
BAG = "bag"  # the name of an argument that holds others


def with_bag(role: Role, parameter: str, held: tuple[str, ...]) -> Role:
    """The role as a function sees it that takes some of its arguments in one parameter."""
    others = {name: names for name, names in role.parameters.items() if name not in held}
    return replace(role, parameters={**others, BAG: (parameter,)})


def filled(plan: Plan, source: Source) -> Plan:
    """The plan with these arguments in the place of the bag."""
    positional = tuple(source if one == BAG else one for one in plan.positional)
    keyword = tuple((name, source if one == BAG else one) for name, one in plan.keyword)
    return replace(plan, positional=positional, keyword=keyword)


def key_of(error: CallFailed) -> str:
    """The key that a dictionary lacks, as an error says; empty where it says something else."""
    missing = isinstance(error, Raised) and error.code_error.kind == "KeyError"
    return error.code_error.message.strip("'\"") if missing and isinstance(error, Raised) else ""


def asked_for(child: Child, bench: Bench, plan: Plan, names: tuple[str, ...], meant: Meant) -> Bag:
    """The keys that a function looks up in its bag, each with the argument that it means: found by calling it."""
    role, known = bench.role, dict[str, str]()
    for arguments in (probe.arguments for probe in bench.drawn if probe.name == bench.drawn[0].name):
        for _ in range(MOST):
            trial = filled(plan, Bag(tuple(known.items())))
            given = [value_of(source, arguments, role, trial) for source in trial.positional]
            named = {name: value_of(source, arguments, role, trial) for name, source in trial.keyword}
            try:
                child.call(plan.target, given, named)
                break
            except CallFailed as error:
                key = key_of(error)
            found = meant(key, [name for name in names if name not in known.values()]) if key else None
            if key in known or found is None:
                break
            known[key] = found
    return Bag(tuple(known.items()))


def whole(plan: Plan, role: Role, source: Source) -> Iterator[Plan]:
    """The plan that hands over a bag, as far as an interface can be made of it."""
    held = filled(plan, source).takes
    cuts = cuts_for(plan.takes - {BAG} | held, role)
    if cuts is not None:
        yield from causal_again(replace(filled(plan, source), cuts=tuple(dict.fromkeys((*cuts, *plan.cuts)))))


def together_plans(child: Child, definition: Definition, bench: Bench) -> Iterator[Plan]:
    """Plans for a function that must be given one argument, where its role has several."""
    role = bench.role
    every = tuple(name for name in role.parameters if name not in (*MASKS, *WEIGHT_OF, "pad", "eps", "rng"))
    must = [one.name for one in definition.parameters if one.kind in ("positional", "keyword") and not one.default]
    if len(must) != 1 or len(must[0]) == 1 or len(every) < 2:
        return

    def by_key(key: str, free: list[str]) -> str | None:
        left = replace(role, parameters={name: role.parameters[name] for name in free})
        return by_name([key], left, letters=True).get(key)

    for plan in bindings(definition, with_bag(role, must[0], every), partly=True):
        for names in dict.fromkeys((every, role.needed)):
            yield from whole(plan, role, Bundle(names)) if len(names) > 1 else ()
        bag = asked_for(child, bench, plan, tuple(role.parameters), by_key)
        if bag.items:
            yield from whole(plan, role, bag)
        return
