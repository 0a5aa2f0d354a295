"""What is printed can be pasted, what is given is not passed over, and what cannot be written is told."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.demo import Option, Param, command_line, options_of
from attention_lab.demo.registry import OURS, find
from attention_lab.options import add_options, parser_for, read_words, with_defaults
from attention_lab.text import brief

Run = Callable[..., tuple[int, str, str]]


def process(*words: str, **settings) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "attention_lab", *words]
    return subprocess.run(command, text=True, **{"stderr": subprocess.PIPE, **settings})


# ---- what is printed can be pasted ----

VALUES = {
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    str: st.text(st.characters(exclude_categories=("Cs",))) | st.sampled_from(["-x", "-", "--x", "-1e5"]),
}


OPTIONS = (
    Option("n", int, False, 0, Param("")),
    Option("n_s", int, True, (0,), Param("")),
    Option("x", float, False, 0.0, Param("")),
    Option("x_s", float, True, (0.0,), Param("")),
    Option("yes", bool, False, False, Param("")),
    Option("text", str, False, "", Param("")),
    Option("texts", str, True, ("",), Param("")),
)


@given(st.data())
def test_a_command_that_is_printed_gives_back_its_values(data: st.DataObject):
    parser = parser_for("attn-lab demo it", "")
    add_options(parser, OPTIONS)
    values = {}
    for option in OPTIONS:
        one = VALUES[option.type]
        values[option.name] = data.draw(st.lists(one, min_size=1, max_size=3).map(tuple) if option.repeated else one)
    words = shlex.split(command_line("it", OPTIONS, values))
    assert with_defaults(OPTIONS, read_words(parser, OPTIONS, words[3:])) == values


@pytest.mark.parametrize("flag", ["--text", "--html", "--with", "--seed", "--break"])
def test_two_dashes_are_no_value(attn_lab: Run, flag: str):
    code, out, err = attn_lab("demo", "heads", f"{flag}=--")
    assert (code, out) == (2, "")
    assert f"Argument {flag}: '--' is no value." in " ".join(err.split())


@pytest.mark.parametrize("text", ["-x", "--json", "-1", "--", "a 'b' \"c\"", "$HOME `x`", "it's;", "\u202eabc"])
@pytest.mark.parametrize("words", [("demo", "heads"), ("demo", "sentence"), ("break", "mask-zero", "--size", "2")])
def test_a_text_of_any_kind_comes_back(attn_lab: Run, text: str, words: tuple[str, ...]):
    text += " word"
    code, out, err = attn_lab(*words, f"--text={text}", "--json")
    assert (code, err) == (0, "")
    command = shlex.split(json.loads(out)["command"])
    assert attn_lab(*command[1:], "--json")[1] == out


@pytest.mark.parametrize("name", ["a b.py", "it's.py", "$x.py", "./-x.py"])
def test_a_file_of_any_name_can_be_pasted(attn_lab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(tmp_path)
    code, out, _ = attn_lab("new", "--mystery", "3", "--json", name)
    assert code == 0
    result = json.loads(out)
    assert shlex.split(result["command"]) == ["attn-lab", "new", name, "--mystery", "3"]
    first, second = result["notes"][-1]["text"].removeprefix("Next: ").split("; its vital signs: ")
    assert shlex.split(first) == ["attn-lab", "check", name, "--watch"]
    code, out, err = attn_lab(*shlex.split(second)[1:], "--json")
    assert (code, err) == (0, "")
    assert attn_lab(*shlex.split(json.loads(out)["command"])[1:], "--json")[1] == out


def test_a_file_whose_name_passes_for_an_option_can_be_pasted(attn_lab: Run, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    attn_lab("new", "./-x.py", "--solved")
    for words in (("demo", "worked", "--with=-x.py"), ("break", "--with=-x.py")):
        code, out, err = attn_lab(*words, "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["command"] == shlex.join(["attn-lab", *words])


def test_what_a_text_turns_round_is_shown_as_it_is_written(attn_lab: Run):
    for view in ((), ("--plain",)):
        _, out, _ = attn_lab("demo", "sentence", "--text", "the \u202etac sat", *view)
        assert "\u202e" not in out
        assert "\\u202etac" in out
    _, _, err = attn_lab("demo", "a\u2066b")
    assert "\u2066" not in err


# ---- what is given is not passed over ----


@pytest.mark.parametrize(
    "words",
    [
        *[
            (*command, flag)
            for command in (("demo", "worked"), ("demo",), ("break",), ("new", "x.py"))
            for flag in ("--html", "--svg")
        ],
        ("demo", "worked", "--with"),
        ("break", "--with"),
        ("break", "no-scale", "--with"),
        ("train", "reverse", "--with"),
        ("new", "x.py", "--broken"),
        ("new",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_taken_for_none(
    attn_lab: Run, tmp_path: Path, monkeypatch, words: tuple[str, ...], name: str
):
    monkeypatch.chdir(tmp_path)
    code, out, err = attn_lab(*words, name)
    assert (code, out) == (2, "")
    assert f"{name!r} is no name." in " ".join(err.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("page", [(), ("--matrix",), ("--verify",), ("no-scale",)])
@pytest.mark.parametrize("size", ["--size=-5", "--d-k=1", "--heads=0", "--seed=-1", "--size=65", "--heads=17"])
def test_a_size_of_no_sense_is_refused_on_every_page(attn_lab: Run, page: tuple[str, ...], size: str):
    code, out, err = attn_lab("break", *page, size)
    assert (code, out) == (2, "")
    flag, value = size.split("=")
    assert f"{flag} is {value}. It must be at " in " ".join(err.split())


def test_an_empty_text_is_a_text(attn_lab: Run):
    code, _, err = attn_lab("break", "no-scale", "--text", "")
    assert code == 2
    assert "--text '' has 0 words." in err


NUMBERS = [
    (name, option.flag)
    for name in OURS
    for option in options_of(find(name).run)
    if option.type in (int, float) and option.name != "seed"
]


@pytest.mark.parametrize(("name", "flag"), NUMBERS, ids=" ".join)
def test_numbers_of_no_sense_are_refused_at_once(attn_lab: Run, name: str, flag: str):
    kind = next(option.type for option in options_of(find(name).run) if option.flag == flag)
    for value in ("-1e300", "inf", "-inf", "nan") if kind is float else (f"{10**12}", f"{10**400}", f"{-(10**12)}"):
        code, out, err = attn_lab("demo", name, f"{flag}={value}")
        assert (code, out) == (2, "")
        assert err.startswith("error: ")


@pytest.mark.parametrize("name", ["cost", "flash", "recurrence", "scaling"])
def test_a_setting_that_is_given_twice_is_refused(attn_lab: Run, name: str):
    [option] = [option for option in options_of(find(name).run) if option.repeated]
    code, out, err = attn_lab("demo", name, option.flag, "8", option.flag, "8")
    assert (code, out) == (2, "")
    assert f"{option.flag} is 8" in err
    assert "twice. Give each value once." in " ".join(err.split())


def test_radii_that_differ_by_little_are_two(attn_lab: Run):
    radii = ("2", "2.0000001")
    words = [word for radius in radii for word in ("--radius", radius)]
    _, out, _ = attn_lab("demo", "recurrence", "--tokens", "5", "--d-model", "4", *words, "--json")
    names = [row[0] for table in json.loads(out)["tables"] if table["name"] == "some" for row in table["rows"]]
    assert names == [*(f"RNN {radius}" for radius in radii), "attention"]


# ---- what cannot be written ----


@pytest.mark.parametrize("flag", ["--html", "--svg", "new"])
@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("/dev/full", "No space left on device"),
        ("nowhere/x", "there is no folder nowhere"),
        (".", "it is a folder"),
        ("pipe", "it is a pipe"),
        ("locked/x", "no permission"),
        ("a" * 300, "File name too long"),
    ],
)
def test_what_cannot_be_written_is_told_in_one_way(
    attn_lab: Run, tmp_path: Path, monkeypatch, flag: str, target: str, why: str
):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("locked").mkdir()
    monkeypatch.setattr("os.access", lambda path, _: "locked" not in path)  # root may write everywhere
    words = ("new", target, "--force") if flag == "new" else ("demo", "worked", flag, target)
    for view in ((), ("--json",)):
        code, _, err = attn_lab(*words, *view)
        assert code == 1
        expected = f"error: Cannot write {brief(target)}: {why}. Make room, or name a file that can be written."
        assert " ".join(err.split()) == expected


@pytest.mark.parametrize(
    "words", [("demo", "worked"), ("demo", "worked", "--json"), ("demo",), ("--help",), ("demo", "scalin", "--json")]
)
def test_a_full_standard_output_is_told_in_the_same_way(words: tuple[str, ...]):
    with open("/dev/full", "w") as full:
        done = process(*words, stdout=full)
    if words[-2:] == ("scalin", "--json"):  # the trouble itself was to stand there
        assert (done.returncode, done.stderr) == (2, "")
        return
    assert done.returncode == 1
    assert " ".join(done.stderr.split()) == (
        "error: Cannot write the result: No space left on device. Make room, or name a file that can be written."
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-", "2> >(exit 0)"])
@pytest.mark.parametrize(("words", "code"), [("demo scalin", 2), ("demo worked", 0), ("--nonsense", 2)])
def test_trouble_that_cannot_be_told_is_no_more_trouble(where: str, words: str, code: int):
    command = f"{shlex.quote(sys.executable)} -m attention_lab {words} {where}; echo $? >&1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == str(code)
    assert "Traceback" not in done.stdout + done.stderr


# ---- Ctrl-C ----


@pytest.mark.parametrize("module", ["typer", "attention_lab.errors", "numpy"])
def test_ctrl_c_while_it_is_being_imported_is_quiet(tmp_path: Path, module: str):
    """A file that is run before anything else holds the import of a module up, until the interruption comes."""
    (tmp_path / "sitecustomize.py").write_text(f"""
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            print("importing", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
""")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-m", "attention_lab", "demo", "worked"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == "importing\n"
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
        assert running.stderr.read() == ""


def test_the_command_that_is_installed_is_the_one_that_is_quiet():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert 'attn-lab = "attention_lab.__main__:main"' in text
