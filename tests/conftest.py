from __future__ import annotations

import io
import os
import sys

import pytest
from fixtures import Run
from hypothesis import settings
from installations import Installations
from surroundings import set_default_locale, set_default_signals, set_default_variables, set_home

# The same examples in every run and no database on disk: a failure seen once is seen again, and nothing is left behind.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Make the surroundings the same on every machine, once pytest knows how the user wants its own report."""
    set_default_variables(os.environ)
    set_default_locale()
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        set_default_signals()  # the process that only hands out tests stays as its user started it


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A home that is as empty on every machine, for tests and all that they start."""
    set_home(os.environ, tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def installations(tmp_path_factory: pytest.TempPathFactory) -> Installations:
    """A copy of the checkout and environments in which it is installed, made when they are asked for."""
    return Installations(tmp_path_factory.mktemp("installations"))


@pytest.fixture
def attn_lab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, these lines typed: exit code, standard output, standard error."""
    from attention_lab.cli import main

    def run(*words: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as left:
            main(words)
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run
