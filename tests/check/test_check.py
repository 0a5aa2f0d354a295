"""`attn-lab check`, from the file to the exit code: what the page says of right, wrong, unknown and broken code."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path

import numpy as np
import pytest
from check.bodies import HARMLESS
from check.test_match import SOFT

from attention_lab.check.check_page import given_to, shown
from attention_lab.check.reasons import reason
from attention_lab.sandbox.records import CodeError, Limits

RIGHT = """
import numpy as np

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def attention(Q, K, V, mask=None):
    s = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, -1e9)
    return softmax(s) @ V
"""
NO_SCALE = RIGHT.replace(" / Q.shape[-1] ** 0.5", "")


@pytest.fixture
def written(tmp_path: Path):
    """A file with this text."""

    def write(text: str) -> str:
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def parts(out: str) -> dict[str, dict]:
    """The named parts of a page in JSON; its diffs and vital signs under the names of these."""
    body = json.loads(out)
    named = {part["name"]: part for kind in ("notes", "statements", "tables") for part in body[kind]}
    return named | {"diff": body["diff"], "vitals": body["vitals"]}


def test_right_code_is_right_and_to_what_precision(attn_lab, written):
    code, out, err = attn_lab("check", written(RIGHT), "--json")
    assert (code, err) == (0, "")
    page = parts(out)
    assert page["attention"]["holds"] is True
    assert "to 1e-" in page["attention"]["measured"]


def test_a_fault_comes_with_its_line_the_smallest_input_and_the_next_candidate(attn_lab, written):
    code, out, err = attn_lab("check", written(NO_SCALE), "--json", "--seed", "3")
    assert code == 1
    assert "attention" in err
    page = parts(out)
    assert page["attention"]["holds"] is False
    assert "no-scale" in page["attention"]["measured"]
    assert any(line["sign"] == "-" and "query.shape[-1] ** 0.5" in line["text"] for line in page["diff"])
    smallest = page["attention-smallest"]["text"]
    assert "attention gives" in smallest
    assert "the healthy model gives" in smallest
    assert "of shape" not in smallest  # all of it is there in numbers
    assert "what tells them apart" in page["attention-next"]["text"]


def test_each_function_has_its_own_diff_and_vital_signs(attn_lab, written):
    mask = "\ndef causal_mask(n):\n    return np.tril(np.ones((n, n), dtype=bool), 1)\n"
    powers = "\ndef softmax(x):\n    return x**2 / (x**2).sum(-1, keepdims=True)\n"
    body = json.loads(attn_lab("check", written(NO_SCALE + mask), "--json")[1])
    changed = {diff["name"]: " ".join(line["text"] for line in diff["lines"]) for diff in body["diffs"]}
    assert set(changed) == {"attention-no-scale", "causal_mask-one-step-ahead"}
    assert "in numbers the same as scale-integer-half" in parts(json.dumps(body))["attention"]["measured"]
    assert "query.shape" in changed["attention-no-scale"]
    assert "tril" in changed["causal_mask-one-step-ahead"]
    assert body["diff"] == [line for diff in body["diffs"] for line in diff["lines"]]
    body = json.loads(attn_lab("check", written("import numpy as np\n" + powers), "--json")[1])
    assert [signs["name"] for signs in body["signs"]] == ["softmax-moved"]
    assert body["vitals"] == body["signs"][0]["signs"]


def test_the_command_that_is_shown_gives_the_same_page_again(attn_lab, written):
    file = written(NO_SCALE)
    first = json.loads(attn_lab("check", file, "--json")[1])
    words = shlex.split(first["command"])[1:]
    again = json.loads(attn_lab(*words, "--json")[1])
    assert first == again
    assert attn_lab("check", file, "--json")[1] != attn_lab("check", file, "--json")[1]  # drawn afresh each time


def test_what_is_not_in_the_catalogue_is_told_by_vital_signs_and_the_smallest_input(attn_lab, written):
    text = RIGHT.replace("e = np.exp(x - x.max(axis=-1, keepdims=True))", "e = x ** 2 + 1")
    code, out, _ = attn_lab("check", written(text), "--json")
    page = parts(out)
    assert code == 1
    assert "no break of the catalogue" in page["softmax"]["measured"]
    assert "softmax gives" in page["softmax-smallest"]["text"]
    assert {sign["name"] for sign in page["vitals"]} & {"overflow-64", "smallest-weight", "sharpness", "largest-64"}


def test_a_fault_that_comes_from_a_function_it_calls_is_told_once(attn_lab, written):
    text = RIGHT.replace("e / e.sum(axis=-1, keepdims=True)", "e / e.sum()")
    code, out, err = attn_lab("check", written(text), "--json")
    page = parts(out)
    assert code == 1
    assert "1 function wrong: softmax, and 1 more by what they call." in err
    assert "softmax-smallest" in page
    assert {row[0]: row[3] for row in page["functions"]["rows"]} == {
        "softmax": "wrong",
        "attention": "from softmax",
    }
    assert not [name for name in page if name.startswith("attention")]


def test_of_a_notebook_lines_are_those_of_its_cells(attn_lab, tmp_path):
    first, second = NO_SCALE.strip().split("\n\ndef attention")
    code = [f"%matplotlib inline\n{first}\n1 / 0", f"%time\n\ndef attention{second}"]
    file = tmp_path / "own.ipynb"
    file.write_text(json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in code]}))
    page = parts(attn_lab("check", str(file), "--json")[1])
    assert [row[1] for row in page["functions"]["rows"]] == ["4 of code cell 1", "3 of code cell 2"]
    assert page["attention"]["claim"] == "attention (line 3 of code cell 2) computes attention."
    assert page["line-7"]["text"].startswith("Line 7 of code cell 1 raised ZeroDivisionError")


def test_of_what_is_right_without_a_doubt_the_table_says_all(attn_lab, written):
    code, out, _ = attn_lab("check", written(RIGHT), "--json")
    page = parts(out)
    assert code == 0
    assert page["functions"]["rows"][0][3].startswith("right, to 1e-")
    assert "softmax" not in page


def test_one_function_only(attn_lab, written):
    file = written(NO_SCALE)
    code, out, _ = attn_lab("check", f"{file}:softmax", "--json")
    assert code == 0
    assert "attention" not in parts(out)
    code, _, err = attn_lab("check", f"{file}:relu")
    assert code == 2
    assert "softmax and attention" in err


def test_a_function_that_overflows_is_right_on_ordinary_data_only(attn_lab, written):
    text = RIGHT.replace("np.exp(x - x.max(axis=-1, keepdims=True))", "np.exp(x)")
    code, out, _ = attn_lab("check", written(text), "--json")
    measured = parts(out)["softmax"]["measured"]
    assert code == 1
    for told in ("on ordinary data", "large logits", "softmax-no-shift"):
        assert told in measured


def test_with_one_head_two_divisors_are_the_same_and_that_is_said(attn_lab, written):
    code, out, _ = attn_lab("check", written(SOFT + HARMLESS["a single head"]), "--json")
    assert code == 0
    assert "cannot be told apart" in parts(out)["SelfAttention-one-head"]["text"]


def test_what_nothing_tells_apart_here_is_said_with_what_would(attn_lab, written):
    text = """
