from __future__ import annotations

import io
import os
import sys

import pytest
from fixtures import Run
from hypothesis import settings

# Tests run in as many processes as there are cores; threads inside each would only fight. numpy is not loaded yet here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples in every run and no database on disk: a failure seen once is seen again, and nothing is left behind.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")


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
