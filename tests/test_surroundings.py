"""The tests pass on anybody's machine: what a user has set or ignores does not reach what is tested."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from surroundings import set_default_variables, set_home

HERE = Path(__file__).parent
DEAF = """
import signal, subprocess, sys
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGINT})
sys.path.insert(0, sys.argv[1])
from surroundings import set_default_signals
if sys.argv[2] == "default":
    set_default_signals()
    signal.raise_signal(signal.SIGINT)
child = "import signal as s; print([s.getsignal(n).name for n in (s.SIGHUP, s.SIGTERM)], end=' '); "
child += "print(s.pthread_sigmask(s.SIG_BLOCK, ())); print(s.getsignal(s.SIGINT))"
subprocess.run([sys.executable, "-c", child])
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
@pytest.mark.parametrize("kind", ["default", "inherited"])
def test_what_ignores_or_blocks_signals_does_not_make_processes_deaf_that_tests_start(kind: str):
    done = subprocess.run([sys.executable, "-c", DEAF, str(HERE), kind], capture_output=True, text=True)
    assert done.stderr == ""
    default = ["['SIG_DFL', 'SIG_DFL'] set()", "<built-in function default_int_handler>"]
    assert (done.stdout.splitlines() == default) is (kind == "default"), done.stdout


def test_no_preference_of_the_user_reaches_what_is_tested(tmp_path: Path):
    environment = {"PATH": "here", "COLUMNS": "3", "FORCE_COLOR": "1", "LC_ALL": "tr_TR", "PYTHONWARNINGS": "error"}
    set_default_variables(environment)
    set_home(environment, tmp_path)
    assert environment["PATH"] == "here"
    assert environment["HOME"] == str(tmp_path)
    assert environment["LANG"] == "C.UTF-8"
    assert not environment.keys() & {"COLUMNS", "FORCE_COLOR", "LC_ALL", "PYTHONWARNINGS"}


def test_these_very_tests_run_in_such_surroundings():
    expected = dict(os.environ)
    set_default_variables(expected)
    assert dict(os.environ) == expected
    assert not list(Path.home().glob(".bash*"))


@pytest.mark.slow
def test_a_test_that_hangs_fails_and_the_others_go_on(tmp_path: Path):
    (tmp_path / "test_hang.py").write_text(
        "import time\ndef test_hangs():\n    time.sleep(99)\ndef test_goes_on():\n    pass\n"
    )
    words = ["-q", "-c", str(HERE.parent / "pyproject.toml"), "--rootdir", str(tmp_path), "-o", "timeout=1"]
    options = ["-p", "no:cacheprovider", "-n", "1", str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "pytest", *words, *options], capture_output=True, text=True)
    assert "Timeout" in done.stdout, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
