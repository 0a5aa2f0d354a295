"""`attn-lab check FILE --watch`: what a save changed, hints one at a time, files that are saved in every way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lesson"))
from terminals import Terminal, terminal

from attention_lab.check.calls import outline
from attention_lab.check.survey import Survey
from attention_lab.check.unnamed import culprits
from attention_lab.check.watching import HINTS, Progress, Stand, changes, file_of, load, save
from attention_lab.commands.check_watch import settled, stamp

SOFTMAX = """\
import numpy as np

def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
RIGHT = (
    SOFTMAX
    + """
def attention(q, k, v):
    w = softmax(q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5)
    return w @ v, w
"""
)
UNSCALED = RIGHT.replace(" / q.shape[-1] ** 0.5", "")
OTHERWISE = RIGHT.replace("** 0.5", "")  # by d_k
WAITS = r"Waiting for the next save[^\n]*$"
OK, WRONG = Stand(True, "right"), Stand(False, "break", ("no-scale",))


# ---- what changed ----


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (OK, OK, ()),
        (None, OK, ()),
        (WRONG, WRONG, ()),
        (WRONG, OK, ("f was no-scale, and is right now.",)),
        (Stand(False, "unknown"), OK, ("f was wrong, and is right now.",)),
        (OK, WRONG, ("f was right, and is wrong now.",)),
        (WRONG, Stand(False, "break", ("mask-flip",)), ("f is wrong in another way now.",)),
        (
            Stand(False, "break", ("a", "b")),
            Stand(False, "break", ("b",)),
            ("f: a is gone. Something else is wrong, too.",),
        ),
        (WRONG, Stand(False, "does-not-run", (), "x"), ("f does not run any more.",)),
        (Stand(False, "does-not-run", (), "x"), Stand(False, "does-not-run", (), "y"), ("f fails in another way.",)),
        (Stand(False, "does-not-run", (), "x"), WRONG, ("f runs now, and is not right yet.",)),
        (Stand(False, waits=True), WRONG, ("f is written, and not right yet.",)),
        (Stand(False, waits=True), OK, ("f was to be written, and is right now.",)),
        (OK, Stand(False, waits=True), ("f cannot be judged any more: something is to be written again.",)),
        (None, WRONG, ("f is new, and wrong.",)),
        (WRONG, None, ("f is gone.",)),
    ],
)
def test_each_change_is_said_and_no_fault_named_that_is_still_there(before: Stand, now: Stand, said: tuple[str, ...]):
    def one(stand: Stand | None) -> dict[str, Stand]:
        return {} if stand is None else {"f": stand}

    assert changes(one(before), one(now)) == said
    assert not any(fault in " ".join(said) for fault in (now.faults if now else ()) if now and not now.right)


def test_what_is_so_of_several_is_said_once():
    names = ("attention", "multi_head", "encode")
    (sentence,) = changes(dict.fromkeys(names, WRONG), dict.fromkeys(names, OK))
    assert sentence == "attention was no-scale, and is right now. The same goes for multi_head and encode."


# ---- which functions are wrong by themselves ----


@dataclass(frozen=True)
class Offered:
    name: str


@dataclass(frozen=True)
class Found:
    """As much of a finding as is asked for."""

    definition: Offered
    alarming: bool = True


def culprits_of(text: str, wrong: str) -> dict[str, tuple[str, ...]]:
    names = outline(text).calls
    findings = tuple(Found(Offered(name), name in wrong.split()) for name in names)
    return {one.definition.name: behind for one, behind in culprits(Survey(findings, (), outline(text)))}


CHAIN = "def a(): return 1\ndef b(): return a()\ndef c(): return b()\ndef lone(): return 1\n"
RING = "def a(): return b()\ndef b(): return a()\ndef c(): return b()\ndef lone(): return 1\n"


@pytest.mark.parametrize(
    ("text", "wrong", "found"),
    [
        (CHAIN, "a b c", {"a": ("b", "c")}),
        (CHAIN, "b c lone", {"b": ("c",), "lone": ()}),
        (CHAIN, "a c", {"a": ("c",)}),
        (CHAIN, "", {}),
        (RING, "a b c lone", {"a": ("c",), "b": ("c",), "lone": ()}),
        (RING, "a c", {"a": ("c",)}),
    ],
)
def test_a_fault_is_told_of_the_function_that_has_it(text: str, wrong: str, found: dict[str, tuple[str, ...]]):
    assert culprits_of(text, wrong) == found


# ---- the file, on any drive, by any editor ----


