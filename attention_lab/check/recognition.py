"""What one function or class of a person's file is: which role explains it, by its name or by trying."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from attention_lab.check.bundled_arguments import together_plans
from attention_lab.check.holders import Holder, fields_plans, held_plans, made, table_plans
from attention_lab.check.instances import fits_of, holds_weights
from attention_lab.check.linears import linear_plans
from attention_lab.check.match import Finding, examined, weight
from attention_lab.check.names import SETTINGS, another, plain
from attention_lab.check.outcomes import HOPELESS, Failed
from attention_lab.check.plans import Plan, by_name, converted, plans, varied
from attention_lab.check.references import HEALTHY, LAYERS
from attention_lab.check.roles import ROLES, Role, meant
from attention_lab.check.trial import Bench
from attention_lab.check.weight_containers import bag_plans, global_plans
from attention_lab.check.weight_paths import Found
from attention_lab.sandbox.frames import NOT_IMPORTED
from attention_lab.source_text import WORKING

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child
    from attention_lab.sandbox.records import Definition

HOLDING = ("multi_head", "layer_norm", "feed_forward", *LAYERS)  # roles whose weights an instance may hold
BY_NAME_ONLY = ("tiled_attention",)  # else it passes for attention without a mask
FORMLESS = ("KeyError", "AttributeError", "TypeError", "IndexError")
STRUCTURED = {"layer", "weights"}  # arguments in a form of the model's own


@dataclass(frozen=True)
class Asked:
    """What was said about the file: which function to look at, its masks and arrays, and what to leave out.

    `call` names what the parameters of that function take, in their order; `calls`, what each function calls.
    """

    function: str = ""
    mask: str = ""
    layout: str = ""
    left_out: frozenset[str] = frozenset()
    call: tuple[str, ...] = ()
    calls: Mapping[str, frozenset[str]] = field(default_factory=dict)


class Benches:
    """The inputs of every role, drawn when the role is first tried."""

    def __init__(self, seed: int) -> None:
        self._seed, self._known = seed, dict[str, Bench]()

    def __getitem__(self, role: Role) -> Bench:
        """The inputs of a role; they do not depend on which others were tried."""
        if role.name not in self._known:
            rng = np.random.default_rng([self._seed, ROLES.index(role)])
            self._known[role.name] = Bench(role, role.probes(rng))
        return self._known[role.name]


def fits(definition: Definition, role: Role) -> bool:
    """Whether a function of this many parameters may have the role, should its name say nothing."""
    usable = [one for one in definition.parameters if one.kind in ("positional", "keyword")]
    return len(usable) > 0 and sum(not one.default for one in usable) <= len(role.parameters)


def signed(definition: Definition) -> tuple[Role, ...]:
    """The roles whose every argument a function has a parameter for, by name: def f(q, k, v) is attention."""
    names = [one.name for one in definition.parameters if one.kind in ("positional", "keyword")]
    must = [one.name for one in definition.parameters if one.name in names and not one.default]

    def fitting(role: Role) -> bool:
        known = by_name(names, role, letters=True)
        return len(role.needed) > 2 and set(role.needed) <= set(known.values()) and set(must) <= known.keys()

    return tuple(role for role in ROLES if role.name not in BY_NAME_ONLY and fitting(role))


def foreign(definition: Definition, role: Role) -> int:
    """How many parameters a function must be given whose names say nothing to a role."""
    must = [one.name for one in definition.parameters if one.kind in ("positional", "keyword") and not one.default]
    return len(must) - len(by_name(must, role, letters=True))


def whole(finding: Finding) -> bool:
    """Whether all parts of the role came back: with fewer, many a function would be taken for it."""
    trial = finding.trial
    if trial is None or finding.role.name == "attention":
        return True
    outcomes = [trial.outcome(place) for place in trial.telling(finding.leads[0])]
    return all(
        isinstance(one, Failed) or len(one) >= len(finding.role.parts)
        for one in outcomes
        if finding.role.sum_up is None
    )


def best(findings: Iterator[Finding]) -> Finding | None:
    """The best explanation: the first that is right, else the first fault, else the first."""
    found: list[Finding] = []
    for one in findings:
        if not one.alarming:
            return one
        found.append(one)
    return min(found, key=weight, default=None)


def of_torch(child: Child, plan: Plan) -> bool:
    """Whether an instance holds layers of PyTorch, by the form of their weights."""
    return "torch" in child.imports and any(form.startswith("torch") for _, _, form in plan.attributes)


def turnable(child: Child, found: Found) -> bool:
    """Whether its weights may multiply from the left: not those of PyTorch's own layers."""
    own = any(plain(one.name).endswith(("linear", "dense")) for one in child.definitions if one.kind == "class")
    return "torch" not in child.imports or own or any(form.startswith("either") for _, _, form in found.places)