import numpy as np

def attention(Q, K, V):
    T, d = Q.shape
    e = np.exp(Q @ K.T / d**0.5)
    return e / e.sum(axis=0, keepdims=True) @ V
"""
    code, out, _ = attn_lab("check", written(text), "--json")
    page = parts(out)
    assert code == 1
    for told in ("softmax-over-queries", "softmax-over-batch", "nothing tells apart here"):
        assert told in page["attention"]["measured"]
    assert "would differ on" in page["attention-apart"]["text"]


@pytest.mark.parametrize("text", ["print('hello')\n", "x = 1\n", "def relu(x):\n    return x * (x > 0)\n", ""])
def test_a_file_with_nothing_to_check_is_a_usage_error(attn_lab, written, text: str):
    code, _, err = attn_lab("check", written(text))
    assert code == 2
    assert "nothing that can be checked" in err


def test_a_script_that_prints_asks_and_fails_at_the_top_is_survived(attn_lab, written):
    text = f"import no_such_module\nprint('hello')\nname = input('name? ')\n{RIGHT}\nprint(softmax(undefined))\n"
    code, out, _ = attn_lab("check", written(text), "--json")
    page = parts(out)
    assert code == 0
    assert page["attention"]["holds"] is True
    assert [part for name, part in page.items() if name.startswith("line-")]
    assert "hello" not in out


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("s = Q @ K.transpose(-2, -1)", "np.swapaxes"),
        ("s = scores(Q, K)", "scores has no value"),
        ("s = (Q @ K.swapaxes(-1, -2)).masked_fill(mask, 0)", "PyTorch"),
        ("s = np.sum(Q, dim=-1)", "axis"),
    ],
)
def test_what_does_not_run_is_told_with_its_line_and_a_likely_reason(attn_lab, written, line: str, told: str):
    text = RIGHT.replace("s = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5", line)
    code, out, _ = attn_lab("check", written(text), "--json")
    measured = parts(out)["attention"]["measured"]
    assert code == 1
    assert "Line 9 raised" in measured
    assert told in measured


def test_what_runs_only_where_two_lengths_are_equal_is_named(attn_lab, written):
    text = RIGHT.replace("e.sum(axis=-1, keepdims=True)", "e.sum(axis=-1)")
    code, out, _ = attn_lab("check", written(text), "--json")
    assert code == 1
    assert "softmax-no-keepdims" in parts(out)["softmax"]["measured"]


def test_a_function_that_writes_into_its_input_is_told(attn_lab, written):
    text = RIGHT.replace("    s = Q @", "    Q /= Q.shape[-1] ** 0.5\n    s = Q @").replace(
        "(-1, -2) / Q.shape[-1] ** 0.5", "(-1, -2)"
    )
    code, out, _ = attn_lab("check", written(text), "--json")
    assert code == 1
    assert "scale-in-place" in parts(out)["attention"]["measured"]


@pytest.mark.parametrize("view", ["--plain", ""])
def test_every_view_shows_it(attn_lab, written, view: str):
    _, out, _ = attn_lab("check", written(NO_SCALE), *([view] if view else []))
    assert "no-scale" in out


def test_where_the_check_itself_fails_that_is_no_fault_of_the_code(attn_lab, written, monkeypatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of our own making")

    monkeypatch.setattr("attention_lab.check.survey.survey", broken)
    code, _, err = attn_lab("check", written(RIGHT))
    assert code == 3
    assert "says nothing about your code" in err


@pytest.mark.parametrize("words", [("--seed", "-1"), ("--mask", "maybe"), ("--layout", "x")])
def test_usage(attn_lab, written, words: tuple[str, str]):
    assert attn_lab("check", written(RIGHT), *words)[0] == 2


def test_an_error_that_says_nothing_gets_no_reason():
    assert reason(CodeError(1, "RuntimeError", "well", "x = 1")) == ""


HANGS = "def softmax(x):\n    while True: pass\n\ndef attention" + RIGHT.partition("def attention")[2].replace(
    "softmax(s)", "np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)"
)


def test_a_function_that_hangs_is_given_up_and_the_others_are_judged(attn_lab, written, monkeypatch):
    monkeypatch.setattr("attention_lab.sandbox.time_budget.LIMITS", Limits(seconds=0.5))
    code, out, _ = attn_lab("check", written("import numpy as np\n" + HANGS), "--json")
    said = {row[0]: row[3] for row in parts(out)["functions"]["rows"]}
    assert code == 1
    assert said["softmax"] == "does not run"
    assert said["attention"] == "wrong at edges"  # it shifts nothing


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_not_waited_for(attn_lab, written, monkeypatch):
    monkeypatch.setattr("attention_lab.sandbox.time_budget.SECONDS", 3)
    slow = RIGHT.replace("    e = np.exp", "    time.sleep(0.4)\n    e = np.exp").replace(
        "import", "import time\nimport", 1
    )
    began = time.monotonic()
    code, out, err = attn_lab("check", written(slow), "--json")
    assert code == 1
    assert "for 3 seconds and no longer. Not judged in that time: " in parts(out)["late"]["text"]
    assert "could be judged: " in err
    assert "functions" not in parts(out)  # none was judged, and none is called wrong
    assert time.monotonic() - began < 30


def test_what_the_parameters_take_may_be_said(attn_lab, written):
    text = RIGHT.replace("attention(Q, K, V, mask=None)", "blend(one, two, three, mask=None)")
    text = text.replace("Q", "three").replace("K", "one").replace("V", "two")
    file = written(text)
    code, out, _ = attn_lab("check", f"{file}:blend", "--call", "key, value, query, mask", "--json")
    page = parts(out)
    assert code == 0
    assert page["functions"]["rows"][0][2] == "attention"
    assert json.loads(out)["command"].count("--call") == 1
    code, out, _ = attn_lab("check", f"{file}:blend", "--call", "value,key,query,mask", "--json")
    assert code == 2  # as such it cannot be called at all


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((":softmax", "--call", "logits,logits"), "--call names 'logits', which stands there twice"),
        ((":softmax", "--call", "scores"), "--call names 'scores', which no function takes"),
        (("", "--call", "logits"), "--call is about one function"),
    ],
)
def test_what_cannot_be_said_of_the_parameters(attn_lab, written, words, told):
    function, *options = words
    code, _, err = attn_lab("check", written(RIGHT) + function, *options)
    assert code == 2
    assert told in err


def test_the_page_names_what_kept_the_code_from_the_machine(attn_lab, written):
    page = parts(attn_lab("check", written(RIGHT), "--json")[1])
    assert "Protections that held: " in page["sandbox"]["text"]
    assert "environment" in page["sandbox"]["text"]


def test_where_a_protection_is_missing_that_is_asked_for_nothing_runs(attn_lab, written, monkeypatch):
    file = written(RIGHT)
    monkeypatch.setattr("attention_lab.sandbox.parent.Child.held", ())
    code, out, err = attn_lab("check", file, "--require-sandbox", "sealed")
    assert (code, out) == (3, "")
    assert "does not reach --require-sandbox sealed" in err


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("def softmax(x):\n    yield x\n", "returned a generator"),
        ("async def softmax(x):\n    return x\n", "returned a coroutine"),
        ("import os\ndef softmax(x):\n    os._exit(0)\n", "Line 3 raised SystemExit: os._exit(0)."),
    ],
    ids=["generator", "coroutine", "exit"],
)
def test_of_a_function_without_a_value_it_says_what_came_instead(attn_lab, written, body, says):
    code, out, _ = attn_lab("check", written(body), "--json")
    assert code == 1
    assert says in parts(out)["softmax"]["measured"]


def test_a_result_without_a_number_is_called_so(attn_lab, written):
    _, out, _ = attn_lab("check", written("def softmax(x):\n    return 'x'\n"), "--json")
    assert "softmax gives neither an array nor a number;" in parts(out)["softmax-smallest"]["text"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("view", [(), ("--unnamed",)], ids=["page", "unnamed"])
@pytest.mark.parametrize("error", ["ValueError('it is odd')", "ValueError('it is odd.')", "ValueError"])
def test_a_statement_that_raised_is_told_in_whole_sentences(attn_lab, written, error, view):
    _, out, _ = attn_lab("check", written(f"raise {error}\n{RIGHT}"), "--json", *view)
    message = ": it is odd" if "odd" in error else ""
    assert parts(out)["line-1"]["text"] == f"Line 1 raised ValueError{message}. It was left out."


def test_what_is_named_like_a_part_and_cannot_be_made_is_not_passed_over_in_silence(attn_lab, written):
    unmade = """
