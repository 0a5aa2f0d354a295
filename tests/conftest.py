from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from fixtures import Run
from hypothesis import settings
from installations import Installations
from shared_training import keep_results
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


# Fixtures that take seconds, so that each test that needs one of them may be the one that waits for it.
SLOW_FIXTURES = {"shared_training", "installations", "weak", "good"}
PATIENCE = 600  # seconds for a slow test, on a machine that does much else


def beyond_samples(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests that are not among the n of their function, taken evenly, of which its mark `sample(n)` speaks."""
    functions: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sample"):
            functions.setdefault((item.path, getattr(item, "originalname", item.name)), []).append(item)
    for tests in functions.values():
        mark = tests[0].get_closest_marker("sample")
        count = min(mark.args[0], len(tests)) if mark else 0
        chosen = {place * len(tests) // count for place in range(count)}
        yield from (test for place, test in enumerate(tests) if place not in chosen)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow what a sample leaves out or a slow fixture holds up, and give slow tests more time than others."""
    for item in beyond_samples(items):
        item.add_marker(pytest.mark.slow)
    for item in items:
        if SLOW_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(PATIENCE))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Half as many processes again as there are cores: many tests wait for a time limit, or for a process to end."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of one run of the tests share."""
    in_worker = "PYTEST_XDIST_WORKER" in os.environ
    folder = tmp_path_factory.getbasetemp().parent if in_worker else tmp_path_factory.getbasetemp()
    (folder / "shared").mkdir(exist_ok=True)
    return folder / "shared"


@pytest.fixture(scope="session")
def shared_training(run_folder: Path) -> Callable[[], AbstractContextManager[None]]:
    """While this is entered, what the demos train has been trained once in a run of the tests."""

    @contextmanager
    def share() -> Iterator[None]:
        from attention_lab.demos import consequences, depth

        train = keep_results(
            depth.train_model, lambda text, name, task, config, _: (text, name, task.name, config), run_folder
        )
        together = keep_results(consequences.train_lanes, lambda lanes, _: lanes, run_folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(depth, "train_model", train)
            patch.setattr(consequences, "train_lanes", together)
            yield

    return share


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
