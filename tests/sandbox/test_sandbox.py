from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_lab.check.calls import outline
from attention_lab.errors import BadInput, RunFailed
from attention_lab.sandbox import parent
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import (
    LEVELS,
    BadReply,
    Died,
    Limits,
    NotSealed,
    Parameter,
    Protection,
    Raised,
    TimedOut,
)
from attention_lab.sandbox.submission import LARGEST, LARGEST_NOTEBOOK
from attention_lab.text import spell_out_controls

FILE = """
import numpy as np
from numpy import exp
import functools

print("at the top")
answer = input("give a number")
undefined_name

def softmax(x, axis=-1):
    e = exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)

if True:
    def both(q, /, *rest, mask=None, **more):
        return q, [1, 2.5, None, "x"], {"mask": mask, "kind": type(q).__name__}

halved = lambda x: x / 2
third = functools.partial(both, 3)

class Head:
    def __init__(self, d, scale=1.0):
        self.W_q = np.random.randn(d, d)
        self.norm = Part(d)
        self.scale = scale
    def forward(self, x):
        return self.scale * (x @ self.W_q) + self.norm.bias
    def __call__(self, x):
        return self.forward(x)
    @staticmethod
    def twice(x):
        return 2 * x
    def _hidden(self):
        pass

class Part:
    def __init__(self, d):
        self.weight, self.bias = np.ones(d), np.zeros(d)

def fails(x):
    return softmax(np.ones((2, 3)) @ np.ones((2, 3)))

weights = np.eye(2)

if __name__ == "__main__":
    raise SystemExit("this part does not run")
"""


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("own") / "mine.py"
    file.write_text(FILE)
    with Child(file) as it:
        yield it


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.py"
    file.write_text(text)
    return file


def test_offers_are_the_file_s_own_in_its_order(child: Child) -> None:
    names = [definition.name for definition in child.definitions]
    assert names == [
        "softmax",
        "both",
        "halved",
        "third",
        "Head",
        "Head.forward",
        "Head.__call__",
        "Head.twice",
        "Part",
        "fails",
    ]
    both, head, forward = (
        next(one for one in child.definitions if one.name == name) for name in ("both", "Head", "Head.forward")
    )
    assert both.parameters == (
        Parameter("q", "positional", False),
        Parameter("rest", "rest", False),
        Parameter("mask", "keyword", True),
        Parameter("more", "rest-keyword", False),
    )
    assert [one.kind for one in child.definitions if "." in one.name] == ["method", "method", "static"]
    assert (head.kind, [one.name for one in head.parameters]) == ("class", ["d", "scale"])
    assert [one.name for one in forward.parameters] == ["x"]
    assert FILE.splitlines()[both.line - 1].strip().startswith("def both")


def test_statements_that_fail_are_told_and_skipped(child: Child) -> None:
    assert [(one.kind, one.text) for one in child.code_errors] == [
        ("EOFError", 'answer = input("give a number")'),
        ("NameError", "undefined_name"),
    ]
    assert "at the top" in child.output
    assert child.imports == {"numpy", "functools"}


def test_values_go_in_and_come_back(child: Child) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    np.testing.assert_allclose(child.call("softmax", (x,), {"axis": 0}).sum(0), 1)
    got = child.call("both", (x[0].astype(np.float32),), {"mask": np.tri(3, dtype=bool)})
    assert isinstance(got, tuple)
    assert got[0].dtype == np.float32
    assert got[1] == [1, 2.5, None, "x"]
    assert got[2]["mask"].dtype == bool
    assert child.call("both", (x,), convert="list")[2]["kind"] == "list"


def test_an_instance_is_made_once_with_attributes_set(child: Child) -> None:
    make = ((4,), {"scale": 2.0})
    x = np.random.default_rng(0).normal(size=(3, 4))
    arrays = child.attributes("Head", make)
    assert set(arrays) == {"W_q", "norm.weight", "norm.bias"}
    np.testing.assert_allclose(child.call("Head.forward", (x,), make=make), 2 * x @ arrays["W_q"])
    own = {"W_q": np.eye(4), "norm.bias": np.ones(4)}
    np.testing.assert_allclose(child.call("Head", (x,), make=make, attributes=own), 2 * x + 1)
    assert set(child.attributes("")) == {"weights"}


