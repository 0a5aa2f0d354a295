"""Every break of the catalogue in other people's spellings: the patched model behind interfaces of every kind.

A spelling wraps one function of the model. What it computes is the model's; what it is called, in which order it takes
what, how its arrays lie, what its masks say and what it returns are a stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attention_lab.breaks import BREAKS
from attention_lab.breaks.pairs import PAIRS
from attention_lab.check.inputs import Probe
from attention_lab.check.match import writes
from attention_lab.check.outcomes import Failed, Outcome, apart, computed
from attention_lab.check.references import HEALTHY, reached, single
from attention_lab.check.roles import ROLES, Role
from attention_lab.variants import model_source, source

HEAD = re.compile(r"^def (\w+)", flags=re.MULTILINE)
BY_NAME = {role.name: role for role in ROLES}
HOMES = {  # where a fault is seen that is not in one function alone
    "scale-by-d-model": "multi_head",
    "heads-by-tokens": "multi_head",
    "attention-across-heads": "multi_head",
    "attention-over-batch": "multi_head",
    "queries-from-source": "decoder_layer",
    "cache-not-reset": "decode_next",
}


@dataclass(frozen=True)
class Fault:
    """One break, or a declared pair: its names, the patched model, and the role in which it is seen."""

    names: tuple[str, ...]
    text: str
    home: str
    harmless: bool = False


def changed(text: str) -> list[str]:
    """The functions of the model that a text changes."""
    parts = [dict(zip(HEAD.findall(one), HEAD.split(one)[2::2], strict=True)) for one in (model_source(), text)]
    return [name for name, body in parts[1].items() if parts[0].get(name) != body]


def home(name: str, text: str) -> str:
    """The role in which a break is seen: that of the function that it changes."""
    if name in HOMES:
        return HOMES[name]
    return next(one for one in changed(text) if one in BY_NAME)


def faults() -> Iterator[Fault]:
    """Every break, harmless or not, and every declared pair."""
    for one in BREAKS:
        text = source(*one.patches).model
        yield Fault((one.name,), text, home(one.name, text), one.harmless)
    for pair in PAIRS:
        text = source(*pair.patches).model
        roles = {home(one.name, source(*one.patches).model) for one in pair.breaks}
        where = roles.pop() if len(roles) == 1 else None
        both = [role for role in ("attention", "embed", "multi_head", "decoder_only") if pair_reaches(role, text)]
        yield Fault(pair.names, text, where or both[0])


def pair_reaches(role: str, text: str) -> bool:
    """Whether a role calls all that a text changes."""
    return set(changed(text)) <= reached(role)


# ---- interfaces ----


@dataclass(frozen=True)
class Spelling:
    """An interface. `leads` are the axes in front that it takes; `tokens` is how arrays lie, `mask` what masks say."""

    name: str
    names: int = 0  # which synonyms; −1: letters that say nothing
    order: str = ""  # "" as the model, "back" reversed, "key" keyword-only
    tokens: str = ""  # "", "d-T", "T-B-d", "B-T-h-d"
    leads: tuple[int, ...] = ()  # of those that the role has; () is all
    mask: str = ""  # "", "blocked", "ones", "additive", "none"
    form: str = ""  # "", "first", "weights first", "dict", "list"
    cast: str = ""  # "", "float32", "lists"
    holder: str = ""  # "", "class", "callable", "lambda", "partial"
    public: int = 0  # which of the names that people give such a function; −1: one that says nothing


SPELLINGS = (
    Spelling("as the model"),
    Spelling("other names", names=1, public=1),
    Spelling("yet other names", names=2, public=2),
    Spelling("names that say nothing", names=-1, public=-1),
    Spelling("letters in a known function", names=-1),
    Spelling("in reverse order", order="back", names=1),
    Spelling("by keyword only", order="key", names=1, public=1),
    Spelling("one sentence", leads=(0,), names=2),
    Spelling("a batch", leads=(1,), names=1),
    Spelling("features first", tokens="d-T", leads=(0,), names=1),
    Spelling("batch second", tokens="T-B-d", leads=(1,), names=1),
    Spelling("heads third", tokens="B-T-h-d", leads=(2,), names=1),
    Spelling("weights first", form="weights first", names=1),
    Spelling("output only", form="first", names=2),
    Spelling("a dict", form="dict", names=1),
    Spelling("nested lists", cast="lists", names=1, leads=(1, 0)),
    Spelling("True is hidden", mask="blocked", names=1),
    Spelling("masks of ones", mask="ones", names=2),
    Spelling("masks that are added", mask="additive", names=1),
    Spelling("in float32", cast="float32", names=1),
    Spelling("a static method", holder="class", names=1),
    Spelling("an object that is called", holder="callable", names=2),
    Spelling("a lambda", holder="lambda", names=1, public=1),
    Spelling("a partial", holder="partial", names=1),
    Spelling("without a mask", mask="none", names=1),
)


LAID_OUT = ("softmax", "attention", "multi_head", "rope", "layer_norm")  # roles of tokens in any layout


def fits(spelling: Spelling, role: Role) -> bool:
    """Whether an interface makes sense for a role."""
    masked = bool({"mask", "memory_mask"} & set(role.parameters)) or role.makes_mask
    if (spelling.mask and not masked) or (spelling.mask == "none" and role.makes_mask):
        return False
    if (spelling.tokens or spelling.leads) and role.name not in LAID_OUT:
        return False
    if (spelling.tokens and not role.tokens) or (
        spelling.tokens == "B-T-h-d" and role.name not in ("attention", "rope")
    ):
        return False
    if spelling.form and role.name != "attention":
        return False
    if spelling.cast == "lists" and role.name not in ("softmax", "attention", "layer_norm", "multi_head"):
        return False
    return not (spelling.cast == "float32" and role.name not in ("softmax", "attention", "multi_head", "layer_norm"))


def shown(fault: Fault, spelling: Spelling) -> tuple[str, ...]:
    """Those of the fault's breaks that can be seen through an interface at all: on some input the model differs."""
    role = BY_NAME[fault.home]
    drawn = role.probes(np.random.default_rng(1))

    def taken(probe: Probe) -> bool:
        return (not spelling.leads or probe.lead in spelling.leads) and not (
            spelling.mask == "none" and {"mask", "memory_mask"} & probe.arguments.keys()
        )

    def seen(name: str) -> bool:
        if spelling.mask == "blocked" and role.makes_mask and name.endswith("-inverted"):
            return False  # the reverse of the reverse
        if name == "mask-inverted" and spelling.mask == "blocked":
            return False
        if name == "attention-over-batch" and (spelling.tokens == "T-B-d" or spelling.leads == (0,)):
            return False  # and this, too
        one = next(one for one in single() if one.names == (name,))
        if spelling.cast == "" and writes(one, role, drawn[0].arguments):
            return True
        outcomes = (
            (computed(one, role, p.arguments), computed(HEALTHY, role, p.arguments), p) for p in drawn if taken(p)
        )
        return any(differs(ours, healthy, spelling) for ours, healthy, _ in outcomes)

    return tuple(name for name in fault.names if seen(name))


