"""How a person's function may be called: which parameter takes which argument, in which layout, with which mask.

Plans are made in the order of likelihood. Names come first; what has no name that is known is tried in every order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from typing import TYPE_CHECKING, Any

from attention_lab.check.layouts import ALLOWED, BATCH_SECOND, CONVENTIONS, LAYOUTS, USUAL, Convention, Layout
from attention_lab.check.names import KEY, QUERY, SETTINGS, VALUE, plain, sized
from attention_lab.check.restrictions import ABSENT, MASKS, TOLD, WEIGHT_OF, WEIGHTED, cuts_for, eps_of
from attention_lab.check.roles import Role
from attention_lab.sandbox.records import Parameter

if TYPE_CHECKING:
    from attention_lab.sandbox.parent import Convert
    from attention_lab.sandbox.records import Definition

THREEFOLD = ("multi_head", "encoder_layer", "decoder_layer", "pre_norm_block")  # may be given queries, keys and values
ORDERS = 24  # of parameters whose names say nothing
NARROWER = 100  # rank penalty for a plan that omits more arguments than necessary
PADDING = 0  # the model's own
LIKELY = 2  # of these are tried in every layout

# ---- what a parameter may take ----


@dataclass(frozen=True)
class Fixed:
    """A value that is the same in every call."""

    value: Any


@dataclass(frozen=True)
class Bundle:
    """Several arguments as one tuple."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Bag:
    """Several arguments as one dictionary: pairs of its key and the argument; "w_query+w_key" are joined."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Settings:
    """Sizes and settings in one object, of a class of the file or of none: pairs of a field and what it holds."""

    kind: str
    fields: tuple[tuple[str, str | Fixed], ...]


@dataclass(frozen=True)
class Part:
    """An instance of a class of the file, which the constructor of another takes."""

    kind: str
    make: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Blank:
    """Zeros of single precision, in the shape that these sizes give; ids, where `whole`."""

    sizes: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True)
class EverySize:
    """All sizes, each by every name that people have for it."""


Source = str | Fixed | Bundle | Bag | Settings | Part | Blank | EverySize  # a name: an argument of the role, or a size

# ---- plans ----


@dataclass(frozen=True)
class Plan:
    """How to call a person's function with the model's arguments. `assumed` is what is not sure."""

    target: str
    positional: tuple[Source, ...]
    keyword: tuple[tuple[str, Source], ...] = ()
    make: tuple[tuple[str, Source], ...] | None = None
    attributes: tuple[tuple[str, str, str], ...] = ()  # path, argument, form
    layout: Layout = USUAL
    mask: Convention = ALLOWED
    turned: bool = False  # weights multiply from the left: W @ x, or x @ W.T
    cuts: tuple[str, ...] = ()
    convert: Convert = "numpy"
    ordered: bool = False  # parameters were told apart by trying, not by name
    guess: int = 0  # a later guess is only looked at where no earlier one explains anything

    @property
    def takes(self) -> frozenset[str]:
        """The arguments that reach the function."""
        sources = [*self.positional, *(source for _, source in self.keyword)]
        named = [source for source in sources if isinstance(source, str)]
        bundled = [name for one in sources if isinstance(one, Bundle) for name in one.names]
        bagged = [
            name for one in sources if isinstance(one, Bag) for _, names in one.items for name in names.split("+")
        ]
        return frozenset(named + bundled + bagged)

    @property
    def unusual(self) -> bool:
        """Whether a fault may vanish by what is assumed: masks that are added or say what is hidden, batch second."""
        return self.mask.name not in ("allowed", "ones") or self.layout is BATCH_SECOND

    @property
    def assumed(self) -> tuple[str, ...]:
        """What was taken for granted, as sentences without a full stop."""
        told = [TOLD[cut] for cut in self.cuts if cut in TOLD and cut not in ("no mask", "always a mask")]
        told += [f"its eps is {eps:g}" for eps in map(eps_of, self.cuts) if eps is not None]
        told += [f"arrays are {self.layout.name}"] if self.layout is not USUAL else []
        told += [self.mask.sentence] if self.mask is not ALLOWED else []
        told += ["weights multiply from the left"] if self.turned else []
        if self.ordered:
            names = [source for source in self.positional if isinstance(source, str)]
            told.append(f"its parameters are, in this order, {', '.join(names)}")
        return tuple(told)


def by_name(parameters: list[str], role: Role, letters: bool) -> dict[str, str]:
    """Which argument each parameter takes by its name; the names nearest to the model's own choose first."""
    found: dict[str, str] = {}
    for depth in range(24):
        for parameter in parameters:
            if parameter in found or (len(parameter) == 1 and not letters):
                continue
            for name, names in role.parameters.items():
                spelled = (name, *names)
                if name not in found.values() and depth < len(spelled) and plain(parameter) == plain(spelled[depth]):
                    found[parameter] = name
                    break
    return found


