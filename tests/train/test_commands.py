"""`attn-lab train` and `attn-lab break --train` from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_lab.commands import train_break
from attention_lab.train import side_by_side
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.run import Config
from attention_lab.train.story import STORY

Command = Callable[..., tuple[int, str, str]]
TINY = ("--d-model", "8", "--heads", "2", "--steps", "3", "--batch", "4")
SCALED = "scores = scores / query.shape[-1] ** 0.5  # scale"


# ---- train ----


def test_without_a_task_the_tasks_are_listed(attn_lab: Command):
    code, out, _ = attn_lab("train", "--plain")
    assert code == 0
    for name in ("reverse", "copy", "sort", "pronoun", "language"):
        assert name in out


def test_the_command_of_a_run_gives_it_again(attn_lab: Command):
    words = ("train", "reverse", *TINY, "--seed", "3", "--break", "mask-flip", "--edit", SCALED, "pass")
    code, first, err = attn_lab(*words, "--json")
    assert (code, err) == (0, "")
    import shlex

    command = json.loads(first)["command"]
    assert attn_lab(*shlex.split(command)[1:], "--json")[1] == first


def test_every_view_shows_a_run(attn_lab: Command, tmp_path: Path):
    code, out, _ = attn_lab(
        "train", "pronoun", *TINY, "--html", str(tmp_path / "a.html"), "--svg", str(tmp_path / "a.svg")
    )
    assert code == 0
    assert "nouns named right" in out
    assert (tmp_path / "a.html").exists()
    assert (tmp_path / "a.svg").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reverse", "--d-model", "30"), "does not divide into 4 heads"),
        (("reverse", "--steps", "-1"), "--steps is -1"),
        (("reverse", "--rate", "nan"), "--rate is nan"),
        (("reverse", "--dropout", "1"), "--dropout is 1"),
        (("reverse", "--text-file", "x"), "does not go with reverse"),
        (("reverse", "--save", "/nonexistent/x.npz"), "no folder"),
        (("reverse", "--load", "nowhere.npz"), "there is no such file"),
        (("pronoun", "--size", "8"), "--size does not go with pronoun"),
        (("revers",), "Did you mean reverse"),
        (("language", "--size", "250"), "too few"),
        (("language", "--text-file", "nowhere.txt"), "Cannot read nowhere.txt: there is no such file"),
        (("language", "--d-model", "1024", "--size", "512", "--batch", "4096", "--layers", "24"), "of memory"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(attn_lab: Command, words: tuple[str, ...], message: str):
    code, out, err = attn_lab("train", *words)
    assert (code, out) == (1 if "--save" in words else 2, "")
    assert message in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"\xff\xfe\x00", "Cannot read"),
        (b"a\0b", "no text"),
        (b"short", "too few"),
    ],
)
def test_text_files_that_cannot_be_learned(attn_lab: Command, tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "text.txt"
    file.write_bytes(content)
    code, _, err = attn_lab("train", "language", *TINY, "--text-file", str(file))
    assert code == 2
    assert message in err


def test_a_text_of_ones_own(attn_lab: Command, tmp_path: Path):
    file = tmp_path / "text.txt"
    file.write_text(STORY.upper(), encoding="utf-8")
    code, out, _ = attn_lab("train", "language", *TINY, "--text-file", str(file), "--plain")
    assert code == 0
    assert "perplexity" in out


def test_nan_from_the_first_step_is_a_sentence_and_a_result(attn_lab: Command):
    edit = ("--edit", "return exponentials / exponentials.sum", "return np.nan * exponentials / exponentials.sum")
    code, out, err = attn_lab("train", "reverse", *TINY, *edit, "--plain")
    assert (code, err) == (0, "")
    assert "from step 1 on, the loss or its gradient is no number" in out


RAISES = ("raise ValueError('oh')", "raise SystemExit(0)", "raise RecursionError", "x = 1 / 0", "x = 'a' + 1")


@pytest.mark.parametrize("line", RAISES)
@pytest.mark.parametrize("words", [("train", "reverse", *TINY), ("break", "--train")], ids=["train", "break"])
def test_an_edit_that_raises_shows_one_page_and_exits_1(
    attn_lab: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], line: str
):
    monkeypatch.setattr(train_break, "configs", lambda *_: [Config(NetworkSizes(T=3), 2, batch=4)])
    monkeypatch.setattr(side_by_side, "available_cores", lambda: 1)
    code, out, err = attn_lab(*words, "--edit", SCALED, line, "--json")
    assert code == 1
    page = json.loads(out)  # one document, and no other behind it
    assert "fresh examples" in page["tables"][-1]["title"]
    (told,) = [note["text"] for note in page["notes"] if note["name"] == "refused"]
    assert told.split(": ", 1)[1] in err
    assert err.count("error:") == 1


@pytest.mark.parametrize("words", [("train", "reverse", *TINY), ("break", "--train")], ids=["train", "break"])
def test_what_own_code_prints_is_kept_out_of_the_page(
    attn_lab: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
):
    monkeypatch.setattr(train_break, "configs", lambda *_: [Config(NetworkSizes(T=3), 2, batch=4)])
    monkeypatch.setattr(side_by_side, "available_cores", lambda: 1)
    file = tmp_path / "mine.py"
    file.write_text("def causal_mask(Tq, Tk=None):\n    print('noise')\n    return np.tri(Tq, Tk or Tq) > 0\n")
    file.write_text("import numpy as np\n\n\n" + file.read_text())
    code, out, _ = attn_lab(*words, "--with", str(file), "--json")
    assert code == 0
    assert json.loads(out)["tables"]


@pytest.mark.sample(1)
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("words", [("train", "reverse", "--steps", "1000000"), ("break", "mask-flip", "--train")])
def test_ctrl_c_shows_what_there_is_and_exits_130(words: tuple[str, ...], tmp_path: Path):
    pipe, begun = subprocess.PIPE, tmp_path / "begun"
    words = (*words, "--edit", SCALED, f"scores = scores / query.shape[-1] ** 0.5; open({str(begun)!r}, 'w').close()")
    command = [sys.executable, "-m", "attention_lab", *words, "--json"]
    running = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    while not begun.exists() and running.poll() is None:
        time.sleep(0.05)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err == ""
    assert any("interrupted after" in note["text"] for note in json.loads(out)["notes"])


# ---- break --train ----


@pytest.mark.slow
def test_break_train_ends_with_the_table_that_matters(attn_lab: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(train_break, "configs", lambda *_: [Config(NetworkSizes(T=5), 200)])
    code, out, err = attn_lab("break", "mask-flip", "--train", "--json")
    assert (code, err) == (0, "")
    page = json.loads(out)
    rows = {row[0]: row[1:3] for row in page["tables"][-1]["rows"]}
    assert min(rows["teacher-forced accuracy"]) > 0.9
    healthy, broken = rows["generated accuracy"]
    assert healthy > 0.9
    assert broken < 0.5
    holds = {statement["name"]: statement["holds"] for statement in page["statements"]}
    assert holds == {"cost": True, "seen": False}


def test_a_harmless_change_costs_nothing(attn_lab: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(train_break, "configs", lambda *_: [Config(NetworkSizes(T=3), 20)])
    _, out, _ = attn_lab("break", "--edit", SCALED, "scores = scores / (query.shape[-1] ** 0.5)", "--train", "--json")
    assert [statement["holds"] for statement in json.loads(out)["statements"]] == [False, False]


def test_a_fault_of_scale_is_shown_at_both_sizes(attn_lab: Command, monkeypatch: pytest.MonkeyPatch):
    real = train_break.configs
    few = lambda *given: [Config(config.sizes, 2, batch=4) for config in real(*given)]  # noqa: E731
    monkeypatch.setattr(train_break, "configs", few)
    _, out, _ = attn_lab("break", "no-scale", "--train", "--plain")
    assert "d_model = 128, heads = 1" in out
    assert "The same fault at d_k = 8" in out


def test_a_fault_that_cannot_be_trained_is_a_page(attn_lab: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(train_break, "configs", lambda *_: [Config(NetworkSizes(T=3), 2)])
    code, out, _ = attn_lab("break", "causal-inverted", "--train", "--plain")
    assert code == 0
    assert "may attend to nothing" in out


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "task", "unreached"),
    [("mask-flip", "reverse", False), ("cache-key-for-value", "language", False), ("rope-other-base", "reverse", True)],
)
def test_the_task_is_one_that_calls_what_was_changed(
    attn_lab: Command, monkeypatch: pytest.MonkeyPatch, name: str, task: str, unreached: bool
):
    monkeypatch.setattr(train_break, "configs", lambda _, task, __: [Config(task.sizes, 2, batch=4)])
    _, out, _ = attn_lab("break", name, "--train", "--plain")
    assert f"Task {task}:" in out
    assert ("No task here calls what was changed" in out) == unreached


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "needs a fault"),
        (("mask-flip", "--size", "5"), "--size does not go"),
        (("mask-flip", "--seed", "-1"), "--seed"),
    ],
)
def test_options_that_do_not_go_with_training(attn_lab: Command, words: tuple[str, ...], message: str):
    code, _, err = attn_lab("break", "--train", *words)
    assert code == 2
    assert message in err