def differs(ours: Outcome, healthy: Outcome, spelling: Spelling) -> bool:
    """Whether two outcomes can be told apart by what an interface returns."""
    if isinstance(ours, Failed) or isinstance(healthy, Failed):
        return isinstance(ours, Failed) != isinstance(healthy, Failed)
    kept = {"output"} if spelling.form == "first" else ours.keys()
    wider = any(ours[name].dtype != healthy[name].dtype for name in kept if name in healthy)
    theirs = {name: ours[name] for name in kept}
    return apart(theirs, healthy) > 1e-5 or (wider and spelling.cast == "")


PRELUDE = """

import functools as _functools


def _each(function, value):
    if isinstance(value, np.ndarray):
        return function(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_each(function, item) for item in value)
    if isinstance(value, dict):
        return {name: _each(function, item) for name, item in value.items()}
    return value


def _single(value):
    return _each(lambda array: array.astype(np.float32) if array.dtype == np.float64 else array, value)
"""


def parameter(role: Role, name: str, spelling: Spelling, place: int) -> str:
    """What the interface calls an argument."""
    if spelling.names < 0:
        return "abcdefgh"[place]
    names = (name, *role.parameters[name])
    taken = {other for others in role.parameters if others != name for other in (others, *role.parameters[others])}
    free = [one for one in names if one not in taken] or [name]
    return free[min(spelling.names, len(free) - 1)]