def threefold(known: dict[str, str], parameters: list[str], role: Role) -> dict[str, str]:
    """What takes queries, keys and values, in a role that has tokens and perhaps a source: the last two are one.

    `known` is what parameters take by their names; w_query takes no queries.
    """
    parameters = [one for one in parameters if known.get(one, "x") in role.tokens]
    words = {"query": QUERY, "key": KEY, "value": VALUE}
    found = {
        word: [one for one in parameters if plain(one) in map(plain, names) or plain(one).endswith(word)]
        for word, names in words.items()
    }
    if role.name not in THREEFOLD or len(found["key"]) != 1 or len(found["value"]) != 1 or len(found["query"]) > 1:
        return {}
    other = next((name for name in ("source", "memory") if name in role.parameters), "x")
    return {found["key"][0]: other, found["value"][0]: other} | dict.fromkeys(found["query"], "x")


def sources(parameters: tuple[Parameter, ...], role: Role, letters: bool) -> Iterator[tuple[dict[str, Source], bool]]:
    """What each parameter may take, the likeliest first, and whether an order had to be tried.

    With `letters`, a name of one letter says something: q is the query. In f(a, b, c) it does not.
    """
    usable = [one for one in parameters if one.kind in ("positional", "keyword")]
    named = by_name([one.name for one in usable], role, letters)
    known: dict[str, Source] = {**named, **threefold(named, [one.name for one in usable], role)}
    taken = {str(name) for name in known.values()}
    for one in usable:
        if one.name not in known and not one.default and (letters or len(one.name) > 1):
            size, bare = sized(one.name), plain(one.name)
            if bare in SETTINGS:
                known[one.name] = Fixed(SETTINGS[bare])
            elif (
                size is not None and size not in taken and role.name not in ("softmax",) and size not in role.parameters
            ):
                known[one.name] = size
    known |= {one.name: Fixed(PADDING) for one in usable if known.get(one.name) == "pad" and not one.default}
    open_ = [one.name for one in usable if one.name not in known and not one.default]
    named_only = ("eps", "pad", "rng", *WEIGHT_OF)
    left = [name for name in role.parameters if name not in taken and name not in named_only]
    if not open_:
        yield known, False
        return
    if len(open_) == 1 and sum(name in role.tokens for name in left) > 1 and len(left) > 1:
        yield {**known, open_[0]: Bundle(tuple(name for name in left if name in role.needed))}, True
    needed = [name for name in left if name in role.needed]
    for pool in ([*needed, *(name for name in left if name not in needed)],):
        for order in islice(permutations(pool, len(open_)), ORDERS):
            yield {**known, **dict(zip(open_, order, strict=True))}, len(open_) > 1
    if len(open_) == 1 and needed:
        yield {**known, open_[0]: needed[0]}, False


def guesses(parameters: tuple[Parameter, ...], role: Role) -> Iterator[tuple[dict[str, Source], bool, int]]:
    """First with what may be left out (a mask) in nameless parameters that may be left out, too; then without."""
    spare = [
        one.name for one in parameters if one.default and nameless(one.name) and one.kind in ("positional", "keyword")
    ]
    for place, letters in enumerate((True, False)):
        if not letters and not any(len(one.name) == 1 for one in parameters):
            continue
        given = [(known, ordered) for known, ordered in sources(parameters, role, letters)]
        for known, _ in given:
            free = [name for name in spare if name not in known]
            missing = [
                name for name in role.parameters if name in ABSENT and name in role.optional - set(known.values())
            ]
            if missing and free:
                yield {**known, **dict(zip(free, missing, strict=False))}, True, 2 * place
        yield from ((known, ordered, 2 * place + 1) for known, ordered in given)


def nameless(parameter: str) -> bool:
    """Whether a name says nothing about what it takes."""
    return plain(parameter) not in SETTINGS and (len(parameter) == 1 or sized(parameter) is None)


