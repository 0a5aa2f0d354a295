"""A copy of the checkout, and the two ways to install it, each in a virtual environment of its own.

Nothing is asked of an index: what the package depends on, and what builds it, is lent by the running interpreter.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent
# what git ignores, and what no installation needs
NOT_COPIED = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__", "tests")


@dataclass(frozen=True)
class Environment:
    """A virtual environment into which the package is installed."""

    home: Path

    def program(self, name: str) -> Path:
        """A program of this environment: python, attn-lab."""
        return Path(sysconfig.get_path("scripts", "venv", {"base": str(self.home)})) / name

    def run(self, *words: str, cwd: Path, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment in a folder, with these variables and no PYTHONPATH but one among them."""
        others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [str(self.program(words[0])), *words[1:]]
        return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=others | variables, input=typed)


def copy_checkout(folder: Path) -> Path:
    """Copy all that belongs to a checkout, without its tests, into a new folder."""
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    return folder


def install(checkout: Path, home: Path, *options: str) -> Environment:
    """`pip install [options] .` in a checkout, with the pip of the running interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    environment = Environment(home)
    pip = [sys.executable, "-m", "pip", "--isolated", "--python", str(environment.program("python")), "install"]
    offline = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-compile"]
    done = subprocess.run([*pip, *offline, *options, "."], cwd=checkout, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return environment


@dataclass(frozen=True)
class Installations:
    """The copy of the checkout and what is made of it, each part when it is first asked for."""

    folder: Path

    @cached_property
    def checkout(self) -> Path:
        """A copy of this checkout."""
        return copy_checkout(self.folder / "checkout")

    @cached_property
    def second(self) -> Path:
        """Another checkout, whose scaling demo was edited."""
        second = copy_checkout(self.folder / "second")
        with (second / "demos" / "scaling.py").open("a", encoding="utf-8") as stream:
            stream.write("# edited\n")
        return second

    @cached_property
    def usual(self) -> Environment:
        """An environment after `pip install .`, as the README says."""
        return install(self.checkout, self.folder / "usual")

    @cached_property
    def editable(self) -> Environment:
        """An environment after `pip install -e .`."""
        return install(self.checkout, self.folder / "editable", "--editable")

    @cached_property
    def dist(self) -> Path:
        """The folder with the sdist, and the wheel built from it."""
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(self.folder / "dist")]
        done = subprocess.run([*build, str(self.checkout)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return self.folder / "dist"
