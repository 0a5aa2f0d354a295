"""What is installed is what was written: the sdist, the wheel made of it, and a demo run from the wheel alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and the wheel from it, outside the checkout and without asking any index."""
    folder = tmp_path_factory.mktemp("packaging")
    left = shutil.ignore_patterns(".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, folder / "source", ignore=left)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist"), str(folder / "source")]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder / "dist"


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new virtual environment with the wheel in it; numpy, rich and typer are lent by the running one."""
    home = tmp_path_factory.mktemp("wheel") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    wheel = next(dist.glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home


def run(home: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = home / "bin" / words[0]
    return subprocess.run([str(program), *words[1:]], capture_output=True, text=True, cwd=cwd, env=clean)


def test_the_wheel_holds_the_demos_and_nothing_at_the_top_but_the_package(dist: Path):
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        names = archive.namelist()
    assert "attention_lab/demos/scaling.py" in names
    assert "attention_lab/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"attention_lab"}


def test_the_sdist_holds_what_a_packager_needs(dist: Path):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "demos/scaling.py", "attention_lab/transformer.py"} <= names


def test_a_demo_runs_from_the_wheel(installed: Path, tmp_path: Path):
    done = run(installed, "attn-lab", "demo", "scaling", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["demo"] == "scaling"


def test_what_runs_is_the_wheel_and_not_the_checkout(installed: Path, tmp_path: Path):
    where = "import attention_lab.demos.scaling as s; print(s.__file__)"
    done = run(installed, "python", "-c", where, cwd=tmp_path)
    assert str(installed) in done.stdout


def test_python_m_attention_lab_works(installed: Path, tmp_path: Path):
    done = run(installed, "python", "-m", "attention_lab", "--version", cwd=tmp_path)
    assert done.stdout.startswith("attention-lab ")
