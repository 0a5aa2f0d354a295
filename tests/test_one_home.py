"""Each rule of the package has one home: what two parts of it must agree on stands in one place."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_lab.check.layouts import CONVENTIONS, LAYOUTS

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "attention_lab").rglob("*.py"))


def constants_in(tree: ast.AST) -> Iterator[object]:
    """Every constant of a file, docstrings included."""
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))


def files_with(value: object) -> list[str]:
    """The files of the package in which this constant is written."""
    return [
        str(path.relative_to(ROOT))
        for path in FILES
        if any(type(constant) is type(value) and constant == value for constant in constants_in(tree_of(path)))
    ]


def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


# ---- layouts and masks ----

FEATURES_FIRST = """import numpy as np

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def attention(query, key, value, mask=None):
    scores = query.swapaxes(-1, -2) @ key / np.sqrt(query.shape[-2])
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return (weights @ value.swapaxes(-1, -2)).swapaxes(-1, -2), weights
"""
MASK_PER_SAMPLE = """import numpy as np

def multi_head(x, w_query, w_key, w_value, w_out, h, mask=None):
    B, T, d = x.shape
    split = lambda w: (x @ w).reshape(B, T, h, -1).swapaxes(1, 2)
    query, key, value = split(w_query), split(w_key), split(w_value)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask[:, None], scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True) @ value).swapaxes(1, 2).reshape(B, T, -1) @ w_out
"""


@pytest.mark.parametrize(
    ("flag", "known"),
    [("--layout", [layout.option for layout in LAYOUTS]), ("--mask", [convention.name for convention in CONVENTIONS])],
)
def test_the_command_line_offers_every_layout_and_mask_that_check_tries(attn_lab, flag: str, known: list[str]):
    _, _, err = attn_lab("check", "mine.py", flag, "none-of-them")
    assert re.findall(r"[A-Za-z][\w-]*", err.partition("choose from")[2].partition(")")[0]) == known


def test_the_name_of_each_layout_and_mask_is_written_once():
    for name in (*(layout.option for layout in LAYOUTS), *(layout.name for layout in LAYOUTS)):
        assert files_with(name) == ["attention_lab/check/layouts.py"], name


@pytest.mark.parametrize(
    ("text", "fitting"),
    [(FEATURES_FIRST, "d-T"), (MASK_PER_SAMPLE, "B-T-d")],
    ids=["features first", "mask per sample"],
)
def test_the_layout_that_is_asked_for_is_the_only_layout_that_is_tried(attn_lab, tmp_path, text: str, fitting: str):
    file = tmp_path / "mine.py"
    file.write_text(text)
    assert attn_lab("check", str(file), "--layout", fitting)[0] == 0
    assert attn_lab("check", str(file), "--layout", "T-d")[0] == 1


def test_the_names_of_layouts_are_there_without_numpy():
    code = "import sys, attention_lab.check.layouts; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