def test_an_error_names_the_innermost_line_of_the_file(child: Child) -> None:
    with pytest.raises(Raised) as caught:
        child.call("fails", (1,))
    assert caught.value.code_error.kind == "ValueError"
    assert "np.ones((2, 3)) @" in caught.value.code_error.text
    assert FILE.splitlines()[(caught.value.code_error.line or 0) - 1].strip() == caught.value.code_error.text
    with pytest.raises(Raised, match="NameError"):
        child.call("no_such_function")


def test_what_holds_was_tried_and_is_named(child: Child) -> None:
    names = [one.name for one in child.held]
    assert set(names) >= {name for level in LEVELS.values() for name in level}
    assert all(one.held or one.reason for one in child.held)


def test_a_level_that_is_not_met_ends_the_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = tuple(Protection(name, True) for level in LEVELS.values() for name in level)
    with Child(written(tmp_path, "x = 1")) as child:
        monkeypatch.setattr(child, "_held", every)
        for level in LEVELS:
            child.required(level)
        monkeypatch.setattr(child, "_held", (*every[:-1], replace(every[-1], held=False, reason="it is off")))
        child.required("files")
        with pytest.raises(NotSealed, match="it is off") as caught:
            child.required("sealed")
        assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    "wall", ["reading", "writing", "network", "environment", "memory", "file size", "processes", "tree"]
)
def test_a_wall_that_is_off_is_seen_to_be_off(tmp_path: Path, wall: str) -> None:
    with Child(written(tmp_path, "x = 1"), _without=[wall]) as child:
        assert wall in [one.name for one in child.held if not one.held]


@pytest.mark.slow
def test_one_that_died_or_took_too_long_starts_again(tmp_path: Path) -> None:
    text = "import os\ndef die(): os.abort()\ndef late():\n    while True: pass\ndef fine(): return 1\ndef never():\n"
    text += "    while True:\n        try: late()\n        except BaseException: pass\n"
    with Child(written(tmp_path, text), Limits(seconds=0.5)) as child:
        with pytest.raises(Died):
            child.call("die")
        assert child.call("fine") == 1
        with pytest.raises(TimedOut) as caught:
            child.call("late")
        assert caught.value.code_error is not None
        assert caught.value.code_error.line == 4
        with pytest.raises(TimedOut):
            child.call("never")
        assert child.call("fine") == 1
    with Child(written(tmp_path, "def odd(): return {1}")) as child, pytest.raises(BadReply, match="returned a set"):
        child.call("odd")


def test_a_slow_statement_is_skipped(tmp_path: Path) -> None:
    with Child(written(tmp_path, "while True: pass\ndef f(): return 1\n"), Limits(loading=4)) as child:
        assert child.call("f") == 1
        assert [one.kind for one in child.code_errors] == ["TimeoutError"]


def test_future_statements_hold_for_what_follows(tmp_path: Path) -> None:
    with Child(written(tmp_path, "from __future__ import annotations\ndef f(x: no_such_type): return 1\n")) as child:
        assert child.call("f", (0,)) == 1
        assert not child.code_errors


def test_an_integer_that_is_too_long_for_an_answer_is_called_so(tmp_path: Path) -> None:
    with Child(written(tmp_path, "def power(n): return 10**n\n")) as child:
        with pytest.raises(BadReply, match="returned an integer of 16610 bits"):
            child.call("power", (5000,))
        assert child.call("power", (300,)) == 10**300


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path: Path) -> None:
    for text in ("x = 1\ndef f(:\n", "(" * 1000, "x = '\\N{no such}'\n"):
        with Child(written(tmp_path, text)) as child, pytest.raises(RunFailed) as told:
            _ = child.definitions
        assert "mine.py is not valid Python" in str(told.value)
        assert str(told.value).count("mine.py") == 1


def unreadable(folder: Path) -> dict[str, Path]:
    """Files that nothing sensible can be done with, by what is wrong."""
    made = {
        name: folder / f"{name.replace(' ', '_')}.py" for name in ("folder", "large", "null", "latin", "loop", "none")
    }
    made["folder"].mkdir()
    with open(made["large"], "wb") as stream:
        stream.truncate(50 * 2**20)
    made["null"].write_bytes(b"x = 1\0\n")
    made["latin"].write_bytes("# é\n".encode("latin-1"))
    made["loop"].symlink_to(made["loop"])
    made["notebook"] = folder / "own.ipynb"
    made["notebook"].write_text("{}")
    made["escape"] = folder / "\x1b[2J.py"
    if hasattr(os, "mkfifo"):
        made["pipe"] = folder / "pipe.py"
        os.mkfifo(made["pipe"])
        made["link to a pipe"] = folder / "link.py"
        made["link to a pipe"].symlink_to(made["pipe"])
        made["device"] = Path("/dev/zero")
    return made


