"""One meaning a name: names defined in many packages, and vague variables that live long, are counted and dwindle."""

from __future__ import annotations

import ast
import math
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("attention_lab/**/*.py"), *ROOT.glob("demos/*.py")])

# Names that more than two packages define, and how many do. Take a name out, or lower its number; never add one
# whose meanings differ.
SHARED = {
    "symptoms": 3,
}

# Variables named one, it, found or shown that live for more than three lines, by package. Lower the numbers.
VAGUE = ("one", "it", "found", "shown")
LONG_LIVED = {
    "check": 80,
    "claims": 1,
    "commands": 3,
    "demos": 12,
    "show": 2,
}


@cache
def trees() -> dict[Path, ast.Module]:
    """What each source file is parsed to."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = Function | Comprehension


def package(path: Path) -> str:
    return path.relative_to(ROOT).parts[-2]


def defined(tree: ast.Module) -> set[str]:
    """Names of the public functions and classes at the top level of a module."""
    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {node.name for node in nodes if not node.name.startswith("_")}


def shared_names(trees: dict[Path, ast.Module]) -> dict[str, int]:
    """Names that more than two packages define, with the number of packages."""
    pairs = {(name, package(path)) for path, tree in trees.items() for name in defined(tree)}
    counts = Counter(name for name, _ in pairs)
    return {name: count for name, count in sorted(counts.items()) if count > 2}


def binds(node: ast.AST, name: str) -> bool:
    """Whether a node is a function or a comprehension with a variable of its own called `name`."""
    return isinstance(node, Scope) and any(bound for _, bound in uses(node, name))


@cache
def uses(scope: ast.AST, name: str) -> list[tuple[int, bool]]:
    """Lines with the scope's own variable called `name`, and whether it is bound there."""
    lines = []
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.Name) and node.id == name:
            lines.append((node.lineno, isinstance(node.ctx, ast.Store)))
        if isinstance(node, ast.arg) and node.arg == name:
            lines.append((node.lineno, True))
        if not binds(node, name):
            lines.extend(uses(node, name))
    return sorted(lines)


def lives(scope: ast.AST, name: str) -> list[int]:
    """Lines from each binding of a variable to its last use before the next binding."""
    lines = [line for line, _ in uses(scope, name)]
    if isinstance(scope, Comprehension):  # where a use may stand above the binding
        return [lines[-1] - lines[0] + 1]
    starts = [line for line, bound in uses(scope, name) if bound]
    ends = [max(line for line in lines if line < after) for after in [*starts[1:], math.inf]]
    return [end - start + 1 for start, end in zip(starts, ends, strict=True)]


def long_lived(tree: ast.Module) -> int:
    """Bindings of a vague name that live for more than three lines."""
    scopes = [node for node in ast.walk(tree) if isinstance(node, Scope | ast.Module)]
    owners = [(scope, name) for name in VAGUE for scope in scopes if any(bound for _, bound in uses(scope, name))]
    return sum(life > 3 for scope, name in owners for life in lives(scope, name))


def long_lived_variables(trees: dict[Path, ast.Module]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for path, tree in trees.items():
        counts[package(path)] += long_lived(tree)
    return {name: count for name, count in sorted(counts.items()) if count}


def test_a_name_has_one_meaning_across_packages():
    assert shared_names(trees()) == SHARED, "give a new function another name; lower the number of one that has gone"


@pytest.mark.slow
def test_a_vague_variable_lives_for_three_lines():
    assert long_lived_variables(trees()) == LONG_LIVED, "give a new variable a telling name; lower a number that fell"


def test_a_third_package_with_a_name_is_counted():
    trees = {ROOT / name / "file.py": ast.parse("def told(): ...") for name in ("check", "grade", "show")}
    assert shared_names(trees) == {"told": 3}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def f(one):\n    return one", 0),
        ("def f(one):\n    a = 1\n    b = 2\n    return one", 1),
        ("def f():\n    for one in a:\n        b()\n        c()\n        one()", 1),
        ("def f():\n    one = 1\n    one()\n\n    one = 2\n    one()", 0),
        ("def f():\n    one = 1\n\n\n    return [one for one in a]", 0),
        ("def f():\n    one = 1\n\n\n    return [one for a in b]", 1),
        ("a = [\n    one\n    for b in c\n    for d in e\n    for one in d\n]", 1),
        ("def f(it):\n    def g():\n        a()\n        it()", 1),
        ("def f(it):\n    def g(it):\n        a()\n        it()", 0),
    ],
)
def test_a_life_of_more_than_three_lines_is_counted(source: str, count: int):
    assert long_lived(ast.parse(source)) == count
