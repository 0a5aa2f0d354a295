"""The README is run: every command in it, as it is printed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from installations import ROOT, Installations
from readme_commands import blocks_of, commands_in
from surroundings import set_home

README = (ROOT / "README.md").read_text(encoding="utf-8")
ELSEWHERE = {"attn-lab break --verify": "test_verification.py"}  # tests that run the command, in parts
COMMANDS = [command for language, text in blocks_of(README) if language == "sh" for command in commands_in(text)]


def run_readme(python: Path, part: str, folder: Path, readme: Path) -> subprocess.CompletedProcess[str]:
    """Run a part of a README's commands in a folder. The folder holds the home, too: a walk keeps its place there."""
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    set_home(surroundings, folder / "home")
    without = [f"--without={command}" for command in ELSEWHERE]
    script = [python, "-W", "error", ROOT / "tests" / "readme_commands.py", readme, part, *without]
    return subprocess.run(script, capture_output=True, text=True, cwd=folder, env=surroundings)


@pytest.mark.parametrize("part", ["quick", "slow"])
def test_every_command_works_as_the_readme_installs_it(installations: Installations, tmp_path: Path, part: str):
    done = run_readme(installations.usual.program("python"), part, tmp_path, ROOT / "README.md")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_quick_commands_and_the_python_work_in_the_running_install(tmp_path: Path):
    assert len(COMMANDS) > 20
    done = run_readme(Path(sys.executable), "quick", tmp_path, ROOT / "README.md")
    assert done.returncode == 0, done.stderr
    assert "d_k" in done.stdout, "the README's Python prints a table with this column"


def test_a_command_that_fails_is_reported(tmp_path: Path):
    readme = tmp_path / "README.md"
    readme.write_text("```sh\nattn-lab demo nowhere\nattn-lab --version\n```\n", encoding="utf-8")
    done = run_readme(Path(sys.executable), "quick", tmp_path, readme)
    assert done.returncode == 1
    assert "attn-lab demo nowhere: exit code 2" in done.stderr
    assert "--version" not in done.stderr


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


def test_every_package_has_a_place_in_the_table():
    named = set(re.findall(r"`([^`]+/)`", README.partition("## Where things are")[2]))
    packages = {f"attention_lab/{path.parent.name}/" for path in (ROOT / "attention_lab").glob("*/__init__.py")}
    assert packages - {"attention_lab/demos/"} <= named
    assert [place for place in named if not (ROOT / place).is_dir()] == []