def test_a_file_that_cannot_be_read_is_named_and_never_waited_for(tmp_path: Path) -> None:
    start = time.monotonic()
    for why, path in unreadable(tmp_path).items():
        with pytest.raises(BadInput) as caught:
            Child(path)
        assert spell_out_controls(str(path)) in caught.value.what, why
        assert caught.value.advice, why
        assert "\x1b" not in str(caught.value), why
    assert time.monotonic() - start < 2


def notebook(folder: Path, *code: str, picture: int = 0) -> Path:
    """A notebook with these cells, and a picture of so many bytes in the outputs of the first."""
    made = [{"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": []} for text in code]
    made[0]["outputs"] = [{"data": {"image/png": "A" * picture}}]
    file = folder / "own.ipynb"
    file.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# title"]}, *made]}))
    return file


def test_a_notebook_s_code_runs(tmp_path: Path) -> None:
    cells = [
        "%matplotlib inline\n!pip install x\nimport numpy as np",
        "%%bash\nls -l\ndef g(x) return",
        "%%time\nfiles = !ls\nif True:\n    !ls\nnp.sin?\ndef f(x):\n    return x + 1",
        "text = ('%d'\n  % 3)\nquery = np.ones(3)\n?np",
    ]
    with Child(notebook(tmp_path, *cells)) as child:
        assert child.call("f", (1,)) == 2
        assert [one.name for one in child.definitions] == ["f"]
        assert set(child.attributes("")) == {"query"}
        assert not child.code_errors


CELLS = (
    "%matplotlib inline\n!pip install x\nimport surely_not_installed as gone",
    "%%bash\nls\nls",
    "",
    "%time\r\n\r\ndef f(x):\r\n    return 1 / x\r\n",
    "y = 1\n\ngone.f()\n\n1 / 0",
)


def test_lines_of_a_notebook_are_told_as_those_of_its_cells_whatever_magics_are_in_them(tmp_path: Path) -> None:
    with Child(notebook(tmp_path, *CELLS)) as child:
        assert [str(one.line) for one in child.definitions] == ["3 of code cell 4"]
        assert [str(one.line) for one in child.code_errors] == [
            "3 of code cell 1",
            "3 of code cell 5",
            "5 of code cell 5",
        ]
        assert "line 3 of code cell 1 could not import it" in child.code_errors[1].message
        with pytest.raises(Raised, match=r"^Line 4 of code cell 4 of own\.ipynb raised ZeroDivisionError"):
            child.call("f", (0,))
    with Child(notebook(tmp_path, *CELLS, "x = 1\nif x:\ny = 2")) as child, pytest.raises(RunFailed) as told:
        _ = child.definitions
    assert told.value.what.startswith("Line 3 of code cell 6 of own.ipynb is not valid Python")
    assert "on line 2 of code cell 6." in told.value.what


def test_lines_of_any_other_file_are_numbers(tmp_path: Path) -> None:
    with Child(written(tmp_path, "\n\ndef f(x):\n    return 1 / x\n1 / 0\n")) as child:
        assert [str(one.line) for one in (*child.definitions, *child.code_errors)] == ["3", "5"]


def test_of_a_notebook_only_the_code_counts_and_the_whole_has_a_limit(tmp_path: Path) -> None:
    code = "def f(x):\n    return x + 1\n"
    with Child(notebook(tmp_path, code, picture=3 * 2**20)) as child:
        assert child.call("f", (1,)) == 2
    for file, told in (
        (lambda: notebook(tmp_path, code, picture=LARGEST_NOTEBOOK), "Clear its outputs"),
        (lambda: notebook(tmp_path, code * 50_000), "bytes of code"),
        (lambda: written(tmp_path, code * 50_000), f"at most {LARGEST:,} bytes"),
    ):
        with pytest.raises(BadInput) as caught:
            Child(file())
        assert told in str(caught.value)


