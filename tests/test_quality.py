"""Lint, format, types and layers, run with the tests; and what no tool looks at: what is loaded for which command."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tool(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize(
    "words",
    [
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--no-cache", "--check", "."),
        pytest.param(("mypy", "--cache-dir", "/dev/null", "attention_lab", "demos"), marks=pytest.mark.slow),
    ],
    ids=["lint", "format", "types"],
)
def test_tools_are_content(words: tuple[str, ...]):
    done = tool(*words)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- layers: the contracts of import-linter in pyproject.toml ----


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    words = [sys.executable, "-c", code, "--no-cache", "--no-logo"]
    return subprocess.run(words, capture_output=True, text=True, cwd=folder)


def test_imports_keep_the_contracts():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def copy_of_the_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts")
    for name in ("attention_lab", "demos"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


BAD_IMPORTS = {  # contract: a file, and an import that breaks this contract there
    "Each layer imports only from those below it": ("attention_lab/vitals/block.py", "attention_lab.breaks"),
    "No two modules of a package import each other": ("attention_lab/vitals/record.py", "attention_lab.vitals.block"),
    "Demos know no command and no view": ("demos/rope.py", "attention_lab.show.theme"),
    "Only views know rich": ("attention_lab/variants.py", "rich.table"),
    "Only the command line knows Typer": ("attention_lab/show/tables.py", "typer"),
    "Views neither compute nor know the model": ("attention_lab/show/tables.py", "numpy"),
}


def test_each_contract_is_shown_able_to_fail():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]} == BAD_IMPORTS.keys()


@pytest.mark.sample(1)
@pytest.mark.parametrize("contract", BAD_IMPORTS)
def test_a_bad_import_breaks_its_contract(copy_of_the_sources: Path, contract: str):
    name, module = BAD_IMPORTS[contract]
    path = copy_of_the_sources / name
    source = path.read_text(encoding="utf-8")
    path.write_text(f"{source}\n\ndef late() -> None:\n    import {module}\n", encoding="utf-8")
    try:
        done = lint_imports(copy_of_the_sources)
    finally:
        path.write_text(source, encoding="utf-8")
    assert done.returncode == 1
    assert f"{contract} BROKEN" in " ".join(done.stdout.split())


def test_a_package_without_a_layer_breaks_the_contract(copy_of_the_sources: Path):
    package = copy_of_the_sources / "attention_lab" / "annex"
    package.mkdir()
    (package / "__init__.py").touch()
    try:
        done = lint_imports(copy_of_the_sources)
    finally:
        shutil.rmtree(package)
    assert done.returncode == 1
    assert "attention_lab.annex" in done.stdout


# ---- what a contract cannot say ----


def imported(source: str) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


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
