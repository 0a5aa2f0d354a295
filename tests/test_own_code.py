"""Code that other people wrote: what is no good ends in one sentence, and the blame is where it belongs."""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_lab.errors import complaint, error_summary
from attention_lab.machine import time_limit
from attention_lab.text import brief

Run = Callable[..., tuple[int, str, str]]
HEAD = "from typing import Annotated\nfrom attention_lab.result import *\n"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a file of one's own in the current folder, and name it."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "own.py") -> str:
        Path(name).write_text(text, encoding="utf-8")
        return name

    return write


def one_sentence(err: str) -> str:
    """What was said, on a line. A second sentence says what to do."""
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 2
    return " ".join(err.split())


# ---- what a demo returns ----


@pytest.mark.parametrize("view", [(), ("--plain",), ("--json",), ("--html", "page.html"), ("--svg", "picture.svg")])
@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ("Note('n', 'text')", "Its parts are Note(name='n', text='text'), not a tuple."),
        ("('text',)", "Part 1 is 'text', and not one of Note, "),
        ("(Note('n', 3),)", "In part 1, the Note 'n', text is 3, not str."),
        ("(Table('t', 'T', (Column('a'),), ((1, 2),)),)", "the Table 't', rows[0] has 2 cells for 1 columns."),
        ("(Matrix('m', 'M', ((1j,),), ('a',), ('b',)),)", "the Matrix 'm', values[0][0] is 1j, not float."),
    ],
)
def test_what_no_view_can_show_is_told_in_every_view(attn_lab: Run, own, parts: str, what: str, view: tuple[str, ...]):
    file = own(f"{HEAD}def run(model):\n    return Result({parts})\n")
    code, out, err = attn_lab("demo", file, *view)
    assert code == 1
    if view == ("--json",):
        assert what in json.loads(out)["error"]["what"]
        return
    assert out == ""
    assert "run() of own.py returned what cannot be shown." in one_sentence(err)
    assert what in one_sentence(err)


# ---- what a demo takes ----


@pytest.mark.parametrize(
    ("signature", "what"),
    [
        (
            "model, *, size: Annotated[int, 'text'] = 1",
            "parameter 'size' is annotated with 'text' where a Param stands",
        ),
        ("model, *, size: tuple[()] = ()", "parameter 'size' needs a default and a type"),
        ("model, *, size: tuple = (1,)", "parameter 'size' needs a default and a type"),
        ("model, *, size: tuple[int, int] = (1, 2)", "parameter 'size' needs a default and a type"),
        ("model, *, size: tuple[int, ...] = ()", "parameter 'size' has the default (), no tuple[int, ...]"),
        ("model, *, size: tuple[int, ...] = 3", "parameter 'size' has the default 3, no tuple[int, ...]"),
        ("model, *, size: tuple[int, ...] = (1, 'a')", "has the default (1, 'a'), no tuple[int, ...]"),
        ("model, *, size: int = 'a'", "parameter 'size' has the default 'a', no int"),
        ("model, *, size: int = None", "parameter 'size' has the default None, no int"),
        ("model, *, size: int = 1.5", "parameter 'size' has the default 1.5, no int"),
        ("model, *, size: str = 1", "parameter 'size' has the default 1, no str"),
        ("model, *, size: bool = 1", "parameter 'size' has the default 1, no bool"),
        ("model, *, size: int = True", "parameter 'size' has the default True, no int"),
        ("model, *, size: int | None = None", "parameter 'size' needs a default and a type"),
        ("model, *, size: list[int] = [1]", "parameter 'size' needs a default and a type"),
        ("model, *, size=1", "parameter 'size' needs a default and a type"),
        ("model, *, size: Nowhere = 1", "the signature of its run() cannot be read: name 'Nowhere' is not defined"),
        ("model, *, size: 'Nowhere' = 1", "the signature of its run() cannot be read: name 'Nowhere' is not defined"),
        ("model, *, size: 'int[' = 1", "the signature of its run() cannot be read: "),
        ("model, *, size: '1/0' = 1", "the signature of its run() cannot be read: division by zero"),
        ("model, *, size: 'Annotated.nowhere' = 1", "the signature of its run() cannot be read: "),
        ("model, size: int = 1", "parameter 'size' is none that can be typed; name each option behind a *"),
        ("model, *sizes", "parameter 'sizes' is none that can be typed"),
        ("model, **sizes", "parameter 'sizes' is none that can be typed"),
        ("*models", "the first parameter of its run() does not take the model"),
        ("**models", "the first parameter of its run() does not take the model"),
        ("*, model", "the first parameter of its run() does not take the model"),
        ("", "the first parameter of its run() does not take the model"),
    ],
)
def test_a_signature_that_no_command_line_fits_is_told(attn_lab: Run, own, signature: str, what: str):
    body = "return Result((Note('n', 'text'),))"
    file = own(f"from __future__ import annotations\n{HEAD}def run({signature}):\n    {body}\n")
    for words in ((), ("--help",)):
        code, out, err = attn_lab("demo", file, *words)
        assert (code, out) == (2, "")
        assert what in one_sentence(err)


