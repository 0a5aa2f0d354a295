"""Python code read as text, nothing of it run: functions and their text, bodies still to be written, names in use.

Whoever asks what is unwritten, where a function ends or which functions call which asks here.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import cache

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DefinitionNode = FunctionNode | ast.ClassDef

WORKING = ("forward", "__call__", "call", "apply", "attend")  # the method in which a class does its work


# ---- bodies that are still to be written ----


def not_implemented(error: ast.expr | None) -> bool:
    """True of `NotImplementedError` and `NotImplementedError(…)`."""
    kind = error.func if isinstance(error, ast.Call) else error
    return isinstance(kind, ast.Name) and kind.id == "NotImplementedError"


def is_placeholder(statement: ast.stmt) -> bool:
    """True of a statement that fills an empty body: a docstring, `...`, `pass`, `raise NotImplementedError`."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise):
        return not_implemented(statement.exc)
    return isinstance(statement, ast.Pass)


def keeps_nothing(method: FunctionNode) -> bool:
    """True of a constructor without arguments: `def __init__(self): pass` is complete."""
    return method.name == "__init__" and len(method.args.args) == 1


def is_unwritten(definition: DefinitionNode) -> bool:
    """True of a function without a body yet, and of a class in which such a method is needed, or is all there is."""
    if not isinstance(definition, ast.ClassDef):
        return all(map(is_placeholder, definition.body))
    methods = {part.name: part for part in definition.body if isinstance(part, FunctionNode)}
    empty = {name for name, method in methods.items() if is_unwritten(method) and not keeps_nothing(method)}
    needed = {node.attr for node in ast.walk(definition) if isinstance(node, ast.Attribute)} | {"__init__", *WORKING}
    return bool(empty) and (bool(empty & needed) or empty == methods.keys())


# ---- the definitions of a file ----


def definitions_in(tree: ast.Module) -> dict[str, DefinitionNode]:
    """The functions and classes of a file by name; of several with one name the last, which is the one that counts."""
    return {node.name: node for node in tree.body if isinstance(node, DefinitionNode)}


def functions_in(tree: ast.Module) -> dict[str, FunctionNode]:
    """The functions of a file by name."""
    return {name: node for name, node in definitions_in(tree).items() if isinstance(node, FunctionNode)}


def unwritten_functions(tree: ast.Module) -> tuple[str, ...]:
    """The names of the functions that are still to be written."""
    return tuple(name for name, function in functions_in(tree).items() if is_unwritten(function))


def without_functions(tree: ast.Module, names: Collection[str]) -> ast.Module:
    """The file without its functions of these names."""
    kept = [node for node in tree.body if not (isinstance(node, FunctionNode) and node.name in names)]
    return ast.Module(kept, tree.type_ignores)


@cache
def function_texts(text: str) -> dict[str, str]:
    """The text of every function of a file, by name, decorators left out."""
    lines = text.splitlines(keepends=True)
    return {
        name: "".join(lines[function.lineno - 1 : function.end_lineno])
        for name, function in functions_in(ast.parse(text)).items()
    }


def skeleton(text: str) -> str:
    """A file whose functions are still to be written: their signatures with the comments there, and `...` as bodies."""
    lines = text.splitlines(keepends=True)
    for function in reversed(functions_in(ast.parse(text)).values()):
        lines[function.body[0].lineno - 1 : function.end_lineno] = ["    ...\n"]
    return "".join(lines)


# ---- names in use ----


def names_in(node: ast.AST) -> Iterator[str]:
    """Every name that a piece of code mentions."""
    return (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def calls_in(definitions: Mapping[str, ast.AST]) -> dict[str, frozenset[str]]:
    """For each definition the others that it mentions: by the text, without what is only called at run time."""
    return {name: frozenset(names_in(node)) & definitions.keys() for name, node in definitions.items()}


def reachable(name: str, calls: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """All that a definition calls, directly or through others; itself only where it calls itself."""
    reached: set[str] = set()
    left = [name]
    while left:
        new = calls[left.pop()] - reached
        reached |= new
        left += new
    return frozenset(reached)