def test_two_saves_of_one_size_in_one_second_are_told_apart(tmp_path: Path):
    file = tmp_path / "a.py"
    stamps = []
    for text in ("x = 1\n", "x = 2\n"):
        file.write_text(text)
        os.utime(file, (1000, 1000))  # as a drive that counts whole seconds has it
        stamps.append(stamp(file))
    assert stamps[0] != stamps[1]
    assert stamps[0].size == stamps[1].size
    assert stamps[0].time == stamps[1].time


def test_a_file_that_is_being_written_is_waited_for(tmp_path: Path):
    file = tmp_path / "a.py"
    file.write_text("")
    left = ["half", "whole", "whole"]
    settled_now = settled(file, stamp(file), lambda _: file.write_text(left.pop(0)) if left else None)
    assert not left
    assert settled_now == stamp(file)
    assert settled_now.size == len("whole")


def test_a_file_that_goes_while_it_is_looked_at_is_no_save(tmp_path: Path):
    file = tmp_path / "a.py"
    file.write_text("x")
    assert settled(file, stamp(file), lambda _: file.unlink(missing_ok=True)) is None
    assert stamp(file) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_what_is_no_file_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.py")
    assert stamp(tmp_path / "pipe.py") is None
    assert stamp(tmp_path) is None


# ---- progress ----


def test_progress_is_kept_and_names_no_fault(tmp_path: Path):
    progress = Progress().after({"f": OK, "g": WRONG}, saved=True).hinted("k").hinted("k")
    save(tmp_path, Path("a.py"), progress)
    assert load(tmp_path, Path("a.py")) == progress
    assert str(progress) == "1 save, 2 hints"
    assert "no-scale" not in file_of(tmp_path, Path("a.py")).read_text()
    assert load(tmp_path, Path("elsewhere/a.py")) == Progress()


def test_what_came_to_its_end_begins_anew(tmp_path: Path):
    save(tmp_path, Path("a.py"), Progress().after({"f": OK}, saved=True))
    assert load(tmp_path, Path("a.py")) == Progress()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"saves": -1, "right": [], "hints": {}, "done": false}', "\udcff"])
def test_progress_that_cannot_be_read_is_none(tmp_path: Path, text: str):
    file = file_of(tmp_path, Path("a.py"))
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode(errors="surrogateescape"))
    assert load(tmp_path, Path("a.py")) == Progress()


def test_hints_come_to_an_end():
    progress = Progress()
    for _ in range(9):
        progress = progress.hinted("k")
    assert progress.hints == {"k": HINTS + 1}


# ---- at a terminal ----


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(UNSCALED)
    return path


def watching(file: Path, *words: str):
    return terminal("check", str(file), "--watch", *words, XDG_CONFIG_HOME=str(file.parent / "home"))


def at_save(at: Terminal, change: Callable[[], object], what: str) -> str:
    """Change the file and wait for what the watch says to it."""
    at.raw = ""
    change()
    return at.wait(what + r"[\s\S]*" + WAITS)


@pytest.mark.slow
def test_symptoms_first_then_hints_then_the_line_and_a_repair(file: Path):
    with watching(file) as at:
        first = at.wait(WAITS)
        assert "1 of 2 functions" in first
        assert "The smallest input" in first
        assert "entropy-64" in first
        assert "no-scale" not in first
        for level in range(1, HINTS + 1):
            seen = at.press("h", rf"Hint {level} of {HINTS}[\s\S]*" + WAITS)
            assert "no-scale" not in seen
        assert "pass  # no scale" in at.press("h", r"has no-scale[\s\S]*" + WAITS)
        wrong = at_save(at, lambda: file.write_text(OTHERWISE), "wrong in another way")
        assert "scale-by-d-k" not in wrong
        at_save(at, lambda: file.write_text("def f(:\n"), "not valid Python")
        right = at_save(at, lambda: file.write_text(RIGHT), "All of it is right, after 3 saves, 4 hints")
        assert "attention was scale-by-d-k, and is right now" in right
        os.write(at.parent, b"q")
        assert at.left() == 0
        assert at.echoes()


@pytest.mark.slow
def test_a_file_that_is_replaced_and_one_that_is_gone_for_a_moment(file: Path):
    def replaced():
        new = file.with_name("mine.py~")
        new.write_text(RIGHT)
        new.replace(file)

    with watching(file) as at:
        at.wait(WAITS)
        at_save(at, replaced, "and is right now")
        at.raw = ""
        file.unlink()
        at.wait("mine.py is not there; waiting for it")
        at_save(at, lambda: file.write_text(UNSCALED), "was right, and is wrong now")
        at.raw = ""
        os.utime(file)
        at.wait("Saved without a change")
        os.write(at.parent, b"q")
        assert at.left() == 1
        assert "1 function wrong: attention." in at.text


