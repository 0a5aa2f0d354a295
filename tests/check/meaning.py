"""Whether a spelling keeps the meaning: what is spelled is called as its interface says, beside the model itself.

Nothing of attention_lab.check is asked how a function is to be called: the interface is known here.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from check.faults import BY_NAME, Fault
from check.spellings import Spelling, public, spelled, title, weights_of
from check.written import found_in, wrapped

from attention_lab.check.inputs import Arguments, Probe
from attention_lab.check.match import writes
from attention_lab.check.outcomes import Failed, Outcome, apart, computed, copied, summed
from attention_lab.check.references import HEALTHY, Reference, references, single
from attention_lab.check.remote import equal, named_parts
from attention_lab.check.roles import Role

TURNS: dict[str, tuple[int, int]] = {"d-T": (-1, -2), "T-B-d": (0, 1), "B-T-h-d": (1, 2)}
MASKS: dict[str, Callable[[Any], Any]] = {
    "blocked": np.logical_not,
    "ones": lambda mask: mask.astype(float),
    "additive": lambda mask: np.where(mask, 0.0, -np.inf),
}
NEAR = {"": 1e-9, "float32": 1e-4, "lists": 1e-9}  # of an error relative to 1 + the largest number
AT_EDGES = 1e-2  # in half precision, and where numbers overflow nearly


def listed(value: Any) -> Any:
    """Nested lists in the place of arrays."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {name: listed(item) for name, item in value.items()}
    return type(value)(map(listed, value)) if isinstance(value, (list, tuple)) else value


def handed(role: Role, spelling: Spelling, arguments: Arguments) -> Arguments:
    """The arguments of the model as an interface takes them, still by the model's names."""
    found = dict(arguments)
    for name in role.tokens & found.keys() if spelling.tokens else ():
        found[name] = np.swapaxes(found[name], *TURNS[spelling.tokens])
    for name in {"mask", "memory_mask"} & found.keys() if spelling.mask in MASKS else ():
        found[name] = MASKS[spelling.mask](found[name])
    for name in weights_of(role) if spelling.weights == "turned" else ():
        found[name] = found[name].T
    return {name: listed(value) for name, value in found.items()} if spelling.cast == "lists" else found


def entry(names: dict[str, Any], role: Role, spelling: Spelling, held: Arguments) -> Callable[..., Any]:
    """What is called: the function of a file, or the method of an instance that holds these arguments."""
    if spelling.holder not in ("class", "classmethod", "callable", "forward", "child"):
        return names[public(role, spelling)]  # type: ignore[no-any-return]
    kind = names[title(role, spelling)]
    places = {name: place.removeprefix("self.") for name, place in found_in(role, spelling).items()}
    if spelling.weights == "fields":
        return kind(**{places[name]: held[name] for name in places})  # type: ignore[no-any-return]
    if spelling.weights == "held":
        sizes = {"multi_head": (1, 1), "layer_norm": (1,), "feed_forward": (1, 1)}[role.name]
        instance = kind(*sizes)
        for name, place in places.items():
            setattr(instance, place, held[name])
        return instance.forward  # type: ignore[no-any-return]
    method = {"class": "forward", "classmethod": "apply", "forward": "forward", "child": "forward"}
    made = kind()
    return getattr(made, method[spelling.holder]) if spelling.holder in method else made  # type: ignore[no-any-return]


def called(names: dict[str, Any], role: Role, spelling: Spelling, arguments: Arguments) -> Any:
    """What a file returns for the model's arguments."""
    theirs, words = handed(role, spelling, arguments), spelled(role, spelling)
    needed = {word: theirs[name] for name, word in words.items() if name in theirs}
    left = {name: theirs[name] for name in [*weights_of(role), "h"] if name in theirs and name not in words}
    function = entry(names, role, spelling, left)
    if spelling.order in ("tuple", "dict"):
        optional = {
            words[name]: needed.pop(words[name]) for name in ("mask", "memory_mask") if words.get(name) in needed
        }
        return function(tuple(needed.values()) if spelling.order == "tuple" else needed, **optional)
    if spelling.weights == "tuple":
        return function(weights=tuple(left[name] for name in weights_of(role)), **needed)
    if spelling.weights == "bag":
        places = found_in(role, spelling)
        return function(params={places[name].split("'")[1]: value for name, value in left.items()}, **needed)
    return function(**needed)


def read(value: Any, role: Role, spelling: Spelling) -> Any:
    """What came back as the model returns it."""
    if spelling.form == "dict":
        value = tuple(value.values())
        value = value if len(value) > 1 else value[0]
    elif spelling.form == "named":
        value = tuple(value) if len(value) > 1 else value[0]
    elif spelling.form == "more":
        value = value[0]
    elif spelling.form == "weights first":
        value = value[::-1]
    parts = named_parts(value, role)
    if spelling.tokens:
        parts["output"] = np.swapaxes(parts["output"], *TURNS[spelling.tokens])
    if role.makes_mask and spelling.mask:
        read_as = {"blocked": np.logical_not, "ones": lambda one: one == 1, "additive": lambda one: one == 0}
        parts = {name: read_as[spelling.mask](part) for name, part in parts.items()}
    return parts