def test_options_may_have_the_names_that_the_command_uses_inside(attn_lab: Run, own):
    text = "def run(model, *, own: int = 3, breaks: int = 4, file: str = 'f'):\n"
    file = own(f"{HEAD}{text}    return Result((Note('n', f'{{own}} {{breaks}} {{file}}'),))\n")
    code, out, _ = attn_lab("demo", file, "--breaks", "5", "--plain")
    assert code == 0
    assert "3 5 f" in out


# ---- who is to blame ----

NOWHERE = "import numpy as np\ndef softmax(logits, axis=-1):\n    return logits.nowhere\n"
NOTHING = "def softmax(logits, axis=-1):\n    return None\n"


def test_a_line_of_ones_own_model_is_to_blame_for_what_it_raises(attn_lab: Run, own):
    code, _, err = attn_lab("demo", "causal", "--with", own(NOWHERE))
    assert code == 1
    assert one_sentence(err).startswith("error: Line 3 of own.py raised AttributeError: 'numpy.ndarray' object has no")


def test_a_line_of_the_model_is_to_blame_and_not_the_file_beside_it(attn_lab: Run, own):
    code, _, err = attn_lab("demo", "sentence", "--with", own(NOTHING))
    assert code == 1
    assert "of <transformer.py> raised ValueError" in one_sentence(err)
    assert "own.py" not in err
    assert err.endswith("It cannot work with what the model's functions return.\n")


def test_a_line_of_our_demo_is_named_but_not_to_be_corrected(attn_lab: Run, own):
    file = own("def attention(query, key, value, mask=None):\n    return query, None\n")
    code, _, err = attn_lab("demo", "causal", "--with", file)
    assert code == 1
    assert "causal.py raised AttributeError" in one_sentence(err)
    assert err.endswith("It cannot work with what the model's functions return.\n")


def test_a_line_of_ones_own_demo_is_to_blame_for_what_it_does_with_a_model(attn_lab: Run, own):
    demo = own("def run(model):\n    return model.softmax([1.0])[7]\n", "mine.py")
    model = own("def softmax(logits, axis=-1):\n    return logits\n")
    code, _, err = attn_lab("demo", demo, "--with", model)
    assert code == 1
    assert one_sentence(err).startswith("error: Line 2 of mine.py raised IndexError: list index out of range.")
    model = own("def softmax(logits, axis=-1):\n    return logits[7]\n")
    code, _, err = attn_lab("demo", demo, "--with", model)
    assert code == 1
    assert one_sentence(err).startswith("error: Line 2 of own.py raised IndexError: list index out of range.")


def test_a_syntax_error_is_in_the_file_that_has_it(attn_lab: Run, own, monkeypatch: pytest.MonkeyPatch):
    own("x = = 1\n", "beside.py")
    demo = own("import sys\nsys.path.insert(0, '.')\nimport beside\n")
    monkeypatch.setattr("sys.path", [*sys.path])
    assert "beside.py is not valid Python" in one_sentence(attn_lab("demo", demo)[2])
    assert "Line 1 of own.py raised SyntaxError: " in one_sentence(attn_lab("demo", own("eval('1 +')\n"))[2])
    assert "Line 1 of own.py is not valid Python: " in one_sentence(attn_lab("demo", own("1 +\n"))[2])
    assert "Line 1 of own.py is not valid Python: " in one_sentence(
        attn_lab("demo", "causal", "--with", own("1 +\n"))[2]
    )


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (ValueError("no"), "ValueError: no."),
        (ValueError("one.\ntwo\nthree"), "ValueError: one."),
        (ValueError("\n\n  one\ntwo"), "ValueError: one."),
        (ValueError(""), "ValueError."),
        (SystemExit(3), "SystemExit: 3."),
        (ValueError("x" * 10**6), f"ValueError: {'x' * 200}…."),
    ],
)
def test_of_an_error_of_many_lines_the_first_is_told(error: BaseException, what: str):
    assert error_summary(error) == what
    assert complaint("own.py", error) == f"own.py raised {what}"


