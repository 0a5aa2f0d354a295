"""The README is run: every command in it, as it is printed there."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path

import pytest

from attention_lab.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(sh|python)\n(.*?)```", README, flags=re.DOTALL)
ELSEWHERE = {
    "attn-lab break --verify": "test_verification.py"
}  # tests that run it with the catalogue as it is, in parts
COMMANDS = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines() if line.startswith("attn-lab ")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all: later commands work on files that earlier ones write."""
    return tmp_path_factory.mktemp("readme")


def works(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    assert left.value.code in (0, None), f"{command}: {err}"
    assert out, command


def test_every_command_of_the_readme_works_and_so_does_its_python(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.chdir(folder)
    for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA"):  # a walk keeps the place where one left
        monkeypatch.setenv(name, str(folder / "home"))
    assert len(COMMANDS) > 20
    printed = ""
    for kind, text in BLOCKS:
        if kind == "python":
            exec(text, {})  # noqa: S102 (the README's own code is what is tested)
            printed += capsys.readouterr().out
        else:
            for command in (line for line in text.splitlines() if line in COMMANDS and line not in ELSEWHERE):
                monkeypatch.setattr("sys.stdin", io.StringIO("\na\n"))  # a walk: go on, answer, and leave
                works(command, capsys)
    assert "d_k" in printed


@pytest.mark.parametrize("command", ELSEWHERE)
def test_what_is_run_elsewhere_is_in_the_readme_and_is_run_there(command: str):
    assert command in COMMANDS
    assert command.removeprefix("attn-lab ") in (ROOT / "tests" / ELSEWHERE[command]).read_text(encoding="utf-8")


def test_its_pictures_were_exported_by_the_command_above_them():
    pictures = re.findall(r"```sh\n(attn-lab [^\n]*)\n```\n\n!\[[^]]+\]\(([^)]+)\)", README)
    assert len(pictures) >= 2
    for command, file in pictures:
        svg = (ROOT / file).read_text(encoding="utf-8")
        assert f"<title>{command}</title>" in svg
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_test_command_is_the_one_that_ci_runs():
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "<!-- tests -->" in ci
    assert README.count("<!-- tests -->") == 1
    assert "pytest" in README.split("<!-- tests -->")[1].split("```")[1]
