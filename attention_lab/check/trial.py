"""A person's function, called by one plan on the inputs of one role; each call is made when it is asked for, once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from attention_lab.check.cuts import eps_of, narrowed
from attention_lab.check.inputs import Arguments, Probe
from attention_lab.check.layouts import ALLOWED
from attention_lab.check.outcomes import INF, Failed, Outcome, apart, computed, summed
from attention_lab.check.plans import Plan
from attention_lab.check.references import HEALTHY, Reference
from attention_lab.check.remote import read_parts, remote
from attention_lab.check.roles import Role
from attention_lab.sandbox.records import CallFailed

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Child

SHAPES = ("ValueError", "IndexError", "AxisError")  # what is raised where shapes do not go together
HOPELESS = 0.01  # of an error: further inputs need not be tried
LENIENT = ("as many", "one new")  # how the names of inputs begin on which also functions run that are wrong about axes


@dataclass
class Replies:
    """What came back: calls that two plans have in common are made once, and what no mask can mend is not made."""

    calls: dict[tuple[int, Plan], Any] = field(default_factory=dict)
    misshapen: set[Plan] = field(default_factory=set)


class Bench:
    """The inputs of one role, and what the references compute on them: worked out once, whatever the plan."""

    def __init__(self, role: Role, drawn: Sequence[Probe]) -> None:
        self.role, self.drawn = role, drawn
        self._arguments: dict[tuple[int, tuple[str, ...]], Arguments | None] = {}
        self._computed: dict[tuple[int, tuple[str, ...], tuple[str, ...]], Outcome] = {}

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


class Trial:
    """A person's function called by one plan, on the probes that it can take; each is called when it is asked for."""

    def __init__(self, child: Child, bench: Bench, plan: Plan, replies: Replies) -> None:
        self.bench, self.role, self.plan, self.child = bench, bench.role, plan, child
        self._call = remote(child, bench.role, plan)
        self._theirs: dict[int, Outcome] = {}
        self.replies = replies
        self._leads: list[int] | None = None  # a cached_property would make one child wait for another, in Python 3.11
        usable = (i for i, probe in enumerate(bench.drawn) if probe.lead in plan.layout.leads)
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
            return Failed(getattr(error, "trouble", None), error.what)

    def _read(self, value: Any, arguments: Arguments, like: Outcome) -> Outcome:
        """A reply in our terms. The healthy model, without a mask where it refuses one, says what parts there are."""
        if isinstance(like, Failed):
            like = computed(HEALTHY, self.role, {n: v for n, v in arguments.items() if n != "mask"})
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
            if not self._leads and all(one.trouble is not None and one.trouble.kind in SHAPES for one in failures):
                self.replies.misshapen.add(alike)
        return self._leads

    def _running(self) -> list[int]:
        """The numbers of axes in front with which it runs."""
        known = sorted({self.bench.drawn[i].lead for i in self.usable}, reverse=True)
        return [lead for lead in known if any(not isinstance(self.outcome(i), Failed) for i in self.telling(lead))]

    def telling(self, lead: int) -> list[int]:
        """The probes that tell whether it runs at all: the first, and those with two equal lengths, or one of 1."""
        places = self.places(lead)
        return places[:1] + [i for i in places[1:] if self.bench.drawn[i].name.startswith(LENIENT)]

    @property
    def failure(self) -> Failed | None:
        """The first call that gave no value."""
        return next((one for one in self._theirs.values() if isinstance(one, Failed)), None)

    def error(self, one: Reference, places: Iterable[int]) -> float:
        """How far the person's function is from a reference, at worst; stops once that is hopeless."""
        worst = 0.0
        for place in places:
            worst = max(worst, apart(self.outcome(place), self.reference(place, one)))
            if worst > HOPELESS:
                return INF
        return worst
