"""A person's function, called by one plan on the inputs of one role; each call is made when it is asked for, once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_lab.check.inputs import Arguments, Probe
from attention_lab.check.layouts import ALLOWED, USUAL
from attention_lab.check.outcomes import INF, Failed, Outcome, apart, computed, summed
from attention_lab.check.plans import Plan
from attention_lab.check.references import HEALTHY, Reference, references
from attention_lab.check.remote import read_parts, remote
from attention_lab.check.restrictions import MASKS, eps_of, narrowed
from attention_lab.check.roles import Role
from attention_lab.sandbox.records import CallFailed

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child

SHAPES = ("ValueError", "IndexError", "AxisError")  # what is raised where shapes do not go together
Beside = tuple[tuple[tuple[str, ...], ...], Any]  # names of references, and what they return, one in each row
KINDS = re.compile("'(tuple|dict|int|NoneType|Generator)'")  # what is no array, in the message of a TypeError
HOPELESS = 0.01  # of an error: further inputs need not be tried
LENIENT = ("as many", "one new")  # prefixes of probes with equal lengths: code with swapped axes still runs


@dataclass
class Replies:
    """What came back: calls that two plans have in common are made once, and what no mask can mend is not made."""

    calls: dict[tuple[int, Plan], Any] = field(default_factory=dict)
    misshapen: set[Plan] = field(default_factory=set)
    unfit: set[Plan] = field(default_factory=set)


class Bench:
    """The inputs of one role, and what the references compute on them: worked out once, whatever the plan."""

    def __init__(self, role: Role, drawn: Sequence[Probe]) -> None:
        self.role, self.drawn = role, drawn
        self._arguments: dict[tuple[int, tuple[str, ...]], Arguments | None] = {}
        self._computed: dict[tuple[int, tuple[str, ...], tuple[str, ...]], Outcome] = {}
        self._beside: dict[tuple[int, tuple[str, ...], str, tuple[int, ...]], Beside] = {}

    def arguments(self, place: int, cuts: tuple[str, ...]) -> Arguments | None:
        """The arguments of a probe, as narrow as an interface; None where that has no such call."""
        key = place, cuts
        if key not in self._arguments:
            self._arguments[key] = narrowed(self.drawn[place].arguments, cuts)
        return self._arguments[key]

    def computed(self, place: int, cuts: tuple[str, ...], one: Reference) -> Outcome:
        """What a reference computes on a probe."""
        key = place, cuts, one.names
        if key not in self._computed:
            self._computed[key] = computed(one, self.role, self.arguments(place, cuts) or {})
        return self._computed[key]

    def beside(self, place: int, cuts: tuple[str, ...], part: str, shape: tuple[int, ...]) -> Beside:
        """All references that return a part in this shape on a probe, and what they return, one in each row."""
        key = place, cuts, part, shape
        if key not in self._beside:
            known = ((one, self.computed(place, cuts, one)) for one in references(self.role.name))
            there = [(one.names, out[part]) for one, out in known if not isinstance(out, Failed) and part in out]
            fitting = [(names, array) for names, array in there if array.shape == shape]
            rows = [np.asarray(array, float).ravel() for _, array in fitting]
            self._beside[key] = tuple(names for names, _ in fitting), np.array(rows)
        return self._beside[key]


class Trial:
    """A person's function called by one plan, on the probes that it can take; each is called when it is asked for."""

    def __init__(self, child: Child, bench: Bench, plan: Plan, replies: Replies) -> None:
        self.bench, self.role, self.plan, self.child = bench, bench.role, plan, child
        self._call = remote(child, bench.role, plan)
        self._theirs: dict[int, Outcome] = {}
        self._unlike: dict[int, frozenset[tuple[str, ...]]] = {}
        self.replies = replies
        self._leads: list[int] | None = None  # a cached_property would make one child wait for another, in Python 3.11
        usable = (i for i, probe in enumerate(bench.drawn) if probe.lead in plan.layout.batch_axes)
        self.usable = [i for i in usable if bench.arguments(i, plan.cuts) is not None]

    def reference(self, place: int, one: Reference) -> Outcome:
        """What a reference computes on one probe."""
        return self.bench.computed(place, self.plan.cuts, one)

    def outcome(self, place: int) -> Outcome:
        """What the person's function returns on one probe."""
        if place not in self._theirs:
            self._theirs[place] = self._ask(place)
        return self._theirs[place]

    def _ask(self, place: int) -> Outcome:
        """Call it, unless another plan has made the same call."""
        arguments = self.bench.arguments(place, self.plan.cuts) or {}
        cuts = tuple(cut for cut in self.plan.cuts if cut != "as many" and eps_of(cut) is None)
        call = replace(self.plan, cuts=cuts)  # these change nothing in what is handed over
        unmasked = replace(call, mask=ALLOWED, guess=0, ordered=False)
        key = place, call if {"mask", "memory_mask"} & arguments.keys() else unmasked
        if key not in self.replies.calls:
            self.replies.calls[key] = self._reply(arguments)
        value = self.replies.calls[key]
        return value if isinstance(value, Failed) else self._read(value, arguments, self.reference(place, HEALTHY))

    def _reply(self, arguments: Arguments) -> Any:
        """What comes back, or why nothing does."""
        try:
            return self._call(arguments)
        except CallFailed as error:
            return Failed(getattr(error, "code_error", None), error.what)

    def _read(self, value: Any, arguments: Arguments, like: Outcome) -> Outcome:
        """A reply in our terms. The healthy model, without a mask where it refuses one, says what parts there are."""
        if isinstance(like, Failed):
            like = computed(HEALTHY, self.role, {n: v for n, v in arguments.items() if n not in MASKS})
        if isinstance(like, Failed):
            return Failed()
        like = like if self.role.sum_up is None else {"output": arguments["x"]}
        return summed(read_parts(value, like, self.role, self.plan), self.role, arguments)

    def answer(self, arguments: Arguments) -> Outcome:
        """What it computes on any arguments of this interface."""
        value = self._reply(arguments)
        return (
            value
            if isinstance(value, Failed)
            else self._read(value, arguments, computed(HEALTHY, self.role, arguments))
        )

    def places(self, lead: int, edge: bool = False) -> list[int]:
        """The probes, by number: ordinary ones or edges, of one number of axes in front."""
        drawn = self.bench.drawn
        return [i for i in self.usable if bool(drawn[i].edge) == edge and drawn[i].lead == lead]

    @property
    def leads(self) -> list[int]:
        """The numbers of axes in front with which anything comes back, the most first."""
        if self._leads is None:
            alike = replace(self.plan, mask=ALLOWED, guess=0, ordered=False)
            self._leads = [] if alike in self.replies.misshapen else self._running()
            failures = [one for one in self._theirs.values() if isinstance(one, Failed)]
            if not self._leads and all(
                one.code_error is not None and one.code_error.kind in SHAPES for one in failures
            ):
                self.replies.misshapen.add(alike)
        return self._leads

    def _running(self) -> list[int]:
        """The numbers of axes in front with which it runs."""
        known = sorted({self.bench.drawn[i].lead for i in self.usable}, reverse=True)
        if known and self._unfit(self.telling(known[0])[0]):
            return []
        return [lead for lead in known if any(not isinstance(self.outcome(i), Failed) for i in self.telling(lead))]

    def _unfit(self, place: int) -> bool:
        """Whether a call fails by the kind of an argument that is no array, which is the same in all calls."""
        plan = self.plan
        if {"mask", "memory_mask"} & plan.takes or "jax" in self.child.imports:  # JAX says so of shapes, too
            return False
        kinds = replace(plan, mask=ALLOWED, layout=USUAL, turned=False, cuts=(), guess=0, ordered=False)
        if kinds not in self.replies.unfit:
            first = self.outcome(place)
            code_error = first.code_error if isinstance(first, Failed) else None
            if (
                code_error is None
                or code_error.kind not in ("TypeError", "AttributeError")
                or not KINDS.search(code_error.message)
            ):
                return False
            self.replies.unfit.add(kinds)
        return True

    def telling(self, lead: int) -> list[int]:
        """The probes that tell whether it runs at all: the first, and those with two equal lengths, or one of 1."""
        places = self.places(lead)
        return places[:1] + [i for i in places[1:] if self.bench.drawn[i].name.startswith(LENIENT)]

    @property
    def failure(self) -> Failed | None:
        """The first call that gave no value."""
        return next((one for one in self._theirs.values() if isinstance(one, Failed)), None)

    def unlike(self, place: int) -> frozenset[tuple[str, ...]]:
        """The names of the references that are far from what it computes on a probe, seen at one glance."""
        if place not in self._unlike:
            outcome = self.outcome(place)
            parts = {} if isinstance(outcome, Failed) else outcome
            near = (self._near(place, part, array) for part, array in parts.items())
            like = next(near, None)
            every = frozenset(one.names for one in references(self.role.name))
            self._unlike[place] = frozenset() if like is None else every - like.intersection(*near)
        return self._unlike[place]

    def _near(self, place: int, part: str, array: Any) -> frozenset[tuple[str, ...]]:
        """The names of the references that return about this array as a part."""
        names, rows = self.bench.beside(place, self.plan.cuts, part, array.shape)
        if not names:
            return frozenset()
        with np.errstate(all="ignore"):
            away = np.abs(rows - np.asarray(array, float).ravel())
        farthest = np.max(away, axis=-1, initial=0.0, where=np.isfinite(away))
        largest = np.max(np.abs(rows), axis=-1, initial=0.0, where=np.isfinite(rows))
        far = farthest > HOPELESS * (1 + largest)
        return frozenset(name for name, is_far in zip(names, far, strict=True) if not is_far)

    def error(self, one: Reference, places: Iterable[int]) -> float:
        """How far the person's function is from a reference, at worst; stops once that is hopeless."""
        worst = 0.0
        for place in places:
            worst = max(worst, apart(self.outcome(place), self.reference(place, one)))
            if worst > HOPELESS:
                return INF
        return worst
