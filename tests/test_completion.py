"""Completion with TAB: a real bash asks, and gets every kind of name; without being asked it costs nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_lab.breaks import BREAKS
from attention_lab.cli import app
from attention_lab.commands.command_table import BY_NAME
from attention_lab.commands.completion import SHELLS, completer, completing_parser, options_after, whole_parser
from attention_lab.commands.names import lesson_names, task_names
from attention_lab.demo.registry import OURS
from attention_lab.vitals import VITALS

BASH = shutil.which("bash") or ""
ASK = """
PATH="$1:$PATH"
eval "$(attn-lab completion bash)"
COMP_LINE="$2" COMP_POINT=${#2} COMP_TYPE=63
_python_argcomplete attn-lab
printf '%s\\n' "${COMPREPLY[@]}"
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program `attn-lab`, as an installation makes it where Python's path is long or has spaces."""
    folder = tmp_path_factory.mktemp("bin")
    file = folder / "attn-lab"
    begin = f"""#!/bin/sh\n'''exec' "{sys.executable}" "$0" "$@"\n' '''\n"""
    file.write_text(f"{begin}from attention_lab.__main__ import main\nmain()\n", encoding="utf-8")
    file.chmod(0o755)
    return folder


@pytest.fixture
def tab(program: Path, tmp_path: Path) -> Callable[[str], list[str]]:
    """What bash offers when TAB is pressed after these words, in an empty folder but for two files."""
    for name in ("mine.py", "mine.md", "mine.txt"):
        (tmp_path / name).touch()

    def ask(typed: str) -> list[str]:
        done = subprocess.run(
            [BASH, "--norc", "-c", ASK, "bash", str(program), typed], capture_output=True, text=True, cwd=tmp_path
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    return ask


@pytest.mark.sample(6)
@pytest.mark.skipif(not BASH, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("attn-lab ", list(BY_NAME)),
        ("attn-lab de", ["demo"]),
        ("attn-lab demo sca", ["scaling"]),
        ("attn-lab demo scaling --d", ["--d-k"]),
        ("attn-lab demo scaling --d-k ", []),
        ("attn-lab demo scaling --break mask-fl", ["mask-flip"]),
        ("attn-lab demo scaling --break=mask-fl", ["mask-flip"]),  # bash takes "=" for the end of a word
        ("attn-lab demo mi", ["mine.py"]),
        ("attn-lab break mask-fl", ["mask-flip"]),
        ("attn-lab break no-scale mask-fl", ["mask-flip"]),
        ("attn-lab break mask-flip --ver", ["--verify"]),
        ("attn-lab explain future-mass-h", ["future-mass-huge"]),
        ("attn-lab explain mask-fl", ["mask-flip"]),
        ("attn-lab explain scali", ["scaling"]),
        ("attn-lab train rev", ["reverse"]),
        ("attn-lab train reverse --ra", ["--rate"]),
        ("attn-lab walk qu", ["quick"]),
        ("attn-lab walk mi", ["mine.md"]),
        ("attn-lab walk quick --no-p", ["--no-pause"]),
        ("attn-lab claims --document D", ["D0", "D2", "D3", "D4"]),
        ("attn-lab new x.py --broken mask-fl", ["mask-flip"]),
        ("attn-lab quiz --level ", ["1", "2", "3"]),
        ("attn-lab completion ", list(SHELLS)),
        ("attn-lab demo scaling --html mine.t", ["mine.txt"]),
        ("attn-lab check mine.p", ["mine.py"]),
        ("attn-lab nonsense x", []),
        ("attn-lab demo ./nowhere.py --", ["--help", "--plain", "--json", "--html", "--svg"]),
    ],
)
def test_bash_offers(tab: Callable[[str], list[str]], typed: str, offered: list[str]):
    assert tab(typed) == offered


def answer(*start: str, line: str) -> str:
    """What the program answers to a shell, over the file descriptor 8; `start` are the words that start it."""
    reading, writing = os.pipe()
    asked = {"_ARGCOMPLETE": str(len(start)), "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    command = f"exec 8>&{writing}; exec {shlex.quote(sys.executable)} -m attention_lab"
    done = subprocess.run([BASH, "-c", command], env={**os.environ, **asked}, pass_fds=[writing], capture_output=True)
    os.close(writing)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    with open(reading, encoding="utf-8") as stream:
        return stream.read()


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_also_as_a_module():
    line = "python -m attention_lab demo scaling --d"
    assert answer("python", "-m", "attention_lab", line=line).split() == ["--d-k"]


# ---- every name ----


def offered(*words: str, name: str) -> set[str]:
    """What is offered for one argument of a command, before any letter of it is typed."""
    _, options = options_after(list(words))
    (option,) = (option for option in options if option.name == name)
    return set(completer(option)(prefix=""))


def test_every_name_is_offered():
    breaks, vitals = {one.name for one in BREAKS}, {vital.name for vital in VITALS}
    assert offered("break", name="names") == breaks
    assert offered("demo", "scaling", name="breaks") == breaks
    assert offered("new", name="broken") == breaks
    assert offered("demo", name="demo") >= set(OURS)
    assert offered("explain", name="name") == breaks | vitals | set(OURS)
    assert offered("train", name="task") == set(task_names())
    assert offered("walk", name="lesson") == set(lesson_names())


def test_every_command_is_offered_and_every_one_has_its_parser():
    assert list(BY_NAME) == [command.name for command in app.registered_commands]
    for name in BY_NAME:
        assert completing_parser([name]).prog == f"attn-lab {name}"


@pytest.mark.parametrize("name", OURS)
def test_every_demo_has_its_options_in_the_whole(name: str):
    text = completing_parser(["demo", name]).format_help()
    assert "--break" in text
    assert vars(whole_parser(["demo", name]).parse_args(["demo", name])) == {"NAME": name}


def test_a_file_of_ones_own_is_not_run_to_complete_a_word(tmp_path: Path):
    mine = tmp_path / "mine.py"
    mine.write_text("raise SystemExit('run')\n", encoding="utf-8")
    assert "--break" not in completing_parser(["demo", str(mine)]).format_help()


# ---- the code for the shells ----


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_its_code(attn_lab: Run, shell: str):
    code, out, err = attn_lab("completion", shell)
    assert (code, err) == (0, "")
    assert "attn-lab" in out
    assert {"bash": "complete -o", "zsh": "compdef", "fish": "complete --command attn-lab"}[shell] in out
    assert f"attn-lab completion {shell}" in attn_lab("completion", "--help")[1]


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_the_code_is_bash(attn_lab: Run):
    _, out, _ = attn_lab("completion", "bash")
    assert subprocess.run([BASH, "-n"], input=out, text=True, capture_output=True).stderr == ""


def test_other_shells_are_refused_in_a_sentence(attn_lab: Run):
    code, _, err = attn_lab("completion", "csh")
    assert (code, "SHELL is 'csh'. It must be bash, zsh or fish." in " ".join(err.split())) == (2, True)
    assert attn_lab("completion")[0] == 2


def test_a_stray_variable_is_no_question(monkeypatch: pytest.MonkeyPatch):
    for name in ("COMP_LINE", "COMP_POINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    done = subprocess.run([sys.executable, "-m", "attention_lab", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("attention-lab ")


def test_it_costs_nothing_where_nobody_asks():
    code = "import sys\nfrom attention_lab.__main__ import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "print('argcomplete' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True)
    assert done.stdout.split()[-1] == "False"
