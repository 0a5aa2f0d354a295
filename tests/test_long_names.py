"""A name of 50,000 letters, of whatever it is, is shown by its beginning: in every view, in errors, in every form."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fixtures import mark_slow

from attention_lab.text import LONG, brief, brief_in

NAME = "n" * 50_000
SOFTMAX = """
import numpy as np
def softmax{}(x):
    e = np.exp(x - x.max(-1, keepdims=True)){}
    return e / e.sum(-1{})
"""
FILES = {
    "right": SOFTMAX.format(NAME, "", ", keepdims=True"),
    "wrong": SOFTMAX.format(NAME, "", ""),
    "raises": SOFTMAX.format(NAME, f" + {NAME}", ", keepdims=True"),
    "raises where it stands": SOFTMAX.format("", "", ", keepdims=True") + f"{NAME}\n",
    "unwritten": f"def {NAME}(x):\n    ...\n",
    "class": f"class {NAME}:\n    def forward(self, {NAME}):\n        return 1\ndef softmax(x): return x\n",
    "syntax": f"def softmax({NAME}:\n",
}
Run = Callable[..., tuple[int, str, str]]


def short(text: str) -> bool:
    """Whether nothing in a text is longer than one reads."""
    return "n" * (LONG + 1) not in text and len(text) < 20_000


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", mark_slow(FILES, "class"))
def test_names_in_a_file_that_is_checked(kind: str, tmp_path: Path, attn_lab: Run):
    file = tmp_path / "mine.py"
    file.write_text(FILES[kind])
    for words in (["--plain"], ["--json"], [], ["--unnamed"]):
        _, out, err = attn_lab("check", str(file), *words)
        assert short(out), words
        assert short(err), words


@pytest.mark.parametrize("form", ["table", "json", "csv", "junit", "github"])
def test_names_in_files_that_are_graded(form: str, tmp_path: Path, attn_lab: Run):
    for kind in ("wrong", "raises", "syntax"):
        (tmp_path / f"{kind}.py").write_text(FILES[kind])
    _, out, err = attn_lab("grade", str(tmp_path), "--format", form)
    assert short(out)
    assert short(err)


def test_names_of_tests(tmp_path: Path, attn_lab: Run):
    file = tmp_path / "tests.py"
    file.write_text(f"from model import softmax\ndef test_{NAME}():\n    assert softmax is {NAME}\n")
    for words in (["--plain"], ["--json"]):
        _, out, err = attn_lab("kill", str(file), *words)
        assert "nnn" in out
        assert short(out)
        assert short(err)


@pytest.mark.parametrize("others", mark_slow([1, 60], "60"))
def test_names_of_arrays(others: int, tmp_path: Path, attn_lab: Run):
    file, array = tmp_path / "weights.npz", io.BytesIO()
    np.save(array, np.full((2, 3, 3), 1 / 3))
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("weights", *(f"{number}\n\x1b[2J{NAME}" for number in range(others))):
            archive.writestr(f"{name}.npy", array.getvalue())
    for words in (["--plain"], ["--json"], ["--array", "none"]):
        _, out, err = attn_lab("inspect", str(file), *words)
        assert "nnn" in out + err
        assert short(out)
        assert short(err)
        assert "\x1b" not in out + err


def test_a_command_and_a_path_stay_whole(tmp_path: Path, attn_lab: Run):
    file = tmp_path / ("long" * 25 + ".py")
    file.write_text(FILES["wrong"])
    _, out, _ = attn_lab("check", str(file), "--json")
    assert str(file) in json.loads(out)["command"]
    _, out, _ = attn_lab("grade", str(tmp_path), "--format", "github")
    assert f"file={file}" in out


def test_what_is_brief_and_what_is_not():
    assert brief("a" * LONG) == "a" * LONG
    assert brief("a" * (LONG + 1)) == "a" * LONG + "…"
    assert brief(f"Cannot read x/{'a' * 300}.py: it is '{'b' * 90}', a.") == (
        f"Cannot read x/{'a' * LONG}…: it is '{'b' * (LONG - 1)}…', a."
    )
    assert brief("." * 99) == "." * LONG + "…..."
    assert brief_in(("a" * 100, 1.5, None)) == ("a" * LONG + "…", 1.5, None)
    assert brief(("part/" * 40) + ("of " * 80)) == ("part/" * 40) + ("of " * 80)