# ---- numbers that are none ----


@pytest.mark.parametrize("demo", ["causal", "sentence", "trace", "worked", "heads", "lookup", "saturation"])
def test_complex_weights_are_refused_and_not_cut_to_real_ones(attn_lab: Run, own, demo: str):
    file = own(
        "import numpy as np\ndef softmax(logits, axis=-1):\n    return np.ones_like(logits) / len(logits) + 1j\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside of tests
        code, out, err = attn_lab("demo", demo, "--with", file)
    assert (code, out) == (1, "")
    assert any(word in one_sentence(err) for word in ("complex", "j)"))


# ---- files that are none ----


@pytest.mark.parametrize("place", [("demo", "{}"), ("demo", "causal", "--with", "{}"), ("break", "--with", "{}")])
def test_what_is_no_file_is_not_waited_for(attn_lab: Run, tmp_path: Path, place: tuple[str, ...]):
    os.mkfifo(tmp_path / "fifo.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    for path, what in (
        (tmp_path / "fifo.py", "it is a pipe or device."),
        ("/dev/zero", "it is a pipe or device."),
        ("/dev/null", "it is a pipe or device."),
        (tmp_path / "folder.py", "it is a folder."),
        (tmp_path / "nowhere.py", "there is no such file."),
        (tmp_path / "loop.py", ""),
        (tmp_path / ("a" * 300 + ".py"), ""),
    ):
        code, out, err = attn_lab(*(word.format(path) for word in place))
        assert (code, out) == (2, "")
        assert brief(f"Cannot read {path}: {what}") in one_sentence(err)


MARKED = b"\xef\xbb\xbf"
SOFTMAX = (
    "import numpy as np\ndef softmax(logits, axis=-1):  # é\n    return np.ones_like(logits) / logits.shape[axis]\n"
)


@pytest.mark.parametrize(
    "encoded",
    [
        MARKED + SOFTMAX.encode(),
        b"# coding: latin-1\n" + SOFTMAX.encode("latin-1"),
        SOFTMAX.replace("\n", "\r\n").encode(),
    ],
    ids=["byte order mark", "coding", "CRLF"],
)
def test_a_file_is_read_as_python_reads_it(attn_lab: Run, tmp_path: Path, encoded: bytes):
    path = tmp_path / "own.py"
    path.write_bytes(encoded)
    code, out, err = attn_lab("demo", "causal", "--with", str(path), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["matrices"]
    path.write_bytes(encoded + b"def run(model):\n    return None\n")
    assert "run() of" in one_sentence(attn_lab("demo", str(path))[2])


def test_an_encoding_that_does_not_exist_is_told(attn_lab: Run, own):
    file = own("# coding: nowhere\n")
    for words in (("demo", file), ("demo", "causal", "--with", file)):
        code, _, err = attn_lab(*words)
        assert code == 2
        assert "own.py" in one_sentence(err)


# ---- code that does not end ----

SLOW = "import time\ntime.sleep(0.3)\n"


@pytest.mark.parametrize("words", [("demo", "causal", "--with"), ("break", "--with"), ("demo",)])
def test_one_is_told_that_one_need_not_wait(attn_lab: Run, own, monkeypatch: pytest.MonkeyPatch, words):
    file = own(SLOW + SOFTMAX + f"{HEAD}def run(model):\n    return Result((Note('n', 'text'),))\n")
    assert "come to an end" not in attn_lab(*words, file)[2]
    monkeypatch.setattr(time_limit, "PATIENCE", 0.1)
    code, out, err = attn_lab(*words, file)
    assert code == 0
    assert set(err.splitlines()) == {"Your code has not come to an end in 0.1 s; Ctrl-C ends it."}
    assert "come to an end" not in out


def test_code_of_ours_is_not_reminded_of(attn_lab: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time_limit, "PATIENCE", 0.0)
    assert attn_lab("demo", "causal")[2] == ""


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "handled"])
def test_a_time_limit_ends_code_also_where_ctrl_c_is_not_heard(handler):
    """As in a background job of a script."""

    def press_ctrl_c_and_go_on() -> None:
        with time_limit.time_limit(0.1):
            signal.raise_signal(signal.SIGINT)
            while True:
                pass

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(time_limit.TookTooLong, match="did not end within"):
            press_ctrl_c_and_go_on()
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
