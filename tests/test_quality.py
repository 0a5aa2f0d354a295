"""Lint, format and types, run with the tests; and the lints that no tool has: who may know rich, what loads when."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("attention_lab/**/*.py"), *ROOT.glob("demos/**/*.py")])


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize(
    "words",
    [
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--no-cache", "--check", "."),
        ("mypy", "--cache-dir", "/dev/null", "attention_lab", "demos"),
    ],
    ids=["lint", "format", "types"],
)
def test_tools_are_content(words: tuple[str, ...]):
    done = tool(*words)
    assert done.returncode == 0, done.stdout + done.stderr


def imported(source: str) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def knows(source: str, *packages: str) -> set[str]:
    return {name for name in imported(source) if name.split(".")[0] in packages}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_views_and_the_command_know_rich_and_typer(path: Path):
    if path.parent.name == "show" or path.name == "cli.py":
        return
    assert not knows(path.read_text(encoding="utf-8"), "rich", "typer")


def test_that_lint_can_fail():
    assert knows("def f():\n    from rich.table import Table\n", "rich", "typer") == {"rich.table"}


def test_views_do_not_know_typer_nor_the_model():
    for path in ROOT.glob("attention_lab/show/*.py"):
        names = imported(path.read_text(encoding="utf-8"))
        assert not {name for name in names if name.startswith(("typer", "numpy", "attention_lab.transformer"))}, path


def test_the_model_knows_only_numpy():
    assert imported((ROOT / "attention_lab/transformer.py").read_text(encoding="utf-8")) == {"numpy"}


def loaded_by(code: str) -> set[str]:
    """The packages that a new interpreter has imported after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", code + "\nimport sys; print('\\nLOADED', *sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
    )
    return {name.split(".")[0] for name in done.stderr.rpartition("LOADED")[2].split()}


def command(*words: str) -> str:
    return f"from attention_lab.cli import main\ntry:\n    main({list(words)!r})\nexcept SystemExit:\n    pass"


@pytest.mark.parametrize("words", [(), ("--help",), ("--version",), ("demo", "--help"), ("nonsense",)])
def test_nothing_heavy_is_loaded_to_answer_a_question(words: tuple[str, ...]):
    assert not loaded_by(command(*words)) & {"numpy", "autograd", "pydantic", "rich"}


def test_a_demo_loads_neither_pydantic_nor_other_demos():
    loaded = loaded_by(command("demo", "scaling", "--plain"))
    assert "numpy" in loaded
    assert not loaded & {"autograd", "pydantic"}