def of_class(child: Child, holder: Holder, bench: Bench, asked: Asked) -> Iterator[Finding]:
    """A class: an instance is made and its method called, with weights that it holds, else with all that this takes."""
    role = bench.role
    of_weights = list(fields_plans(holder, role))
    if of_weights:
        yield from judged(child, holder.kind, bench, varied(of_weights, role, asked.mask, asked.layout))
        return
    make = made(holder, role)
    held = False
    if role.name in HOLDING:
        for fit in fits_of(child, holder.kind, make, bench):
            held = True
            made_with = list(held_plans(holder, role, fit.make, fit.found, fit.heads))
            ways = list(varied(made_with, role, asked.mask, asked.layout))
            for turned in (False, True) if turnable(child, fit.found) else (False,):
                for found in judged(child, holder.kind, fit.bench, [one for one in ways if one.turned == turned]):
                    yield replace(found, more=fit.found.more)
    elif role.name == "sinusoidal_positions":
        yield from judged(child, holder.kind, bench, table_plans(holder, make))
    usable = [one for one in holder.method.parameters if one.kind in ("positional", "keyword")]
    of_its_own = role.name in (*LAYERS, "sinusoidal_positions") and len(usable) < len(role.needed)
    weighty = role.name != "rope" and holds_weights(child, holder, bench)  # what that holds are tables of cos and sin
    if not held and not of_its_own and not weighty:
        empty = list(held_plans(holder, role, make, Found(()), heads=False))
        yield from judged(child, holder.kind, bench, varied(empty, role, asked.mask, asked.layout))


def shaped(finding: Finding) -> bool:
    """Whether what came back has the shapes of the role."""
    trial = finding.trial
    if trial is None:
        return False
    pairs = [(trial.outcome(i), trial.reference(i, HEALTHY)) for i in trial.telling(finding.leads[0])]
    return any(
        theirs.keys() <= ours.keys() and all(part.shape == ours[name].shape for name, part in theirs.items())
        for theirs, ours in pairs
        if not isinstance(theirs, Failed) and not isinstance(ours, Failed)
    )


def of_its_own_size(finding: Finding) -> bool:
    """Whether an error tells of a length that comes of none of those that were given: a number in the file, say."""
    trial, message = finding.trial, finding.code_error.message if finding.code_error else ""
    arguments = trial.bench.drawn[0].arguments if trial else {}
    lengths = {1, arguments.get("h", 1), *(n for one in arguments.values() for n in getattr(one, "shape", ()))}
    given = {math.prod(some) for some in combinations_with_replacement(lengths, 3)}
    return trial is not None and any(int(number) not in given for number in re.findall(r"\d+", message))


def claims(what: Definition | Holder, finding: Finding) -> bool:
    """Whether a function that no fault explains claims its role at all: norm(v) may be the length of a vector.

    Its name is one of the role's, and what comes back has the right shapes; or its parameters are the role's, which
    with a single one says little: log_softmax(x), attend_in_tiles(q, k, v, width).
    """
    role, definition = finding.role, what.method if isinstance(what, Holder) else what
    named = plain(finding.definition.name.rpartition(".")[2]) in map(plain, role.names)
    usable = [one for one in definition.parameters if one.kind in ("positional", "keyword")]
    must = [one.name for one in usable if not one.default]
    known = by_name([one.name for one in usable], role, letters=True)
    signs = set(role.needed) <= set(known.values()) and set(must) <= known.keys()
    if finding.code_error is not None and finding.code_error.kind in FORMLESS and STRUCTURED & finding.plan.takes:
        return False  # it keeps its weights in another form than the model
    if finding.verdict == "unknown" and role.name == "cross_entropy" and any("prob" in one.name for one in usable):
        return False  # of probabilities, and not of logits
    if finding.verdict == "unknown" and (finding.more or role.name in LAYERS):
        return False  # there is more in it than in the role, or it is one of the many kinds of layers
    if finding.verdict == "unknown":
        more = any(one.name not in known and plain(one.name) not in SETTINGS for one in usable)  # a window, say
        meant_so = named or (signs and len(known) > 1 and role in meant(finding.definition.name))
        return (meant_so and shaped(finding)) or (signs and len(role.needed) > 1 and not more)
    if finding.code_error is not None and finding.code_error.kind in HOPELESS:
        return NOT_IMPORTED not in finding.code_error.message
    if isinstance(what, Holder) and not set(must) <= known.keys():
        return False  # what nobody knows was guessed
    if isinstance(what, Holder) and (finding.more or finding.code_error is None or not finding.code_error.line):
        return False
    if isinstance(what, Holder):  # made of what was guessed, unless its weights were found, or it needs nothing
        sure = bool(finding.plan.attributes) or all(one.default for one in what.kind.parameters)
        return named and sure and not of_its_own_size(finding)
    return named and signs


