"""Whatever a file says in place of the process it runs in, or returns: it is told as what it is, and fails alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grade.hand_ins import HONEST

from attention_lab.grade.run import grade_class
from attention_lab.grade.submissions import find_submissions
from attention_lab.sandbox import time_budget

Run = Callable[..., tuple[int, str, str]]

# A file that answers the question what it offers by itself, and leaves.
SAYS = """
import os, struct, sys
def above(name):
    frame = sys._getframe()
    while name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]
tree = <<tree>>
head = struct.pack("<8s16sIIQ", b"attnlab1", above("nonce"), len(tree), 0, 0)
os.write(above("replies"), head + tree)
os.abort()
"""


def definition(**parts: Any) -> dict[str, Any]:
    """One function, as a process would tell it."""
    parameter = {"name": "x", "kind": "positional", "default": False}
    return {"name": "softmax", "kind": "function", "parameters": [parameter], "line": 3} | parts


def tree(value: Any) -> Any:
    """A value as it is sent."""
    if isinstance(value, dict):
        return {"dict": [[name, tree(item)] for name, item in value.items()]}
    return {"list": [tree(item) for item in value]} if isinstance(value, list) else value


def says(value: Any) -> str:
    """A file that says this."""
    return SAYS.replace("<<tree>>", repr(json.dumps(tree(value)).encode()))


def loaded(**parts: Any) -> str:
    """A file that says that it offers this."""
    return says({"value": {"definitions": [definition()], "errors": [], "imports": []} | parts})


FORGED = {
    "definitions that are a number": loaded(definitions=5),
    "definitions that are nothing": loaded(definitions=None, errors=None, imports=None),
    "a definition that is a number": loaded(definitions=[5]),
    "a definition on no line": loaded(definitions=[definition(line=float("inf"))]),
    "a definition on a line that is no number": loaded(definitions=[definition(line=float("nan"))]),
    "a definition of no kind": loaded(definitions=[definition(kind=[1], name={})]),
    "parameters that are none": loaded(definitions=[definition(parameters=7)]),
    "a method of no class": loaded(definitions=[definition(kind="method", name="..")]),
    "errors that are a number": loaded(errors=5),
    "an error that is a number": loaded(errors=[5]),
    "an error that defines what it likes": loaded(
        definitions=[], errors=[{"line": 10**40, "kind": [], "message": {}, "text": None, "defines": [1]}]
    ),
    "imports that are a number": loaded(imports=5),
    "a syntax error that is none": says({"value": {"syntax": 5}}),
    "no value": says({"other": 1}),
    "a value that is nothing": says({"value": None}),
    "an answer that is a list": says([1]),
    "output that is a number": says({"value": {"definitions": [], "errors": [], "imports": []}, "output": 10**30}),
}
RETURNED = {  # of what attention returns
    "integers that no float holds": "[[10**300, -2**1023 - 2**1022]]",
    "the largest numbers": "np.full((*query.shape[:-1], value.shape[-1]), 1.7e308)",
    "the least integers": "np.full((*query.shape[:-1], value.shape[-1]), -2**63)",
    "the largest integers": "np.full((*query.shape[:-1], value.shape[-1]), 2**64 - 1, dtype='u8')",
    "an endless empty axis": "np.zeros((0, 2**38))",
    "sixteen axes": "np.zeros((1,) * 16)",
    "NaN with something in it": "np.full(value.shape, np.frombuffer(b'attnlab\\x7f')[0])",
    "keys of all kinds": "{1: query, None: key, ('a',): value, '\\x1b[2J': value}",
    "lists of empty lists": "[[[], []], [[], [[]]]]",
    "a text without end": "'x' * 10**7",
    "a complex number": "query + 1j",
    "dates": "np.zeros(value.shape, dtype='M8[s]')",
    "records": "np.zeros(value.shape, dtype=[('a', 'f8')])",
}
HELD = {  # classes with weights that no memory holds
    "multi_head": "class MultiHeadAttention:\n    def __init__(self, d_model, h):\n        self.h = h\n"
    "        self.W_q = self.W_k = self.W_v = self.W_o = np.zeros((0, 2**38))\n",
    "layer_norm": "class LayerNorm:\n    def __init__(self, d):\n"
    "        self.gamma = self.beta = np.zeros((0, 2**38))\n",
    "feed_forward": "class FeedForward:\n    def __init__(self, d_model, d_ff):\n"
    "        self.W1 = np.zeros((0, 2**38))\n        self.W2 = np.zeros((2**38, 0))\n",
}
FILES = (
    FORGED
    | {
        name: f"import numpy as np\ndef attention(query, key, value, mask=None):\n    return {text}\n"
        for name, text in RETURNED.items()
    }
    | {
        name: f"import numpy as np\n{text}    def forward(self, x, mask=None):\n        return x\n"
        for name, text in HELD.items()
    }
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the processes of Linux")


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", FILES)
def test_the_check_says_what_it_is_and_does_not_fail(name: str, tmp_path: Path, attn_lab: Run) -> None:
    (tmp_path / "mine.py").write_text(FILES[name])
    code, out, err = attn_lab("check", str(tmp_path / "mine.py"), "--plain")
    assert code in (1, 2), err
    assert err.startswith("error: ")
    assert "check itself failed" not in err
    assert "\x1b" not in out + err
    assert len(out + err) < 20_000


@pytest.mark.slow
def test_none_of_them_is_a_failure_of_the_grader_and_the_honest_file_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_budget, "STRIKES", 1)
    for number, text in enumerate(FILES.values()):
        (tmp_path / f"forged{number}.py").write_text(text)
    (tmp_path / "honest.py").write_text(HONEST)
    found = grade_class(find_submissions(tmp_path)[0], ["attention"], jobs=2)
    assert [row.name for row in found.rows if row.failed] == []
    assert [row.name for row in found.rows if row.points] == ["honest.py"]