def body(role: Role, spelling: Spelling, names: dict[str, str], optional: list[str]) -> list[str]:
    """The lines of the wrapper."""
    lines = []
    tokens = [name for name in names if name in role.tokens] or ([next(iter(names))] if role.name == "softmax" else [])
    if spelling.cast == "lists":
        lines += [f"{names[one]} = np.array({names[one]})" for one in names if one not in (*optional, "h", "eps")]
        lines += [
            f"{names[one]} = None if {names[one]} is None else np.array({names[one]})"
            for one in optional
            if one != "eps"
        ]
    if spelling.cast == "float32":
        lines += [f"{one} = _single({one})" for one in names.values()]
    if spelling.leads:
        dims = [lead + 2 for lead in spelling.leads]
        lines.append(f"if np.ndim({names[tokens[0]]}) not in {tuple(dims)}:\n        raise ValueError('axes')")
    turn = {"d-T": "np.swapaxes({0}, -1, -2)", "T-B-d": "np.swapaxes({0}, 0, 1)", "B-T-h-d": "np.swapaxes({0}, 1, 2)"}
    if spelling.tokens:
        lines += [f"{names[one]} = {turn[spelling.tokens].format(names[one])}" for one in tokens]
    ours = {"blocked": "~{0}", "ones": "({0} > 0.5)", "additive": "({0} > -1)"}
    masks = [name for name in names if name in ("mask", "memory_mask")]
    if spelling.mask in ours:
        lines += [
            f"{names[one]} = None if {names[one]} is None else {ours[spelling.mask].format(names[one])}"
            for one in masks
        ]
    given = ", ".join(f"{name}={spelled}" for name, spelled in names.items())
    if role.name == "dropout":
        given += ", rng=np.random.default_rng()"
    lines.append(f"result = _{role.name}({given})")
    if spelling.tokens:
        form = turn[spelling.tokens]
        two = len(role.parts) > 1
        lines.append(
            f"result = ({form.format('result[0]')}, result[1])" if two else f"result = {form.format('result')}"
        )
    if role.makes_mask and spelling.mask:
        theirs = {"blocked": "~result", "ones": "result.astype(int)", "additive": "np.where(result, 0.0, -np.inf)"}
        lines.append(f"result = {theirs[spelling.mask]}")
    forms = {
        "first": "result[0]",
        "weights first": "result[::-1]",
        "dict": "{'output': result[0], 'weights': result[1]}",
    }
    if spelling.form:
        lines.append(f"result = {forms[spelling.form]}")
    if spelling.cast == "lists":
        lines.append("result = [one.tolist() for one in result] if isinstance(result, tuple) else result.tolist()")
    return [*lines, "return result"]


def wrapped(fault: Fault, spelling: Spelling, where: str = "") -> str:
    """A file in which only the wrapper has a public name."""
    role = BY_NAME[where or fault.home]
    hidden = fault.text
    for name in HEAD.findall(hidden):
        hidden = re.sub(rf"\b{name}(?=\()", f"_{name}", hidden)
    left_out = {"eps", "rng", "pad"} | ({"mask", "memory_mask"} if spelling.mask == "none" else set())
    arguments = [name for name in role.parameters if name not in left_out or (name == "eps" and spelling.names == 0)]
    names = {name: parameter(role, name, spelling, place) for place, name in enumerate(arguments)}
    kept = frozenset({"gain", "bias", "b_in", "b_out", "positions", "training", "height", "width", "Tk"})
    optional = [name for name in arguments if name in role.optional - kept]
    if role.name == "causal_mask":
        optional = ["Tk"]
    needed = [name for name in arguments if name not in optional]
    order = needed[::-1] if spelling.order == "back" else needed
    head = [names[one] for one in order] + [
        f"{names[one]}=None" if one != "eps" else f"{names[one]}=1e-5" for one in optional
    ]
    if spelling.order == "key":
        head.insert(0, "*")
    public = "f" if spelling.public < 0 else role.names[min(spelling.public, len(role.names) - 1)]
    lines = body(role, spelling, names, optional)
    function = f"def _work({', '.join(head)}):\n" + "".join(f"    {line}\n" for line in lines)
    first = [part for part in head if part != "*"]
    given = [part.partition("=")[0] for part in first]
    passed = ", ".join(f"{one}={one}" if spelling.order == "key" else one for one in given)
    taken = ", ".join(head)
    inside = f"        return _work({passed})\n"
    title = "".join(part.capitalize() for part in public.split("_"))
    holders = {
        "": function.replace("def _work", f"def {public}"),
        "class": f"{function}\n\nclass {title}:\n    @staticmethod\n    def forward({taken}):\n{inside}",
        "callable": f"{function}\n\nclass {title}:\n    def __call__(self, {taken}):\n{inside}",
        "lambda": f"{function}\n\n{public} = lambda {taken}: _work({passed})\n",
        "partial": function.replace("def _work(", "def _work(_unused, ")
        + f"\n\n{public} = _functools.partial(_work, 0)\n",
    }
    return f"{hidden}{PRELUDE}\n\n{holders[spelling.holder]}"
