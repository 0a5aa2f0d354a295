"""The page on the architecture says what is so: its picture shows the imports, its tables the rules and the routes."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
STEPS = re.findall(r"^\| `([\w/]+\.py)` \| `(\w+)` \|", PAGE, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def drawing() -> Iterator[ModuleType]:
    """The script that draws the picture, as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        patch.syspath_prepend(ROOT / "docs")
        import draw_architecture

        yield draw_architecture
    del sys.modules["draw_architecture"]


@pytest.fixture(scope="module")
def pairs(drawing: ModuleType) -> set[tuple[str, str]]:
    """Every import between two parts of the package."""
    return drawing.imports()


def test_the_picture_shows_the_imports(drawing: ModuleType, pairs: set[tuple[str, str]]):
    kept = drawing.PICTURE.read_text(encoding="utf-8")
    assert kept == drawing.picture(pairs), "run python docs/draw_architecture.py"


def test_a_new_import_makes_another_picture(drawing: ModuleType, pairs: set[tuple[str, str]]):
    more = drawing.picture(pairs | {("vitals", "show")})
    assert "vitals imports from show" in more
    assert more.count(drawing.UPWARD) == drawing.picture(pairs).count(drawing.UPWARD) + 1


def test_every_layer_and_no_other_part_is_drawn(drawing: ModuleType, pairs: set[tuple[str, str]]):
    parts = {name for row in drawing.layers() for name in row}
    assert parts == drawing.PURPOSES.keys(), "PURPOSES in docs/draw_architecture.py says what each part is for"
    assert {name for pair in pairs for name in pair} <= parts
    assert all(len(purpose) <= 35 for purpose in drawing.PURPOSES.values())


def test_the_exceptions_are_listed(drawing: ModuleType, pairs: set[tuple[str, str]]):
    listed = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE, flags=re.MULTILINE)
    assert set(listed) == drawing.upward(pairs)


def test_the_rules_are_those_of_the_contracts():
    rules = re.search(r"\| rule \| why \|\n\|---\|---\|\n(.*?)\n\n", PAGE, flags=re.DOTALL)
    assert rules is not None
    names = [line.split("|")[1].strip() for line in rules.group(1).splitlines()]
    assert names == [contract["name"] for contract in CONTRACTS]


def test_there_are_five_routes():
    assert PAGE.count("\n### ") == 5
    assert len(STEPS) > 15


@pytest.mark.parametrize(("file", "name"), STEPS)
def test_a_step_of_a_route_exists(file: str, name: str):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