def test_what_python_would_warn_of_is_not_said(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    with Child(notebook(tmp_path, "x = '\\d' is 3\n")) as child:
        assert not child.code_errors
    assert not outline("x = '\\d' is 3\n").calls
    assert not recwarn.list


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    with Child(written(tmp_path, "open('mine.txt', 'w').write('x')\n")) as child:
        assert not child.code_errors
        folder, process = child.folder, child._process
    assert not folder.exists()
    assert process is not None
    assert process.returncode is not None
    child.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_it_ends_with_a_checker_that_is_killed(tmp_path: Path) -> None:
    import signal
    import subprocess

    file = written(tmp_path, "def f():\n    while True: pass\n")
    text = f"from attention_lab.sandbox.parent import Child\nc = Child({str(file)!r})\nc.definitions\n"
    text += "print(c.folder, flush=True)\nc.call('f')\n"
    checker = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert checker.stdout is not None
    folder = checker.stdout.readline().strip()
    checker.send_signal(signal.SIGKILL)
    checker.wait()
    checker.stdout.close()
    end = time.monotonic() + 10

    def there() -> bool:
        lines = [Path(f"/proc/{name}/cmdline") for name in os.listdir("/proc") if name.isdigit()]
        return any(folder.encode() in line.read_bytes() for line in lines if line.exists()) or Path(folder).exists()

    while there() and time.monotonic() < end:
        time.sleep(0.05)
    assert not there()


def test_texts_are_safe_to_print() -> None:
    assert spell_out_controls("√d_k = 2\n\tfine") == "√d_k = 2\n\tfine"
    assert spell_out_controls("\x1b[2J\u202e\x9b\r\x00\ud800") == "\\x1b[2J\\u202e\\x9b\\r\\x00\\ud800"


def test_torch_goes_in_and_comes_back(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = """
import torch
def f(x): return torch.softmax(x, -1)
class Linear(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.inner = torch.nn.Linear(d, d)
    def forward(self, x): return self.inner(x)
"""
    x = np.random.default_rng(0).normal(size=(2, 3))
    with Child(written(tmp_path, text), Limits(loading=60, seconds=30)) as child:
        np.testing.assert_allclose(child.call("f", (x,), convert="torch").sum(-1), 1)
        assert [one.name for one in child.definitions] == ["f", "Linear", "Linear.forward"]
        own = {"inner.weight": 2 * np.eye(3), "inner.bias": np.ones(3)}
        got = child.call("Linear", (x.astype("f4"),), make=((3,), {}), attributes=own, convert="torch")
        np.testing.assert_allclose(got, 2 * x + 1, rtol=1e-5)


def test_the_seam_is_imported_where_the_system_has_less(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    from attention_lab.sandbox import isolation, landlock_seccomp

    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        for module in (landlock_seccomp, isolation):
            importlib.reload(module)
        assert isolation.put_up_walls({"without": []}) == ["win32 has no Landlock and no seccomp"]
        assert isolation.enter_namespaces({"without": []}) is False
    for module in (landlock_seccomp, isolation):
        importlib.reload(module)
    assert parent.LEVELS == LEVELS


def test_what_ends_the_process_is_told_with_its_line_and_what_a_fork_does_is_its_own(tmp_path: Path) -> None:
    text = "import os\ndef leave():\n    os._exit(3)\ndef fine():\n    return 1\n"
    with Child(written(tmp_path, text)) as child:
        with pytest.raises(Raised) as caught:
            child.call("leave")
        assert caught.value.code_error.line == 3
        assert child.call("fine") == 1
    text += "def forks():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(7)\n"
    text += "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
    with Child(written(tmp_path, text), _without=["processes"]) as child:
        assert child.call("forks") == 7


def test_an_array_that_is_too_large_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    text = "import numpy as np\ndef large(n): return np.zeros(n)\ndef many(n): return [np.zeros(n)] * 4\n"
    with Child(written(tmp_path, text), Limits(reply=2**20)) as child:
        for name, size in (("large", 10**8), ("large", 2**18), ("many", 2**16)):
            with pytest.raises(BadReply, match=r"an array of shape \(\d+,\): [\d,]+ bytes, of at most"):
                child.call(name, (size,))
        assert child.call("large", (2**16,)).shape == (2**16,)