def judged(child: Child, definition: Definition, bench: Bench, ways: Iterable[Plan]) -> Iterator[Finding]:
    """The verdict on one function in one role, called with the arrays of the library that its file imports.

    Layers of PyTorch take tensors only.
    """
    every = converted(ways, child.imports)
    found = examined(
        child, definition, bench, (one for one in every if one.convert == "torch" or not of_torch(child, one))
    )
    if found is not None:
        yield found


def of_function(child: Child, definition: Definition, bench: Bench, asked: Asked) -> Iterator[Finding]:
    """A function that takes its arguments, or its weights, one by one or in one, or finds them in names of its file."""
    bagged = list(bag_plans(child, definition, bench))
    kept = (
        list(judged(child, definition, bench, varied(bagged, bench.role, asked.mask, asked.layout))) if bagged else []
    )
    yield from kept
    if any(weight(one) < 5 for one in kept):
        return  # as one array, several weights say nothing
    yield from judged(child, definition, bench, plans(definition, bench.role, asked.mask, asked.layout))
    together = [*together_plans(child, definition, bench), *linear_plans(definition, bench.role)]
    if together:
        yield from judged(child, definition, bench, varied(together, bench.role, asked.mask, asked.layout))
    around = global_plans(child, definition, bench)
    if around is not None:
        there, made_with = around
        yield from judged(child, definition, there, varied(made_with, bench.role, asked.mask, asked.layout))


def explanation(findings: Iterable[Finding]) -> Finding | None:
    """The best of several roles, by trying; where others explain as much by a fault of theirs, that is told, too."""
    found: list[Finding] = []
    for one in findings:
        if not one.alarming:
            return one
        found.append(one)
    first = min(found, key=weight, default=None)
    if first is None:
        return None
    others = [one.breaks for one in found if one is not first and weight(one) == weight(first)]
    told = dict.fromkeys(name for names in others for name in names if name not in first.breaks)
    return replace(first, otherwise=first.otherwise or tuple(told), elsewhere=bool(told) and not first.otherwise)


def looked_at(child: Child, what: Definition | Holder, benches: Benches, asked: Asked) -> Finding | None:
    """What one function or class is; None where no role explains it, or where its name says that it is none of them."""
    found = recognised(child, what, benches, asked)
    return None if found is not None and found.alarming and another(found.definition.name) else found


def recognised(child: Child, what: Definition | Holder, benches: Benches, asked: Asked) -> Finding | None:
    """What one function or class is, by its name, else by trying every role."""
    definition = what.kind if isinstance(what, Holder) else what
    called = what.method if isinstance(what, Holder) else what

    def tried(roles: Sequence[Role]) -> Iterator[Finding]:
        for role in roles:
            bench = benches[role]
            if isinstance(what, Holder):
                yield from of_class(child, what, bench, asked)
            else:
                yield from of_function(child, definition, bench, asked)

    holder, _, method = definition.name.rpartition(".")
    name = holder if method in WORKING and holder else definition.name  # LayerNorm.forward, which needs no instance
    likely = sorted(meant(name) or signed(called), key=lambda role: foreign(called, role))
    named = best(tried(likely))
    if named is not None and weight(named) < 5:
        return named
    if child.late:  # every call fails now, and trying each role with each function would not end
        return named if named is not None and claims(what, named) else None
    others = [role for role in ROLES if role not in likely and role.name not in BY_NAME_ONLY and fits(called, role)]
    found = explanation(one for one in tried(others) if weight(one) < 5 and whole(one))
    return found or (named if named is not None and claims(what, named) else None)