class MultiHeadAttention:
    def __init__(self, banana):
        raise OSError
    def forward(self, x):
        return x

def helper(a):
    return a
"""
    _, out, _ = attn_lab("check", written(RIGHT + unmade), "--json")
    page = parts(out)
    assert page["MultiHeadAttention-unjudged"]["text"].startswith("MultiHeadAttention was not judged")
    assert page["left"]["text"].endswith("found for them: helper.")


@pytest.mark.slow
def test_ten_thousand_functions_take_no_longer_than_the_time_for_a_file(attn_lab, written, monkeypatch):
    monkeypatch.setattr("attention_lab.sandbox.time_budget.SECONDS", 10.0)
    began = time.monotonic()
    _, out, _ = attn_lab("check", written("".join(f"def f{i}(x): return x\n" for i in range(10_000))), "--json")
    assert time.monotonic() - began < 60
    assert "10 seconds" in parts(out)["late"]["text"]
    assert parts(out)["late"]["text"].endswith(" more.")


def test_wrong_at_an_edge_and_right_but_for_an_edge_are_two_verdicts(attn_lab, written):
    no_shift = RIGHT.replace("np.exp(x - x.max(axis=-1, keepdims=True))", "np.exp(x)")
    for text, said in (
        (no_shift, "softmax, verdict wrong at edges"),
        (RIGHT, "attention, verdict right, but for edges"),
    ):
        out = " ".join(attn_lab("check", written(text), "--plain")[1].split())
        assert said in out


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (np.tril(np.ones((2, 2), bool)), "[[True, False], [True, True]]"),
        (np.array([-0.5, 0.25, 0.1234]), "[-0.5, 0.25, 0.1234]"),
        (np.array([[10.0, -np.inf], [np.nan, 0.0]]), "[[10., -inf], [nan, 0.]]"),
        (np.ones((4, 4)), "of shape (4, 4)"),
        (3, "3"),
    ],
)
def test_numbers_stand_without_gaps(value, told: str):
    assert shown(value) == told


def test_an_input_that_cannot_be_told_whole_is_told_in_shapes():
    assert given_to({"x": np.ones((1, 2)), "h": 2}) == "x [[1., 1.]], h 2"
    assert given_to({"x": np.ones((1, 2)), "w": np.ones((4, 4)), "h": 2}) == "x of shape (1, 2), w of shape (4, 4), h 2"
