"""`attn-lab walk` from outside: by keys at a terminal, by lines of a pipe, straight through, and verified."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest
from fixtures import Run, mark_slow
from terminals import terminal

from attention_lab.commands.results import result_of
from attention_lab.commands.walking import beside
from attention_lab.lesson.classbook import AnswerRow, append_rows, read_rows
from attention_lab.lesson.library import shipped_lessons
from attention_lab.show.jsonview import SCHEMA as RESULT_SCHEMA
from attention_lab.show.walkjson import SCHEMA

LESSON = """\
# A small lesson

What it is *about*.

## One

```predict
How large is the largest weight at 512?

- Small.
  when: spread/512/largest weight < 0.5
  idea: Softmax looks at differences.
- Nearly 1.
  when: spread/512/largest weight > 0.99
- Halfway.
  when: spread/512/largest weight = 0.5
```

```run
attn-lab demo scaling
show: spread
```

It is [1.00](<result:spread/512/largest weight>).

## Two

```diagnose
attn-lab break mask-flip --size 4

- mask-zero
  idea: There nothing is hidden.
- mask-flip
```
"""
FOOT = r"(step \d+ of \d+[^\n]*|Answer a-[^\n]*|end[^\n]*)$"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "small.md"
    path.write_text(LESSON, encoding="utf-8")
    return str(path)


# ---- the list, and names ----


def test_the_list_has_every_lesson_and_no_readme(attn_lab: Run):
    code, out, err = attn_lab("walk", "--json")
    assert (code, err) == (0, "")
    table = json.loads(out)["tables"][0]
    assert [row[0] for row in table["rows"]] == list(shipped_lessons())
    assert table["rows"][0][0] == "quick"
    assert "README" not in shipped_lessons()


def test_an_unknown_lesson(attn_lab: Run):
    assert attn_lab("walk", "quik") == (2, "", "error: There is no lesson 'quik'.\n       Did you mean quick?\n")
    code, _, err = attn_lab("walk", "./quik.md")
    assert (code, "There is no lesson 'quik.md'." in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("quick", "--present", "--plain"), "--present does not go with --plain."),
        (("quick", "--present", "--no-pause"), "--present does not go with --no-pause."),
        (("quick", "--no-pause", "--verify"), "--no-pause does not go with --verify."),
        (("quick", "--from", "2", "--verify"), "--from does not go with --verify."),
        (("quick", "--record", "a.csv", "--no-pause"), "--record does not go with --no-pause."),
        (("quick", "--record", "a.csv", "--json"), "--record does not go with --json."),
        (("quick", "--svg", "a.svg"), "--svg does not go with a walk."),
        (("--verify",), "--verify is of a lesson, and none is named."),
        (("--from", "0"), "--from is of a lesson, and none is named."),
        (("quick", "--from", "0"), "--from is 0. The lesson has steps 1 to"),
        (("quick", "--from", "99"), "--from is 99. The lesson has steps 1 to"),
        (("quick", "--from", "x"), "Argument --from: invalid int value: 'x'."),
        (("quick", "--record", ""), "Argument --record: '' is no name."),
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together(attn_lab: Run, tmp_path: Path, monkeypatch, words: tuple[str, ...], what: str):
    monkeypatch.chdir(tmp_path)
    code, out, err = attn_lab("walk", *words)
    assert code == 2
    assert what in " ".join((out + err).split())
    assert not list(tmp_path.iterdir())


# ---- straight through ----


def test_straight_through_tells_everything(attn_lab: Run, file: str):
    code, out, err = attn_lab("walk", file, "--no-pause")
    assert (code, err) == (0, "")
    for text in ("What it is about.", "a) Small.", "Answer: b) Nearly 1.", "Not a): Softmax looks", "It is 1.00."):
        assert text in out
    assert out.index("a) mask-zero") < out.index("Answer: b) mask-flip") < out.index("$ attn-lab break mask-flip")
    assert "mask-flip" not in out[: out.index("a) mask-zero")]


def test_straight_through_from_a_step_on(attn_lab: Run, file: str):
    _, out, _ = attn_lab("walk", file, "--no-pause", "--from", "3")
    assert "How large" not in out
    assert "It is 1.00." in out


@pytest.mark.sample(1)
@pytest.mark.parametrize("view", [(), ("--plain",)])
@pytest.mark.parametrize(("encoding", "columns"), [("ascii", "40"), ("cp1252", "80"), ("utf-8", "1")])
def test_straight_through_any_pipe(file: str, encoding: str, columns: str, view: tuple[str, ...]):
    changes = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": columns, "TERM": "dumb"}
    words = ("walk", file, "--no-pause", *view)
    done = subprocess.run(
        [sys.executable, "-m", "attention_lab", *words], capture_output=True, env={**os.environ, **changes}
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding)
    assert "\x1b" not in text
    if not view and columns != "1":
        assert max(map(len, text.splitlines())) <= int(columns)


def test_nothing_is_computed_twice(attn_lab: Run, file: str, monkeypatch):
    ran = []
    monkeypatch.setattr("attention_lab.commands.walk.result_of", lambda words: ran.append(words) or result_of(words))
    for view in ("--plain", "--json"):
        attn_lab("walk", file, "--no-pause", view)
    assert ran == [("demo", "scaling"), ("break", "mask-flip", "--size", "4")] * 2


def test_a_whole_lesson_as_json(attn_lab: Run, file: str):
    code, out, err = attn_lab("walk", file, "--json")
    assert (code, err) == (0, "")
    whole = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA).validate(whole)
    blocks = [block for step in whole["steps"] for block in step["blocks"]]
    assert [block["kind"] for block in blocks] == [
        "prose",
        "predict",
        "result",
        "prose",
        "result",
        "diagnose",
        "result",
    ]
    for block in blocks:
        if block["kind"] == "result":
            jsonschema.Draft202012Validator(RESULT_SCHEMA).validate(block["result"])
    assert [choice["right"] for choice in blocks[1]["choices"]] == [False, True, False]
    assert blocks[3]["markdown"] == "It is 1.00."
    assert blocks[4]["command"] == ""
    assert blocks[6]["command"] == "attn-lab break mask-flip --size 4"


# ---- verified ----


def test_a_lesson_that_holds_is_verified(attn_lab: Run, file: str):
    code, out, err = attn_lab("walk", file, "--verify", "--json")
    assert code == 1  # "Halfway." does not say what it reveals
    assert "'Halfway.' does not say what it reveals" in out
    Path(file).write_text(LESSON.replace("largest weight = 0.5", "largest weight = 0.5\n  idea: No."), encoding="utf-8")
    code, out, err = attn_lab("walk", file, "--verify", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    jsonschema.Draft202012Validator(RESULT_SCHEMA).validate(result)
    assert result["tables"][0]["rows"] == [
        ["commands run", 2],
        ["numbers compared", 1],
        ["questions answered", 2],
        ["choices judged", 5],
    ]
    assert [statement["holds"] for statement in result["statements"]] == [True]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[1.00]", "[0.90]", 24),
        ("demo scaling", "demo scalin", 19),
        ("> 0.99", "> 2", 7),
        ("show: spread", "show: spred", 19),
        ("```run", "```rum", 19),
    ],
)
def test_what_no_longer_holds_has_its_file_and_line(attn_lab: Run, file: str, old: str, new: str, line: int):
    Path(file).write_text(LESSON.replace(old, new), encoding="utf-8")
    code, out, err = attn_lab("walk", file, "--verify", "--json")
    assert code == 1
    assert err.startswith("error: ")
    faults = next(table for table in json.loads(out)["tables"] if table["name"] == "faults")
    assert f"{file}:{line}" in [row[0] for row in faults["rows"]]


@pytest.mark.parametrize("name", mark_slow(shipped_lessons(), "d0", "d2", "d3", "d4"))
def test_every_shipped_lesson_holds(attn_lab: Run, name: str):
    began = time.monotonic()
    code, out, err = attn_lab("walk", name, "--verify", "--plain")
    assert code == 0, out + err
    assert time.monotonic() - began < 120


# ---- by the lines of a pipe ----


def test_lines_are_commands(attn_lab: Run, file: str):
    typed = "\na\n\nback\nback\n\n3\n?\n\nxyz\ng 9\ng\n2\nb\nq\n"
    code, out, err = attn_lab("walk", file, typed=typed)
    assert (code, err) == (0, "")
    for text in (
        "Not a) Small.",
        "Softmax looks at differences.",
        "What was measured says b) Nearly 1.",
        "quit, keep the place",
        "No such key",
        "There are steps 1 to 4.",
        "Your first answer counts.",
        "Right: b) Nearly 1.",
        "You left at step 2 of 4.",
    ):
        assert text in " ".join(out.split()), text


def test_the_end_of_the_input_ends_the_walk(attn_lab: Run, file: str):
    code, out, err = attn_lab("walk", file, typed="\n")
    assert (code, err) == (0, "")
    assert "You left at step 2 of 4." in " ".join(out.split())


def test_to_the_end_and_its_score(attn_lab: Run, file: str, home: Path):
    code, out, _ = attn_lab("walk", file, typed="\na\n\n\nb\n\n\n")
    said = " ".join(out.split())
    assert code == 0
    assert "2 of 2 questions answered; 1 of 2 answers right." in said
    assert "Not a) Small." in said
    assert f"attn-lab walk {shlex.quote(file)} --from 2".replace(" ", "") in said.replace(" ", "")
    assert "You left" not in said
    assert not list(home.rglob("*.json"))


def test_a_command_to_type_next_can_be_pasted_whatever_the_lesson_is_called(attn_lab: Run, file: str, tmp_path: Path):
    odd = str(Path(file).rename(tmp_path / "it's $HOME.md"))
    _, out, _ = attn_lab("walk", odd, "--plain", typed="\na\nq\n")
    _, end, _ = attn_lab("walk", odd, "--plain", typed="4\nb\n\n\n")
    found = re.findall(r"'(attn-lab walk .*)' goes on|again: '(attn-lab walk .*)'\.", out + end)
    commands = [one or other for one, other in found]
    assert len(commands) == 2
    for command in commands:
        assert shlex.split(command)[2] == odd


def test_a_projector_in_a_pipe_writes_no_codes(attn_lab: Run, file: str):
    code, out, _ = attn_lab("walk", file, "--present", typed="\nb\n\n\n\n\n\n\n\n\n\nq\n")
    assert code == 0
    assert "\x1b" not in out
    assert "Right: b) Nearly 1." in out


def test_going_on_without_an_answer_takes_two_enters_and_no_score(attn_lab: Run, file: str):
    _, out, _ = attn_lab("walk", file, typed="\n\n\n\n\n\n\n\n\n")
    assert "Answer a-c; Enter goes on without one." in out
    assert "Answer: b) Nearly 1." in out
    assert "answers right" not in out


def test_a_broken_lesson_is_told(attn_lab: Run, file: str):
    Path(file).write_text(LESSON.replace("[1.00](<result:spread", "[1.00](<result:spred"), encoding="utf-8")
    code, _, err = attn_lab("walk", file, typed="\nb\n\n")
    assert code == 2
    assert "line 24: no part 'spred'" in " ".join(err.split())


# ---- the place is kept ----


def test_it_goes_on_where_it_was_left_with_what_was_answered(attn_lab: Run, file: str):
    attn_lab("walk", file, typed="\na\n\nq\n")
    code, out, _ = attn_lab("walk", file, typed="\nb\n\n\n")
    assert code == 0
    assert "Going on at step 3" in out
    assert "2 of 2 questions answered; 1 of 2 answers right." in " ".join(out.split())


def test_it_starts_over_when_asked_to(attn_lab: Run, file: str):
    attn_lab("walk", file, typed="\na\n\nq\n")
    _, out, _ = attn_lab("walk", file, "--from", "1", typed="\nb\nq\n")
    assert "Going on" not in out
    assert "Right: b)" in out


def test_a_place_in_another_version_is_none(attn_lab: Run, file: str):
    attn_lab("walk", file, typed="\na\n\nq\n")
    Path(file).write_text(LESSON + "\nMore.\n", encoding="utf-8")
    _, out, _ = attn_lab("walk", file, typed="q\n")
    assert "Your place is of another version of this lesson: it starts over." in " ".join(out.split())


def test_a_place_that_cannot_be_kept_is_told_once_and_ends_nothing(attn_lab: Run, file: str, home: Path):
    home.mkdir()
    (home / "attention-lab").write_text("in the way")
    code, out, err = attn_lab("walk", file, typed="\na\n\n\nb\n\n\n")
    assert (code, err) == (0, "")
    assert out.count("Cannot keep your place") == 1
    assert "1 of 2 answers right" in " ".join(out.split())


# ---- the class ----


def test_a_class_is_recorded_and_seen(attn_lab: Run, file: str, tmp_path: Path):
    record = tmp_path / "class.csv"
    attn_lab("walk", file, "--record", str(record), "--from", "1", typed="\na\nq\n")
    attn_lab("walk", file, "--record", str(record), "--from", "1", typed="\na\nb\nq\n")  # the first answer counts
    _, out, _ = attn_lab("walk", file, "--record", str(record), "--from", "1", typed="\nb\n\n\nb\n\n\n")
    assert "Who chose what" in out
    code, out, _ = attn_lab("walk", "--record", str(record), "--json")
    assert code == 0
    answers, ideas = json.loads(out)["tables"]
    assert [row[2:] for row in answers["rows"]] == [
        ["Small.", "no", 2],
        ["Nearly 1.", "yes", 1],
        ["mask-flip", "yes", 1],
    ]
    assert ideas["rows"] == [[2, "Softmax looks at differences.", "How large is the largest weight at 512?"]]


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "\x00\xff", "time,lesson\n"])
def test_a_file_that_holds_something_else_is_refused_and_stays(attn_lab: Run, file: str, tmp_path: Path, content: str):
    record = tmp_path / "class.csv"
    record.write_text(content, encoding="latin-1")
    code, out, err = attn_lab("walk", file, "--record", str(record), typed="\na\n")
    assert (code, out) == (2, "")
    assert "holds no answers" in " ".join(err.split())
    assert record.read_text(encoding="latin-1") == content


def test_a_record_that_is_not_there_is_not_one_without_answers(attn_lab: Run, tmp_path: Path):
    code, out, err = attn_lab("walk", "--record", str(tmp_path / "clas.csv"))
    assert (code, out) == (2, "")
    assert "There is no file" in err
    assert "--record" in err


def test_a_record_that_cannot_be_written_is_refused_before_the_lesson(attn_lab: Run, file: str, tmp_path: Path):
    for record in (tmp_path, tmp_path / "nowhere" / "a.csv"):
        code, out, err = attn_lab("walk", file, "--record", str(record), typed="\na\n")
        assert (code, out) == (1, "")
        assert "Cannot write" in err


def test_answers_that_cannot_be_written_are_told_once_and_counted_at_the_end(
    attn_lab: Run, file: str, tmp_path: Path, monkeypatch
):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("attention_lab.lesson.progress.append_rows", full)
    code, out, err = attn_lab("walk", file, "--record", str(tmp_path / "a.csv"), typed="\na\n\n\nb\nq\n")
    assert code == 1
    assert out.count("Cannot keep the answers") == 1
    assert "Cannot write 2 answers to" in " ".join(err.split())


def test_answers_that_could_not_be_written_are_written_with_the_next(attn_lab: Run, file: str, tmp_path, monkeypatch):
    failing = iter([True, False])

    def once(record: str, rows: list[AnswerRow]) -> None:
        if next(failing):
            raise OSError(errno.EACCES, "busy")
        append_rows(record, rows)

    monkeypatch.setattr("attention_lab.lesson.progress.append_rows", once)
    code, _, _ = attn_lab("walk", file, "--record", str(tmp_path / "a.csv"), typed="\na\n\n\nb\nq\n")
    assert code == 0
    assert [row.choice for row in read_rows(str(tmp_path / "a.csv"))] == ["Small.", "mask-flip"]


# ---- by keys at a terminal ----


def test_keys_are_neither_echoed_nor_waited_for(file: str):
    with terminal("walk", file) as it:
        it.wait("step 1 of 4")
        assert not it.echoes()
        it.press(" ", "step 2 of 4")
        assert it.press("a", "Enter: on").strip().startswith("Not a) Small.")
        assert "It is 1.00." in it.press("\r", "step 3 of 4")
        assert "step 2 of 4" in it.press("\x1b[D", "step 2 of 4")
        it.press("n", "step 3 of 4")
        it.press("4", r"Which step \(1 to 4\)\? 4")
        assert "Which fault" not in it.press("\r", "step 4 of 4, page 1 of")
        it.press("q", "You left at step 4 of 4.")
        assert it.left() == 0
        assert it.echoes()


@pytest.mark.sample(1)
@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 0)])
def test_interrupted_it_keeps_the_place(file: str, key: str, code: int):
    with terminal("walk", file) as it:
        it.wait("step 1 of 4")
        it.press("\r", "step 2 of 4")
        it.press(key, "You left at step 2 of 4.")
        assert it.left() == code
        assert "Traceback" not in it.text
        assert it.echoes()
    with terminal("walk", file) as it:
        it.wait("Going on at step 2")
        it.press("q", "You left")


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (40, 20), (30, 9)])
@pytest.mark.parametrize("mode", [(), ("--present",)])
def test_no_page_is_taller_or_wider_than_the_screen(file: str, columns: int, lines: int, mode: tuple[str, ...]):
    seen, questions = "", 0
    with terminal("walk", file, *mode, columns=columns, lines=lines) as it:
        page = it.wait(FOOT)
        while not re.search("^ *end", page, re.MULTILINE):
            rows = page.strip("\n").split("\n")
            assert len(rows) <= lines, page
            assert max(map(len, rows)) <= columns, page
            seen += page
            page = it.press("\x1b[6~", FOOT)  # Page Down, as a clicker sends it
            if "Answer a-" in page:
                questions += 1
                page = it.press("b", FOOT)
        it.press("q", "")
        assert it.left() == 0
    assert questions == 2
    words = " ".join(seen.split())
    for text in ("What it is", "b) Nearly", "1.00", "b) mask-flip", "future-mass", "np.triu"):
        assert text in words, text


def test_a_class_raises_its_hands(file: str, tmp_path: Path):
    record = tmp_path / "class.csv"
    with terminal("walk", file, "--present", "--record", str(record)) as it:
        it.wait(FOOT)
        it.press("\r", FOOT)
        assert "How many chose a)?" in it.press("h", "How many")
        assert "h begins it anew" in it.press("7x", "given up")
        it.press("h", r"chose a\)\?")
        it.press("12\x7f1", "11")
        it.press("\r", r"chose b\)\?")
        it.press("9\r", r"chose c\)\?")
        page = it.press("0\r", FOOT)
        assert "Answer: b) Nearly 1. (9 hands)" in page
        assert "Not a) (11 hands): Softmax looks at differences." in page
        it.press("\x1b[5~", FOOT)
        it.press("h", "No such key")  # the first answer counts
        it.press("q", "You left")
    rows = read_rows(str(record))
    assert [(row.choice, row.right, row.count) for row in rows] == [("Small.", "no", 11), ("Nearly 1.", "yes", 9)]


@pytest.mark.slow
def test_a_key_answers_at_once(file: str):
    with terminal("walk", file) as it:
        it.wait(FOOT)
        it.press("\r", FOOT)
        time.sleep(3)  # a person reads
        began = time.monotonic()
        it.press("b", FOOT)
        it.press("\r", FOOT)
        assert time.monotonic() - began < 1.5  # most of it the test's own waiting for the end of a page


def test_a_training_shows_how_far_it_is_and_can_be_interrupted(tmp_path: Path):
    training = "# T\n\nWords.\n\n## Two\n\n```run\nattn-lab train reverse --steps 100000\n```\n"
    (tmp_path / "t.md").write_text(training, encoding="utf-8")
    with terminal("walk", str(tmp_path / "t.md")) as it:
        it.wait("step 1 of 2")
        it.raw = ""
        os.write(it.parent, b"\r")
        while "loss" not in it.text:  # it goes on writing: there is no end to wait for
            it.raw += it.read().decode()
        assert not it.echoes()
        os.write(it.parent, b"\x03")
        assert it.left() == 130
        assert "Traceback" not in it.text
        assert "You left at step 2 of 2." in it.text
        assert it.echoes()


@pytest.mark.sample(1)
@pytest.mark.parametrize("words", [("--plain",), ("--present",), ()], ids=str)
def test_a_terminal_that_can_do_nothing_shows_all_the_same(file: str, words: tuple[str, ...]):
    with terminal("walk", file, *words, TERM="dumb", NO_COLOR="1") as it:
        it.wait(r"step 1 of 4[^\n]*\n?$")
        it.press("n", r"step 2 of 4[^\n]*\n?$")
        page = it.press("b", r"step 2 of 4[^\n]*\n?$")
        it.press("q", "You left at step 2 of 4")
        assert it.left() == 0
        assert re.search(r"^(step 2 of 4[^\n]*)?\n*You left at", page.splitlines()[-1] + it.text, re.M)
        assert "Right: b) Nearly 1." in page
        assert "\x1b" not in it.raw + page


def test_the_list_and_the_help_load_nothing_heavy():
    for words in (("walk",), ("walk", "--help")):
        code = f"import sys; from attention_lab.cli import main\ntry: main({words!r})\nexcept SystemExit: pass\n"
        show = "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", code + show], capture_output=True, text=True)
        assert not {"numpy", "autograd", "pydantic"} & set(done.stderr.split())


# ---- ahead ----


@pytest.mark.parametrize(
    ("words", "may"),
    [
        (("demo", "scaling"), True),
        (("demo", "causal", "--break", "mask-flip"), True),
        (("break", "mask-flip", "--size", "5"), True),
        (("explain", "mask-flip"), True),
        (("demo", "cost"), False),
        (("demo", "mine.py"), False),
        (("demo", "scaling", "--with", "mine.py"), False),
        (("demo", "scaling", "--with=mine.py"), False),
        (("break", "--edit", "a", "b"), False),
        (("break", "mask-flip", "--train"), False),
        (("train", "reverse"), False),
        (("claims",), False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_may_run_beside_the_reader(words: tuple[str, ...], may: bool):
    assert beside(words) is may
