"""What is installed is what was written, and works from the checkout's root as from elsewhere, under both installs."""

from __future__ import annotations

import json
import re
import shlex
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from installations import ROOT, Environment, Installations

STAND_IN = "attention_lab/demos/__init__.py"  # in a checkout: it loads demos/ in its place
README_PYTHON = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)

IMPORT_ALL = """
import importlib, pkgutil, sys
import attention_lab
for module in pkgutil.walk_packages(attention_lab.__path__, "attention_lab."):
    importlib.import_module(module.name)
for name, module in sorted(sys.modules.items()):
    if name.partition(".")[0] == "attention_lab":
        print(name, module.__file__, sep="\\t")
"""
BENCHMARKED = "import sys; sys.path.insert(1, 'benchmarks'); import startup; exec(startup.QUICK)"


@pytest.fixture(params=["usual", "editable"])
def environment(request: pytest.FixtureRequest, installations: Installations) -> Environment:
    chosen: Environment = getattr(installations, request.param)
    return chosen


# ---- what is in the archives ----


def files_of(checkout: Path) -> dict[str, bytes]:
    """Every file of the package by the name that it has once installed, and what is in it."""
    files = {}
    for folder in ("attention_lab", "demos"):
        for path in (checkout / folder).rglob("*"):
            name = path.relative_to(checkout).as_posix()
            if path.is_file() and "__pycache__" not in path.parts and name != STAND_IN:
                files[name if folder == "attention_lab" else f"attention_lab/{name}"] = path.read_bytes()
    return files


def packaged(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """Every file of a wheel but those about the wheel itself."""
    return {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_every_file_of_the_package_and_no_other(installations: Installations):
    with zipfile.ZipFile(next(installations.dist.glob("*.whl"))) as archive:
        wheel = packaged(archive)
    files = files_of(installations.checkout)
    assert wheel.keys() == files.keys()
    assert wheel == files


@pytest.mark.parametrize(
    "name", ["attention_lab/kill/__init__.py", "attention_lab/demos/lessons/d0.md", "attention_lab/py.typed"]
)
def test_packages_lessons_and_data_are_among_the_files_that_a_wheel_must_hold(name: str):
    assert name in files_of(ROOT)


def test_the_sdist_holds_what_a_packager_needs(installations: Installations):
    with tarfile.open(next(installations.dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "demos/scaling.py", "attention_lab/transformer.py"} <= names


# ---- what is imported from where ----


def module_name(path: str) -> str:
    """The name of the module in a file of the package."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(environment: Environment, cwd: Path, **variables: str) -> dict[str, Path]:
    """Every module of the package and its file, all imported by one interpreter in this folder."""
    done = environment.run("python", "-c", IMPORT_ALL, cwd=cwd, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    lines = (line.split("\t") for line in done.stdout.splitlines())
    return {name: Path(file) for name, file in lines}


def in_folder(modules: dict[str, Path], folder: Path) -> bool:
    """Whether every module of the package was imported, and all of them from this folder."""
    names = {module_name(name) for name in files_of(ROOT) if name.endswith(".py")}
    return modules.keys() == names and all(folder.resolve() in file.resolve().parents for file in modules.values())


def test_from_elsewhere_every_module_is_the_installed_one(installations: Installations, tmp_path: Path):
    assert in_folder(imported(installations.usual, tmp_path), installations.usual.home)
    assert in_folder(imported(installations.editable, tmp_path), installations.checkout)


def test_from_the_root_of_a_checkout_every_module_is_of_that_checkout(environment: Environment, installations):
    assert in_folder(imported(environment, installations.checkout), installations.checkout)


def test_from_a_checkout_on_the_path_every_module_is_of_that_checkout(environment, installations, tmp_path: Path):
    second = installations.second
    assert in_folder(imported(environment, tmp_path, PYTHONPATH=str(second)), second)


# ---- what people type ----


@pytest.mark.parametrize(
    "words",
    [
        ("attn-lab", "demo", "scaling", "--json"),
        ("python", "-m", "attention_lab", "demo", "scaling", "--json"),
        ("python", "-m", "attention_lab.demos.scaling", "--json"),
    ],
    ids=["attn-lab", "package", "module"],
)
def test_each_way_to_start_a_demo_works_in_the_root(environment, installations, words: tuple[str, ...]):
    done = environment.run(*words, cwd=installations.checkout)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["command"] == "attn-lab demo scaling"


def test_the_readmes_python_can_be_typed_in_the_root(environment: Environment, installations: Installations):
    done = environment.run("python", "-", cwd=installations.checkout, typed=README_PYTHON[-1])
    assert (done.returncode, done.stderr) == (0, "")
    assert "d_k" in done.stdout


def test_what_the_benchmark_of_the_start_runs_works_in_the_root(environment: Environment, installations):
    done = environment.run("python", "-c", BENCHMARKED, cwd=installations.checkout)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("edited", [False, True])
def test_a_demos_file_names_a_command_that_works_there(environment, installations: Installations, edited: bool):
    root = installations.second if edited else installations.checkout
    done = environment.run("python", "demos/scaling.py", "--json", cwd=root)
    command = json.loads(done.stdout)["command"]
    assert command == shlex.join(["attn-lab", "demo", str(root / "demos" / "scaling.py") if edited else "scaling"])
    again = environment.run(*shlex.split(command), "--json", cwd=root)
    assert again.stdout == done.stdout