@pytest.mark.slow
def test_of_a_file_that_was_right_from_the_start_no_saves_are_counted(file: Path):
    file.write_text(RIGHT)
    with watching(file) as at:
        seen = at.wait(WAITS)
        os.write(at.parent, b"q")
        assert at.left() == 0
    assert "All of it is right." in seen
    assert "0 saves" not in seen


@pytest.mark.slow
def test_ctrl_c_quits_with_130_the_terminal_as_it_was_and_the_progress_kept(file: Path):
    with watching(file) as at:
        at.wait(WAITS)
        at.press("h", rf"Hint 1 of {HINTS}[\s\S]*" + WAITS)
        assert not at.echoes()
        os.write(at.parent, b"\x03")
        assert at.left() == 130
        assert at.echoes()
        assert "goes on after 0 saves, 1 hint." in at.text
    with watching(file) as at:
        assert "Going on after 0 saves, 1 hint, with 1 function right." in at.wait(WAITS)
        at.press("h", rf"Hint 2 of {HINTS}[\s\S]*" + WAITS)


# ---- without one ----


def run(file: Path, *words: str, typed: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "attention_lab", "check", str(file), *words],
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "XDG_CONFIG_HOME": str(file.parent / "home")},
    )
    return done.returncode, done.stdout, done.stderr


def test_without_a_terminal_it_ends_at_the_end_of_input(file: Path):
    code, out, err = run(file, "--watch", "--plain", typed="h\nh\n")
    assert code == 1
    assert f"Hint 2 of {HINTS}" in out
    assert "attention" in err
    assert json.loads(next((file.parent / "home").rglob("*.json")).read_text())["saves"] == 0


@pytest.mark.slow
def test_on_what_is_no_fault_of_the_catalogue_there_are_no_hints(file: Path):
    file.write_text(RIGHT.replace("** 0.5", "** 0.51"))
    code, out, _ = run(file, "--watch", "--plain", typed="h\n")
    assert code == 1
    assert "no break of the catalogue does the same" in out
    assert "h: hint" not in out
    assert "there is no hint" in out
    assert json.loads(next((file.parent / "home").rglob("*.json")).read_text())["hints"] == {}


@pytest.mark.slow
def test_hints_are_on_the_first_fault_of_the_catalogue(file: Path):
    file.write_text(UNSCALED.replace("e / e.sum(-1, keepdims=True)", "e + 0.25"))
    _, out, _ = run(file, "--watch", "--plain")
    assert "softmax (line 3) computes softmax. Measured: It computes something else, and no break" in out
    assert "h: hint" not in out
    file.write_text(UNSCALED + "\ndef causal_mask(T):\n    return np.ones((T, T), bool)\n")
    _, out, _ = run(file, "--watch", "--plain", typed="h\n")
    assert "Hint 1 of 3 on attention" in out


def test_without_watch_there_are_no_hints_and_the_line_is_shown_at_once(file: Path):
    _, out, _ = run(file)
    assert "Hint" not in out
    assert "pass  # no scale" in out


def test_unnamed_shows_the_symptoms_alone(file: Path):
    code, out, _ = run(file, "--unnamed", "--plain")
    assert code == 1
    assert "entropy-64" in out
    assert "no-scale" not in out
    assert "# no scale" not in out


@pytest.mark.sample(1)
@pytest.mark.parametrize("view", [("--json",), ("--html", "x.html"), ("--svg", "x.svg"), ("--unnamed",)])
def test_what_does_not_go_with_watch(file: Path, view: tuple[str, ...]):
    code, out, err = run(file, "--watch", *view)
    assert code == 2
    assert "--watch" in out + err
    assert not Path("x.html").exists()


def test_a_file_that_was_never_there_is_not_waited_for(tmp_path: Path):
    code, _, err = run(tmp_path / "mistyped.py", "--watch")
    assert code == 2
    assert "there is no such file" in err


def test_of_what_is_to_be_written_the_next_few_are_named(file: Path):
    file.write_text("".join(f"def f{i}(x):\n    ...\n" for i in range(9)))
    out = run(file, "--plain")[1]
    assert "Still to be written: f0, f1, f2, f3, f4, f5 and 3 more." in " ".join(out.split())


@pytest.mark.slow
def test_a_skeleton_is_to_be_written_and_not_wrong(file: Path):
    file.write_text(SOFTMAX + "\ndef causal_mask(T):\n    ...\n\ndef attention(q, k, v):\n    return causal_mask(3)\n")
    code, out, _ = run(file, "--plain")
    assert code == 0
    assert "Still to be written: causal_mask." in out
    assert "attention was not judged: it calls causal_mask" in out
    file.write_text("def softmax(x):\n    ...\n")
    code, out, err = run(file, "--plain")
    assert code == 2
    assert "wrong" not in out + err
