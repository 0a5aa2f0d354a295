"""Definitions of a learner's file, read inside the process that runs it: functions, classes and their methods."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

MODULE_NAME = "submission"  # of the module: `if __name__ == "__main__"` does not run
KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_POSITIONAL: "rest",
    inspect.Parameter.VAR_KEYWORD: "rest-keyword",
}
Dump = dict[str, Any]


def parameter_records(function: Any) -> list[Dump] | None:
    """Name, kind and default of each parameter; None without a signature. A __signature__ may raise anything."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        if "__signature__" in {*vars(type(function)), *getattr(function, "__dict__", ())}:
            raise
        return None
    return [
        {"name": one.name, "kind": KINDS[one.kind], "default": one.default is not one.empty}
        for one in signature.parameters.values()
    ]


def definition_lines(tree: ast.Module) -> dict[str, int]:
    """The line on which each name of the file, and each method of its classes, is defined; the last where several."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            lines[node.name] = node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            lines.setdefault(node.id, node.lineno)
        if isinstance(node, ast.ClassDef):
            lines |= {
                f"{node.name}.{part.name}": part.lineno for part in node.body if isinstance(part, ast.FunctionDef)
            }
    return lines


def own_methods(kind: type) -> dict[str, Any]:
    """The methods that the classes of the file define for this one; those of a library's base class are not its own."""
    own = [base for base in reversed(kind.__mro__) if base.__module__ == MODULE_NAME]
    found = {name: value for base in own for name, value in vars(base).items()}
    callables = {
        name: value for name, value in found.items() if isinstance(value, (FunctionType, staticmethod, classmethod))
    }
    return {name: value for name, value in callables.items() if name == "__call__" or not name.startswith("_")}


def definition_records(name: str, kind: str, function: Any, line: int, bound: bool = False) -> list[Dump]:
    """Record of one definition, in a list; an empty list where its parameters are unknown."""
    parameters = parameter_records(function)
    if parameters is None:
        return []
    return [{"name": name, "kind": kind, "parameters": parameters[1:] if bound else parameters, "line": line}]


def defined_name(statement: ast.stmt) -> str:
    """The name of the function or class that a statement defines; "" where it defines none."""
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return statement.name if isinstance(statement, named) else ""


def split_imports(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, with `import a, b` split in two: a missing module does not take another one along."""
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (ast.copy_location(ast.Import([alias]), statement) for alias in statement.names)
        else:
            yield statement


def imported_packages(tree: ast.Module) -> list[str]:
    """The top-level packages that the file imports anywhere."""
    whole = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    parts = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
    return sorted({name.partition(".")[0] for name in whole | parts})


def definitions_of(name: str, value: Any, lines: dict[str, int]) -> list[Dump]:
    """Records of one name of the file: a function, or a class and its methods."""
    own = getattr(value, "__module__", None) == MODULE_NAME or type(value).__module__ == "functools"
    if name.startswith("_") or not callable(value) or not (own or name in lines):
        return []
    if not isinstance(value, type):
        return definition_records(name, "function", value, lines.get(name, 0))
    if not own:
        return []
    found = definition_records(name, "class", value, lines.get(name, 0))
    for method, raw in own_methods(value).items():
        full = f"{name}.{method}"
        line = lines.get(full, lines.get(name, 0))
        kind = "static" if isinstance(raw, (staticmethod, classmethod)) else "method"
        found += definition_records(full, kind, getattr(raw, "__func__", raw), line, not isinstance(raw, staticmethod))
    return found
