"""What cannot even be called is told with its line and counts as wrong, where its name says that it is to be judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures import mark_slow

from attention_lab.sandbox.records import Limits

Run = Callable[..., tuple[int, str, str]]

RIGHT = """
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
NORM = """
class LayerNorm:
    def __init__(self, d{more}):
        {line}
    def __call__(self, x):
        return x
"""
FAILS = {  # with the line that is told
    "a constructor that raises": (NORM.format(more="", line="raise RuntimeError('not yet')"), "RuntimeError: not yet"),
    "a constructor with a mistake": (NORM.format(more="", line="self.g = np.ones(d) @ np.ones((1, d))"), "ValueError"),
    "a constructor that ends the process": (NORM.format(more="", line="import os; os.abort()"), "SIGABRT"),
    "a constructor that never ends": (NORM.format(more="", line="while True: pass"), "was still running"),
    "a decorator that is missing": ("@nowhere\ndef layer_norm(x): return x\n", "NameError: name 'nowhere'"),
    "a default that raises": ("def layer_norm(x, eps=1 / 0): return x\n", "ZeroDivisionError"),
    "a base class that is missing": ("class LayerNorm(nowhere.Module):\n    pass\n", "NameError: name 'nowhere'"),
    "a metaclass that raises": (
        (
            "class Meta(type):\n    @property\n    def __signature__(cls): raise RuntimeError('no')\n"
            "class LayerNorm(metaclass=Meta):\n    def __call__(self, x): return x\n"
        ),
        "RuntimeError: no",
    ),
    "a metaclass that answers nothing": (
        (
            "class Meta(type):\n    def __getattribute__(cls, name): raise ValueError('no')\n"
            "class LayerNorm(metaclass=Meta):\n    def __call__(self, x): return x\n"
        ),
        "ValueError: no",
    ),
    "a signature that never ends": (
        (
            "class Norm:\n    @property\n    def __signature__(self):\n        while True: pass\n"
            "    def __call__(self, x): return x\nlayer_norm = Norm()\n"
        ),
        "TimeoutError",
    ),
}
PASSES = {  # there is no verdict, as nobody knows whether they could be made, or whether they were to be judged
    "a constructor of a name that says nothing": NORM.format(more=", source", line="self.g = source.load(d)"),
    "a shape where a number was guessed": NORM.format(more="", line="self.g = np.ones((*d,))"),
    "a size of a usual kind only": NORM.format(more="", line="assert d % 64 == 0"),
    "another class": "class Loader:\n    def __init__(self): raise OSError\n    def load(self, x): return x\n",
    "a function of another name": "@nowhere\ndef plot_attention(x): return x\n",
    "a script": "attention = softmax(nowhere)\nprint(attention)\n",
}


@pytest.fixture
def checked(tmp_path: Path, attn_lab: Run) -> Callable[..., tuple[int, str, str]]:
    """The page of a right softmax, with this text below it."""

    def check(text: str, *words: str) -> tuple[int, str, str]:
        (tmp_path / "mine.py").write_text(RIGHT + text)
        code, out, err = attn_lab("check", str(tmp_path / f"mine.py{words[0] if words else ''}"), "--plain")
        return code, " ".join(out.split()), " ".join(err.split())

    return check


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", mark_slow(FAILS, *(kind for kind in FAILS if kind.endswith("never ends"))))
def test_what_was_to_be_judged_and_cannot_be_called_does_not_run(kind: str, checked: Callable, monkeypatch):
    if kind.endswith("never ends"):
        monkeypatch.setattr("attention_lab.sandbox.time_budget.LIMITS", Limits(seconds=0.5))
    text, told = FAILS[kind]
    code, out, err = checked(text)
    assert code == 1
    assert "function softmax: line 3, is softmax, verdict right" in out
    assert "verdict does not run" in out
    assert told in out
    assert "1 function wrong: " in err
    assert out.count(told) == 1


@pytest.mark.parametrize("kind", PASSES)
def test_what_may_be_all_right_is_not_called_wrong(kind: str, checked: Callable):
    code, out, err = checked(PASSES[kind])
    assert (code, err) == (0, ""), out


@pytest.mark.parametrize("modules", ["no_such as plt, numpy as numbers", "numpy as numbers, no_such.plot"])
def test_a_module_that_is_missing_takes_no_other_of_its_line_along(modules: str, checked: Callable):
    text = f"import {modules}\ndef causal_mask(n):\n    return numbers.tril(numbers.ones((n, n), dtype=bool))\n"
    code, out, err = checked(text)
    assert (code, err) == (0, ""), out
    assert "function causal_mask: line 7, is causal_mask, verdict right" in out


def test_what_needs_a_package_that_is_not_installed_is_not_called_wrong(tmp_path: Path, attn_lab: Run):
    text = "import no_such\nimport no_such.nn as nn\nclass LayerNorm(nn.Module):\n    pass\n"
    (tmp_path / "mine.py").write_text(text)
    code, out, err = attn_lab("check", str(tmp_path / "mine.py"), "--plain")
    page = " ".join(out.split())
    assert code == 2
    assert "Lines 1 and 2 raised ModuleNotFoundError: No module named 'no_such'" in page
    assert "Install no_such where attn-lab is, unless it is misspelt. They were left out." in page
    assert "nn.Module is not there: line 2 could not import it" in page
    assert "does not run" not in page
    assert "The page says what had to be left out." in err


def test_one_function_that_is_not_there_can_be_asked_for(checked: Callable):
    code, out, _ = checked("@nowhere\ndef layer_norm(x): return x\n", ":layer_norm")
    assert code == 1
    assert "verdict does not run" in out
    assert "function softmax" not in out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("import os; os._exit(0)", "os._exit(0)"),
        ("import sys; sys.exit('no data')", "SystemExit: no data"),
        ("exit()", "SystemExit"),
        ("quit(3)", "SystemExit: 3"),
        ("raise SystemExit", "SystemExit"),
    ],
)
def test_a_file_that_ends_the_program_is_judged_all_the_same(line: str, told: str, tmp_path: Path, attn_lab: Run):
    (tmp_path / "mine.py").write_text(f"{line}\n{RIGHT}")
    code, out, _ = attn_lab("check", str(tmp_path / "mine.py"), "--plain")
    assert code == 0
    assert f"Line 1 raised {told if told.startswith('System') else f'SystemExit: {told}'}." in out
    assert "That would end the program there." in out


def test_a_result_that_is_too_large_is_told_by_its_size(tmp_path: Path, attn_lab: Run):
    (tmp_path / "mine.py").write_text("import numpy as np\ndef softmax(x):\n    return np.zeros(10**8)\n")
    code, out, _ = attn_lab("check", str(tmp_path / "mine.py"), "--plain")
    assert code == 1
    assert "returned an array of shape (100000000,): 800,000,000 bytes, of at most" in out