def called(
    definition: Definition, given: dict[str, Source]
) -> tuple[tuple[Source, ...], tuple[tuple[str, Source], ...]]:
    """The sources in positions, and those that need their name: after one that is left out, and keyword-only."""
    positional: list[Source] = []
    keyword: list[tuple[str, Source]] = []
    gap = False
    for one in definition.parameters:
        if one.name in given and one.kind == "positional" and not gap:
            positional.append(given[one.name])
        elif one.name in given:
            keyword.append((one.name, given[one.name]))
        else:
            gap = gap or one.kind == "positional"
    return tuple(positional), tuple(keyword)


def told(definition: Definition, role: Role) -> Iterator[tuple[dict[str, Source], bool, int]]:
    """What somebody said the parameters take; nothing in a role that has no such argument."""
    if set(definition.call) <= set(role.parameters):
        usable = [one.name for one in definition.parameters if one.kind in ("positional", "keyword")]
        yield dict(zip(usable, definition.call, strict=False)), False, 0


def bindings(definition: Definition, role: Role, partly: bool = False) -> Iterator[Plan]:
    """Plans that differ in which parameter takes what; `partly` where other arguments get there in another way."""
    seen = set()
    for given, ordered, guess in told(definition, role) if definition.call else guesses(definition.parameters, role):
        positional, keyword = called(definition, given)
        plan = Plan(definition.name, positional, keyword, ordered=ordered, guess=guess)
        cuts = () if partly else cuts_for(plan.takes, role)
        if cuts is None or plan in seen:
            continue
        seen.add(plan)
        must = any(given.get(one.name) in ("mask", "memory_mask") and not one.default for one in definition.parameters)
        yield replace(plan, cuts=(*cuts, "always a mask") if must else cuts)


def causal_again(plan: Plan) -> Iterator[Plan]:
    """The plan, and where it has no mask, also the one that takes the function for causal attention."""
    yield plan
    if "no mask" in plan.cuts:
        yield replace(plan, cuts=tuple("causal" if cut == "no mask" else cut for cut in plan.cuts))


def varied(made: Sequence[Plan], role: Role, mask: str, layout: str) -> Iterator[Plan]:
    """The plans in every layout, with every convention of masks, and with weights that multiply from the left."""
    conventions = [one for one in CONVENTIONS if one.name == mask] if mask else list(CONVENTIONS)
    layouts = [one for one in LAYOUTS if one.option == layout] if layout else list(LAYOUTS)
    for turned in (False, True) if WEIGHTED & set(role.parameters) else (False,):
        for place, lay in enumerate(layouts if role.tokens else [USUAL]):
            for order, plan in enumerate(made):
                if plan.ordered and order >= LIKELY and (place or turned):
                    continue  # one unlikely thing at a time
                masked = bool(MASKS & plan.takes) or role.makes_mask
                if lay.mask is not USUAL.mask and not (masked and "h" in role.parameters):
                    continue
                for convention in conventions if masked else [ALLOWED]:
                    made_so = replace(plan, layout=lay, mask=convention, turned=turned)
                    yield made_so
                    if MASKS & plan.takes and lay.mask is USUAL.mask:  # not taking one for each sample is no fault
                        yield replace(made_so, cuts=(*plan.cuts, "one mask"), guess=plan.guess + NARROWER)


def converted(ways: Iterable[Plan], imports: frozenset[str]) -> Iterator[Plan]:
    """The plans with the arrays of the library that the file imports; PyTorch's tensors are no NumPy arrays."""
    libraries: tuple[Convert, ...] = ("torch", "numpy", "jax")
    made = list(ways)
    for library in libraries:
        if library == "numpy" or library in imports:
            yield from (replace(plan, convert=library) for plan in made)


def filled_in(definition: Definition, role: Role) -> list[Definition]:
    """A function of (*args, **kwargs) as one of the role's arguments, with and without a mask: it hands them on."""
    kinds = {one.kind for one in definition.parameters}
    if "rest" not in kinds or kinds & {"positional", "keyword"}:
        return [definition]
    needed = [Parameter(name, "positional", False) for name in role.needed]
    masks = [Parameter("mask", "positional", True)] if "mask" in role.optional else []
    return [replace(definition, parameters=tuple(needed + more)) for more in ([masks, []] if masks else [[]])]


def plans(definition: Definition, role: Role, mask: str = "", layout: str = "") -> Iterator[Plan]:
    """Every way to call a function, the likeliest first: names, order, then masks, layouts, weights from the left."""
    bound = (plan for one in filled_in(definition, role) for plan in bindings(one, role))
    made = [again for plan in bound for again in causal_again(plan)]
    yield from varied(made, role, mask, layout)
