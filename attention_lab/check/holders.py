"""Classes: what to make an instance of, and what its method is then called with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from attention_lab.check.names import SETTINGS, plain, sized_by_words
from attention_lab.check.plans import (
    Blank,
    EverySize,
    Fixed,
    Part,
    Plan,
    Settings,
    Source,
    bindings,
    by_name,
    causal_again,
)
from attention_lab.check.references import LAYERS
from attention_lab.check.restrictions import WEIGHT_OF, WEIGHTED, cuts_for
from attention_lab.check.roles import Role, meant
from attention_lab.check.weight_paths import Found
from attention_lab.sandbox.frames import FILE_CONSTANTS

if TYPE_CHECKING:
    from attention_lab.sandbox.records import Definition

Make = tuple[tuple[str, Source], ...]

NEEDED = {
    "layer_norm": ("d_model",),
    "feed_forward": ("d_model", "d_ff"),
    "multi_head": ("d_model", "h"),
    "encoder_layer": ("d_model", "h", "d_ff"),
    "decoder_layer": ("d_model", "h", "d_ff"),
    "pre_norm_block": ("d_model", "h", "d_ff"),
    "sinusoidal_positions": ("d_model", "T"),
}
ONE_OBJECT = re.compile(r"(.*(config|cfg|conf|args|hparams|settings|options)|params|opts?|hp|c)")
PARTS = {  # what a parameter is called that takes a part of a layer, ready made
    "multi_head": r"(self|src|cross|multi|mem|enc|dec|heads?)*(att|attn|attention|mha)(layer|block)?",
    "feed_forward": r"(positionwise|pos)?(feedforward|ffn|ff|mlp)(layer|net|block)?",
    "layer_norm": r"(layer)?(norm|ln)\d?",
}
GUESSED = {  # what a setting is that no size is, by a word in its name
    r"drop|prob|rate": 0.0,
    r"bias": True,
    r"layers?$|depth": 1,
    r"vocab|classes|tokens": 11,
    r"expan|mult|ratio": 4,
    r"^is|^use|^has|flash|causal": False,
    r"act": "relu",
    r"device": "cpu",
}


@dataclass(frozen=True)
class Holder:
    """A class and the method in which it does its work; `kinds` are all classes of the file."""

    kind: Definition
    method: Definition
    kinds: tuple[Definition, ...] = ()


def guessed(name: str) -> Fixed:
    """What a setting is given of which only the name is known."""
    bare = plain(name)
    return Fixed(next((value for words, value in GUESSED.items() if re.search(words, bare)), None))


def size_for(name: str, role: Role, given: set[str]) -> str | None:
    """The size that a parameter of a constructor takes; a second width of tokens is that of the hidden layer."""
    size = sized_by_words(name)
    needed = NEEDED.get(role.name, ())
    if size == "d_ff" and needed and size not in needed and "d_model" not in given:
        return "d_model"
    if size == "d_model" and size in given and "d_ff" in needed and "d_ff" not in given:
        return "d_ff"
    return size


def named_sizes(names: list[str], role: Role) -> dict[str, str]:
    """The sizes that parameters take; a name that is of one size for sure chooses before one that may be of another."""
    found: dict[str, str] = {}
    sure = {size for name in names if (size := sized_by_words(name))}
    for name in names:
        again = {*found.values()} | (sure - {sized_by_words(name)})
        size = size_for(name, role, again)
        if size is not None:
            found[name] = size
    hidden = [name for name, size in found.items() if size == "d_ff"]
    return found | {hidden[0]: "d_model"} if len(hidden) > 1 and "d_model" not in found.values() else found


def settings(kinds: tuple[Definition, ...], role: Role) -> Settings:
    """One object with all sizes: of the class of the file that is there for it, else of none."""
    for kind in kinds:
        fields = [one.name for one in kind.parameters if one.kind in ("positional", "keyword")]
        sizes = named_sizes(fields, role)
        if ONE_OBJECT.fullmatch(plain(kind.name)) and "d_model" in sizes.values():
            must = {one.name: guessed(one.name) for one in kind.parameters if one.name in fields and not one.default}
            drops = {name: Fixed(0.0) for name in fields if "drop" in plain(name)}
            return Settings(kind.name, tuple((must | drops | sizes).items()))
    return Settings("", ())


def part(name: str, holder: Holder, role: Role) -> Part | None:
    """An instance of the class of the file that a parameter of a layer's constructor, by its name, is to be given."""
    wanted = next((one for one, words in PARTS.items() if re.fullmatch(words, plain(name))), None)
    others = (kind for kind in holder.kinds if kind.name != holder.kind.name)
    kind = next((one for one in others if wanted in [known.name for known in meant(one.name)]), None)
    if role.name not in LAYERS or kind is None:
        return None
    return Part(kind.name, made(Holder(kind, holder.method), role))


