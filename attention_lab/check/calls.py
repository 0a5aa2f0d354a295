"""Which functions of a person's file call which, and which are still to be written: by the text, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from attention_lab.sandbox.submission import NO_CODE, parse_silently

WORKING = ("forward", "__call__", "call", "apply", "attend")  # the method in which a class does its work
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


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


def says_nothing(statement: ast.stmt) -> bool:
    """Whether a statement stands only where a body is to be: a docstring, `...`, `pass`, NotImplementedError."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise):
        return any(isinstance(one, ast.Name) and one.id == "NotImplementedError" for one in ast.walk(statement))
    return isinstance(statement, ast.Pass)


def makes_nothing(it: Definition) -> bool:
    """Whether it is the constructor of a class that keeps nothing: def __init__(self): pass."""
    return isinstance(it, ast.FunctionDef) and it.name == "__init__" and len(it.args.args) == 1


def is_unwritten(it: Definition) -> bool:
    """Whether the body of a function is still to be written, or of a class the methods that it needs."""
    if isinstance(it, ast.ClassDef):
        methods = {one.name: one for one in it.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
        used = {one.attr for one in ast.walk(it) if isinstance(one, ast.Attribute)} | {"__init__", *WORKING}
        empty = {name for name, one in methods.items() if is_unwritten(one) and not makes_nothing(one)}
        return bool(empty) and (bool(empty & used) or empty == methods.keys())
    return all(map(says_nothing, it.body))


def names_in(it: Definition) -> Iterator[str]:
    """Every name that a definition uses."""
    return (one.id for one in ast.walk(it) if isinstance(one, ast.Name))


def bases_of(it: Definition) -> list[ast.expr]:
    """What a class is derived from: the methods that a base leaves out are written there."""
    return it.bases if isinstance(it, ast.ClassDef) else []


def reached(name: str, direct: dict[str, frozenset[str]]) -> frozenset[str]:
    """All that a function calls, directly or through others; itself only where it calls itself."""
    found: set[str] = set()
    left = [name]
    while left:
        new = direct[left.pop()] - found
        found |= new
        left += new
    return frozenset(found)


def outline(text: str) -> Outline:
    """The outline of a file; an empty one of a text that is no Python."""
    try:
        tree = parse_silently(text)
    except NO_CODE:
        return Outline()
    defined = {it.name: it for it in tree.body if isinstance(it, Definition)}  # the last one of a name counts
    direct = {name: frozenset(names_in(it)) & defined.keys() for name, it in defined.items()}
    bases = {base.id for it in defined.values() for base in bases_of(it) if isinstance(base, ast.Name)}
    return Outline(
        {name: reached(name, direct) for name in defined},
        tuple(name for name, it in defined.items() if is_unwritten(it) and name not in bases),
    )
