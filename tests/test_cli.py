"""The command from outside: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures import mark_slow

from attention_lab.demo.registry import OURS

ROOT = Path(__file__).parent.parent
Run = Callable[..., tuple[int, str, str]]


def process(*words: str, **settings) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "attention_lab", *words], capture_output=True, **settings)


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, **changes}


# ---- asking for help ----


def test_help_names_the_commands(attn_lab: Run):
    for words in (("--help",), ("-h",)):
        code, out, _ = attn_lab(*words)
        assert code == 0
        assert "demo" in out


def test_no_summary_of_a_command_is_cut_off_at_80_columns():
    text = process("--help", env=environment(COLUMNS="80")).stdout.decode()
    assert "..." not in text.partition("Commands:")[2]
    assert "…" not in text


@pytest.mark.parametrize("columns", [80, 40])
def test_a_newcomer_is_greeted_with_three_things_to_type(attn_lab: Run, monkeypatch: pytest.MonkeyPatch, columns: int):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = attn_lab()
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= columns
    assert len(out.splitlines()) <= 24
    for command in ("attn-lab walk quick", "attn-lab demo scaling", "attn-lab break mask-flip"):
        assert command in out
    assert "attn-lab --help" in " ".join(out.split())
    assert out.isascii()


def test_version(attn_lab: Run):
    assert attn_lab("--version")[1].startswith("attention-lab ")


def test_demo_alone_lists_every_demo_with_document_and_summary(attn_lab: Run):
    code, out, _ = attn_lab("demo", "--plain")
    assert code == 0
    for demo in OURS.values():
        assert demo.name in out
        assert demo.summary in out
        assert ", ".join(demo.documents) in out


def test_the_help_of_a_demo_comes_from_its_signature_and_docstring(attn_lab: Run):
    code, out, _ = attn_lab("demo", "scaling", "--help")
    assert code == 0
    assert "--d-k N" in out
    assert "(default 4, 64, 512)" in out
    assert "D0 draws once for each d_k" in out


def test_help_fits_an_ascii_stream_of_80_columns():
    done = process("demo", "scaling", "--help", env=environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0", COLUMNS="80"))
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode("ascii")
    assert "sqrt" in text
    assert max(map(len, text.splitlines())) <= 80


# ---- running ----


LONG = ("consequences", "depth", "pronoun")  # they run at their defaults in tests of their own and in a lesson


@pytest.mark.parametrize("name", mark_slow(OURS, "cost", "flash", "generation", "recurrence"))
def test_every_demo_runs_as_a_command(attn_lab: Run, name: str):
    few = ("--steps", "20") if name in LONG else ()
    code, out, err = attn_lab("demo", name, *few, "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["demo"] == name
    assert result["statements"]
    assert result["command"] == " ".join(("attn-lab demo", name, *few))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["scaling", "causal", "rope"])
def test_a_demo_runs_as_a_script_and_as_a_module(name: str):
    as_script = [sys.executable, str(ROOT / "demos" / f"{name}.py"), "--json"]
    as_module = [sys.executable, "-m", f"attention_lab.demos.{name}", "--json"]
    for command in (as_script, as_module):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["command"] == f"attn-lab demo {name}"


def test_a_copy_of_a_demo_is_that_demo_and_a_changed_copy_is_a_demo_of_its_own(attn_lab: Run, tmp_path: Path):
    copy = tmp_path / "scaling.py"
    copy.write_bytes((ROOT / "demos" / "scaling.py").read_bytes())
    assert json.loads(attn_lab("demo", str(copy), "--json")[1])["command"] == "attn-lab demo scaling"
    copy.write_text(copy.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    command = json.loads(attn_lab("demo", str(copy), "--json")[1])["command"]
    assert shlex.split(command) == ["attn-lab", "demo", str(copy)]
    assert attn_lab(*shlex.split(command)[1:])[0] == 0


@pytest.mark.parametrize("name", OURS)
def test_every_demo_file_can_be_run_as_a_script(name: str):
    source = (ROOT / "demos" / f"{name}.py").read_text(encoding="utf-8")
    ending = (
        'if __name__ == "__main__":\n    from attention_lab.cli import run_as_script\n\n    run_as_script(__file__)\n'
    )
    assert source.endswith(ending)


def test_the_command_of_a_result_gives_that_result_again(attn_lab: Run):
    _, first, _ = attn_lab("demo", "scaling", "--d-k", "8", "--d-k", "3", "--seed", "5", "--json")
    command = json.loads(first)["command"]
    assert command == "attn-lab demo scaling --d-k 8 --d-k 3 --seed 5"
    assert attn_lab(*command.split()[1:], "--json")[1] == first


def test_same_seed_same_output_other_seed_another(attn_lab: Run):
    words = ("demo", "scaling", "--json")
    assert attn_lab(*words)[1] == attn_lab(*words)[1]
    assert attn_lab(*words)[1] != attn_lab(*words, "--seed", "2")[1]


# ---- views ----


def test_html_and_svg_are_written_beside_what_is_shown(attn_lab: Run, tmp_path: Path):
    html, svg = tmp_path / "a.html", tmp_path / "a.svg"
    code, out, err = attn_lab("demo", "worked", "--html", str(html), "--svg", str(svg))
    assert code == 0
    assert "worked" in out
    assert f"Wrote {html}" in err
    assert f"Wrote {svg}" in err
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<svg" in svg.read_text(encoding="utf-8")


def test_plain_and_json_exclude_each_other(attn_lab: Run):
    code, out, _ = attn_lab("demo", "worked", "--plain", "--json")
    assert code == 2
    assert json.loads(out)["error"]["what"] == "--json does not go with --plain."


@pytest.mark.sample(3)
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("columns", ["40", "80"])
@pytest.mark.parametrize("view", [(), ("--plain",)])
def test_any_stream_at_any_width(encoding: str, columns: str, view: tuple[str, ...]):
    changes = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": columns, "NO_COLOR": "1", "TERM": "dumb"}
    done = process("demo", "masking", *view, env=environment(**changes))
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode(encoding)
    assert "\x1b" not in text
    if not view:
        assert max(map(len, text.splitlines())) <= int(columns)


def test_a_reader_that_leaves_is_not_a_crash():
    command = f"{shlex.quote(sys.executable)} -m attention_lab demo masking --json | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout == "{\n"
    assert done.stderr == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_not_a_crash(closed: str):
    command = f"{shlex.quote(sys.executable)} -m attention_lab demo worked {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("columns", ["0", "1", "7", "100000"])
def test_a_strange_width_still_shows_everything(columns: str):
    done = process("demo", "worked", env=environment(COLUMNS=columns, PYTHONIOENCODING="utf-8"))
    assert done.returncode == 0
    assert "worked" in done.stdout.decode().replace("\n", "")


def test_on_a_terminal_there_is_colour():
    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "attention_lab", "demo", "causal"],
        stdout=child,
        env=environment(TERM="xterm-256color", COLUMNS="80"),
    ) as running:
        os.close(child)
        seen = b""
        while chunk := read(parent):
            seen += chunk
        running.wait()
    os.close(parent)
    assert b"\x1b[" in seen


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other side of a terminal has closed
        return b""


def test_progress_is_only_for_terminals(attn_lab: Run):
    code, _, err = attn_lab("demo", "cost", "--n", "64", "--plain")
    assert (code, err) == (0, "")


# ---- nonsense ----


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("demo", "scalin"), "There is no demo 'scalin'. Did you mean scaling"),
        (("demo", "zzzz"), "There is no demo 'zzzz'. 'attn-lab demo' lists them all."),
        (("dmeo",), "There is no command 'dmeo'. Did you mean demo?"),
        (("--nonsense",), "No such option: --nonsense"),
        (("demo", "scaling", "--d-k", "0"), "--d-k is 0. It must be at least 1 and at most 1000000."),
        (("demo", "scaling", "--d-k", "x"), "Argument --d-k: invalid int value: 'x'."),
        (("demo", "scaling", "--d-k"), "Argument --d-k: expected one argument."),
        (("demo", "scaling", "--dk", "4"), "Unrecognized arguments: --dk 4."),
        (("demo", "scaling", "--seed", "-1"), "--seed is -1. It must be at least 0."),
        (("demo", "scaling", "--d-k", "1000000", "--keys", "1000000"), "needs"),
        (("demo", "cost", "--n", "900000"), "needs"),
        (("demo", "flash", "--n", "900000"), "needs"),
        (("demo", "sentence", "--text", ""), "--text '' has 0 words. Give at least"),
        (("demo", "heads", "--heads", "7"), "7"),
        (("demo", "./nowhere.py"), "Cannot read nowhere.py: there is no such file."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_nonsense_gets_one_sentence_and_exit_code_2(attn_lab: Run, words: tuple[str, ...], what: str):
    code, out, err = attn_lab(*words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert what in " ".join(err.split())
    code, out, err = attn_lab(*words, "--json")
    assert (code, err) == (2, "")
    assert json.loads(out)["schema"] == "attention-lab/error/1"


# ---- demos of one's own ----

MINE = '''"""Mine: how much the first key gets."""
from attention_lab.result import Result, Statement
import numpy as np

def run(model, *, size: int = 3) -> Result:
    """Equal keys."""
    _, weights = model.attention(np.ones((1, 2)), np.ones((size, 2)), np.ones((size, 2)))
    share = float(weights[0, 0])
    return Result((Statement("share", "Equal keys share equally.", f"The first gets {share:.2f}.", share * size == 1),))
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_a_demo(attn_lab: Run, mine: Path):
    code, out, _ = attn_lab("demo", str(mine), "--size", "4", "--plain")
    assert code == 0
    assert "Mine: how much the first key gets." in out
    assert "The first gets 0.25." in out


@pytest.mark.parametrize(
    ("text", "code", "what"),
    [
        ("x = 1\n", 2, "mine.py is not a demo: it has no function run(model)."),
        ("def run(model, *, size): ...\n", 2, "mine.py is not a demo: parameter 'size' needs a default and a type"),
        ("def run(model, *, size: list = ()): ...\n", 2, "mine.py is not a demo: parameter 'size' needs a default"),
        ("def run(model:\n", 2, "mine.py is not valid Python"),
        ("import nothing_of_this_name\n", 2, "mine.py raised ModuleNotFoundError: No module named"),
        ("raise SystemExit\n", 2, "mine.py raised SystemExit"),
        ("def run(model):\n    return 1\n", 1, "returned int. It must return a Result."),
        ("def run(model):\n    x = 1\n    return 1 / 0\n", 1, "Line 3 of"),
        ("def run(model):\n    raise ValueError('no')\n", 1, "mine.py raised ValueError: no."),
        ("def run(model):\n    raise SystemExit(0)\n", 1, "mine.py raised SystemExit: 0."),
        ("def run(model, *, json: int = 1): ...\n", 2, "has an option that attn-lab has as well"),
    ],
)
def test_a_file_that_is_no_demo_says_why(attn_lab: Run, mine: Path, text: str, code: int, what: str):
    mine.write_text(text, encoding="utf-8")
    left, out, err = attn_lab("demo", str(mine))
    assert (left, out) == (code, "")
    assert what in " ".join(err.split())


def test_a_file_that_is_not_utf8_is_no_demo(attn_lab: Run, mine: Path):
    mine.write_bytes(b"\xff\xfe\x00")
    code, _, err = attn_lab("demo", str(mine))
    assert code == 2
    assert "mine.py" in err


def test_what_the_model_rejects_is_said_with_the_command(attn_lab: Run, mine: Path):
    mine.write_text(
        "import numpy as np\ndef run(model, *, h: int = 5):\n    model.split_heads(np.ones((2, 12)), h)\n",
        encoding="utf-8",
    )
    code, _, err = attn_lab("demo", str(mine))
    assert code == 2
    assert "cannot run: d_model = 12 does not divide into 5 heads of one width." in " ".join(err.split())


def test_another_package_can_register_a_demo(tmp_path: Path, mine: Path):
    site = tmp_path / "site"
    info = site / "their_package-1.0.dist-info"
    info.mkdir(parents=True)
    mine.rename(site / "their_module.py")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[attention_lab.demos]\nshare = their_module\nbroken = nowhere_at_all\n")
    env = environment(PYTHONPATH=str(site))
    assert b"share" in process("demo", env=env).stdout
    assert b"The first gets 0.33." in process("demo", "share", env=env).stdout
    broken = process("demo", "broken", env=env)
    assert broken.returncode == 2
    assert b"broken (nowhere_at_all) raised ModuleNotFoundError" in broken.stderr


def test_what_own_code_prints_stays_out_of_the_result(attn_lab: Run, mine: Path):
    mine.write_text(
        "print('at import')\n" + MINE.replace("    share =", "    print('running')\n    share ="), encoding="utf-8"
    )
    code, out, err = attn_lab("demo", str(mine), "--json")
    assert code == 0
    assert json.loads(out)["demo"].endswith("mine.py")
    assert "at import" in err
    assert "running" in err


def test_the_command_of_an_own_demo_runs_it_again(attn_lab: Run, mine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(mine.parent)
    _, first, _ = attn_lab("demo", "./mine.py", "--size", "5", "--json")
    assert attn_lab(*json.loads(first)["command"].split()[1:], "--json")[1] == first


@pytest.mark.parametrize("name", ["a" * 300 + ".py", "loop.py"])
def test_a_file_that_cannot_even_be_looked_at(
    attn_lab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.py").symlink_to("loop.py")
    code, out, err = attn_lab("demo", name)
    assert (code, out) == (2, "")
    assert "Cannot read" in err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--html", "mine.py"), "mine.py is not the name of a page or a picture."),
        (("--html", "x", "--svg", "./x"), "--html and --svg are both x."),
    ],
)
def test_a_view_takes_the_place_of_nothing(attn_lab: Run, mine: Path, words: tuple[str, ...], what: str, monkeypatch):
    monkeypatch.chdir(mine.parent)
    code, _, err = attn_lab("demo", "./mine.py", *words)
    assert code == 2
    assert what in " ".join(err.split())
    assert mine.read_text(encoding="utf-8") == MINE


def test_a_demo_that_a_broken_model_cannot_run_is_not_blamed_on_the_options(attn_lab: Run):
    code, _, err = attn_lab("demo", "loss", "--break", "input-not-cut")
    assert code in (0, 1)
    assert "Change the options" not in err