def made(holder: Holder, role: Role) -> Make:
    """What the constructor is given: sizes by name, what is needed and has no name that says so, else a guess."""
    kind = holder.kind
    usable = [one for one in kind.parameters if one.kind in ("positional", "keyword")]
    sizes = named_sizes([one.name for one in usable], role)
    found: dict[str, Source] = {FILE_CONSTANTS: EverySize()}
    for one in usable:
        bare = plain(one.name)
        needed = [name for name in NEEDED.get(role.name, ()) if name not in (*found.values(), *sizes.values())]
        built = None if one.default else part(one.name, holder, role)
        if built is not None:
            found[one.name] = built
        elif one.name in sizes:
            found[one.name] = sizes[one.name]
        elif "eps" in bare and "eps" in role.parameters:
            found[one.name] = "eps"
        elif "drop" in bare or (bare in SETTINGS and not one.default and "bias" not in bare):
            found[one.name] = Fixed(SETTINGS.get(bare, 0.0))
        elif one.default:
            continue
        elif ONE_OBJECT.fullmatch(bare):
            found[one.name] = settings(holder.kinds, role)
        elif bare == "temperature":
            found[one.name] = "root of d_k"
        elif needed and guessed(one.name).value is None:
            found[one.name] = needed[0]
        else:
            found[one.name] = guessed(one.name)
    return tuple(found.items())


def sizes_given(make: Make) -> frozenset[str]:
    """The sizes that an instance is told, one by one or in one object."""
    objects = [source.fields for _, source in make if isinstance(source, Settings)]
    parts = [source.make for _, source in make if isinstance(source, Part)]
    told = [source for fields in (make, *objects, *parts) for _, source in fields]
    everything = any(isinstance(source, Settings) and not source.kind for _, source in make)
    return frozenset(source for source in told if isinstance(source, str)) | ({"h"} if everything else set())


def without(role: Role, held: Set[str]) -> Role:
    """The role as its method sees it: what the instance holds is no argument."""
    return replace(role, parameters={name: names for name, names in role.parameters.items() if name not in held})


def held_plans(holder: Holder, role: Role, make: Make, found: Found, heads: bool) -> Iterator[Plan]:
    """Plans for the method of an instance that holds these weights; `heads` where it knows how many."""
    held = {name.partition(".")[0] for name in found.weights} | ({"h"} if heads else set())
    held |= {"eps"} & sizes_given(make)
    for plan in bindings(holder.method, without(role, held | WEIGHT_OF.keys()), partly=True):
        cuts = cuts_for(plan.takes | held, role)
        if cuts is not None:
            whole = replace(plan, make=make, attributes=found.places, cuts=tuple(dict.fromkeys((*cuts, *plan.cuts))))
            yield from causal_again(whole)


def fields_plans(holder: Holder, role: Role) -> Iterator[Plan]:
    """Plans for an instance that is made of its weights: the fields of a dataclass, the parameters of a constructor."""
    fields = [one.name for one in holder.kind.parameters if one.kind in ("positional", "keyword")]
    must = {one.name for one in holder.kind.parameters if one.name in fields and not one.default}
    known = by_name(fields, role, letters=True)
    if not must <= known.keys() or not any(name in WEIGHTED or name == "gain" for name in known.values()):
        return
    held = frozenset(known.values())
    for plan in bindings(holder.method, without(role, held), partly=True):
        cuts = cuts_for(plan.takes | held, role)
        if cuts is not None:
            make: Make = tuple(known.items())
            yield from causal_again(replace(plan, make=make, cuts=tuple(dict.fromkeys((*cuts, *plan.cuts)))))


def table_plans(holder: Holder, make: Make) -> Iterator[Plan]:
    """Plans for the method of an instance that adds positions to tokens, or hands them out: it is given zeros."""
    free = [one.name for one in holder.method.parameters if one.kind == "positional" and not one.default]
    shapes = (Blank(("", "T", "d_model")), Blank(("T", "", "d_model")), Blank(("T", "d_model")), Blank(("", "T"), True))
    for blank in shapes if len(free) == 1 else ():
        yield Plan(holder.method.name, (blank,), make=make)
    if not free:
        yield Plan(holder.method.name, (), make=make)
