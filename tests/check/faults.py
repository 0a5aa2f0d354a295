"""What is spelled in many ways: every break, harmless or not, every declared pair, and each function of the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from attention_lab.breaks import BREAKS
from attention_lab.breaks.pairs import PAIRS
from attention_lab.check.references import reached
from attention_lab.check.roles import ROLES
from attention_lab.source_text import function_texts
from attention_lab.variants import model_functions, model_source, source

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
    """One break, or a declared pair: its names, the patched model, and the role in which it is seen.

    Without a name it is the model itself.
    """

    names: tuple[str, ...]
    text: str
    home: str
    harmless: bool = False

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return "+".join(self.names) or f"nothing, {self.home}"


def changed(text: str) -> list[str]:
    """The functions of the model that a text changes."""
    ours = model_functions()
    return [name for name, body in function_texts(text).items() if ours.get(name) != body]


def home(name: str, text: str) -> str:
    """The role in which a break is seen: that of the function that it changes."""
    if name in HOMES:
        return HOMES[name]
    return next(one for one in changed(text) if one in BY_NAME)


def pair_reaches(role: str, text: str) -> bool:
    """Whether a role calls all that a text changes."""
    return set(changed(text)) <= reached(role)


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


def sound() -> Iterator[Fault]:
    """The functions of the model as they are."""
    return (Fault((), model_source(), role.name, harmless=True) for role in ROLES)