def takes(spelling: Spelling, probe: Probe) -> bool:
    """Whether an interface takes such a call."""
    if spelling.leads and probe.lead not in spelling.leads:
        return False
    if spelling.tokens and probe.lead not in spelling.leads:
        return False
    return not (spelling.mask == "none" and {"mask", "memory_mask"} & probe.arguments.keys())


def reference(fault: Fault) -> Reference:
    """The model with a fault."""
    return next(one for one in references(fault.home) if one.names == fault.names)


def names_of(text: str) -> dict[str, Any]:
    """The names of a file, once it has run; a line of it may fail."""
    names: dict[str, Any] = {"__name__": __name__}  # a dataclass looks for its module
    with contextlib.suppress(NameError):
        exec(compile(text, "spelled.py", "exec"), names)  # noqa: S102 (our own text)
    return names


def difference(fault: Fault, spelling: Spelling, text: str = "") -> str:
    """The first input on which what is spelled is not what the model with the fault computes; empty where none is.

    It is compared in numbers, in the width of floats, in what it writes into, and in whether it raises.
    """
    role, ours = BY_NAME[fault.home], reference(fault)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        names = names_of(text or wrapped(fault, spelling))
        for probe in role.probes(np.random.default_rng(3)):
            if not takes(spelling, probe) or (spelling.cast and probe.edge):
                continue  # numbers of another width overflow elsewhere
            told = compared(names, role, spelling, ours, probe)
            if told:
                return f"{probe.name}: {told}"
    return ""


def compared(names: dict[str, Any], role: Role, spelling: Spelling, ours: Reference, probe: Probe) -> str:
    """How what is spelled differs from the model in one call."""
    right, arguments = computed(ours, role, probe.arguments), copied(probe.arguments)
    try:
        value = called(names, role, spelling, arguments)
        theirs: Outcome = summed(read(value, role, spelling), role, probe.arguments)
    except Exception as error:  # whatever a broken model raises
        theirs = Failed(said=f"{type(error).__name__}: {error}")
    if isinstance(theirs, Failed) or isinstance(right, Failed):
        both = isinstance(theirs, Failed) and isinstance(right, Failed)
        return "" if both else getattr(theirs, "said", "") or f"no error, {getattr(right, 'said', '')}"
    edge = probe.edge if probe.edge in ("float16", "float32") else ""
    limit = max(NEAR[spelling.cast], AT_EDGES if edge == "float16" else 1e-5 if edge else 0)
    if apart(theirs, right) > limit:
        return f"{apart(theirs, right):.2g} apart"
    wide = [name for name in theirs if theirs[name].dtype != right[name].dtype] if not spelling.cast else []
    if wide and spelling.mask == "" and not role.makes_mask:
        return f"{wide[0]} is {theirs[wide[0]].dtype}, not {right[wide[0]].dtype}"
    if copies(spelling):
        return ""
    wrote = {name for name in probe.arguments if not equal(arguments[name], probe.arguments[name])}
    return "" if wrote == writes(ours, role, probe.arguments) else f"it writes into {sorted(wrote)}"


def copies(spelling: Spelling) -> bool:
    """Whether an interface works on copies of what it is given, so that nobody sees what is written there."""
    return bool(spelling.cast)


def shown(fault: Fault, spelling: Spelling) -> tuple[str, ...]:
    """Those of the fault's breaks that can be seen through an interface at all: on some input the model differs."""
    role = BY_NAME[fault.home]
    drawn = role.probes(np.random.default_rng(1))

    def seen(name: str) -> bool:
        if spelling.mask == "blocked" and role.makes_mask and name.endswith("-inverted"):
            return False  # the reverse of the reverse
        if name == "mask-inverted" and spelling.mask == "blocked":
            return False
        if name == "attention-over-batch" and (spelling.tokens == "T-B-d" or spelling.leads == (0,)):
            return False  # and this, too
        one = next(one for one in single() if one.names == (name,))
        if not copies(spelling) and writes(one, role, drawn[0].arguments):
            return True
        outcomes = (
            (computed(one, role, p.arguments), computed(HEALTHY, role, p.arguments))
            for p in drawn
            if takes(spelling, p) and not (spelling.cast and p.edge in ("float32", "float16"))
        )
        return any(differs(ours, healthy, spelling) for ours, healthy in outcomes)

    return tuple(name for name in fault.names if seen(name))


def differs(ours: Outcome, healthy: Outcome, spelling: Spelling) -> bool:
    """Whether two outcomes can be told apart by what an interface returns."""
    if isinstance(ours, Failed) or isinstance(healthy, Failed):
        return isinstance(ours, Failed) != isinstance(healthy, Failed)
    kept = {"output"} if spelling.form == "first" else ours.keys()
    wider = any(ours[name].dtype != healthy[name].dtype for name in kept if name in healthy)
    theirs = {name: ours[name] for name in kept}
    return apart(theirs, healthy) > 1e-5 or (wider and spelling.cast == "")
