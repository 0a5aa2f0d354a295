"""Which functions of a person's file call which, and which are still to be written: by the text, nothing is run."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from attention_lab.sandbox.submission import NO_CODE, parse_silently
from attention_lab.source_text import DefinitionNode, calls_in, definitions_in, is_unwritten, reachable


@dataclass(frozen=True)
class Outline:
    """The functions and classes of a file: what each one calls, through others too, and those without a body yet."""

    calls: dict[str, frozenset[str]] = field(default_factory=dict)
    unwritten: tuple[str, ...] = ()

    @property
    def waiting(self) -> dict[str, tuple[str, ...]]:
        """The functions that are written, but call some that are not, and which these are."""
        needed = {
            name: tuple(other for other in self.unwritten if other in called)
            for name, called in self.calls.items()
            if name not in self.unwritten
        }
        return {name: others for name, others in needed.items() if others}


def bases_of(definition: DefinitionNode) -> list[ast.expr]:
    """The bases of a class: the methods that a base leaves out are written in the classes derived from it."""
    return definition.bases if isinstance(definition, ast.ClassDef) else []


def outline(text: str) -> Outline:
    """The outline of a file; an empty one of a text that is no Python."""
    try:
        tree = parse_silently(text)
    except NO_CODE:
        return Outline()
    defined = definitions_in(tree)
    direct = calls_in(defined)
    bases = {base.id for node in defined.values() for base in bases_of(node) if isinstance(base, ast.Name)}
    return Outline(
        {name: reachable(name, direct) for name in defined},
        tuple(name for name, node in defined.items() if is_unwritten(node) and name not in bases),
    )
