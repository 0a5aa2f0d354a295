"""The page for contributors is followed in a copy of the repository: each task as it is printed, and what one sees."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILES = {"A break": 1, "A vital sign": 2, "A demo": 3, "A lesson": 1}  # that each task touches
FOLDERS = ("attention_lab", "demos", "docs", "tests")
PROGRAMS = {"python": "", "attn-lab": "-m attention_lab", "pytest": "-m pytest -p no:cacheprovider", "ruff": "-m ruff"}
FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>\w+)\n(?P<text>.*?)^(?P=fence)\n", flags=re.MULTILINE | re.DOTALL)
PLACE = re.compile(
    r"(?P<how>New\s+file|Before\s+the\s+last\s+line\s+of|Above\s+the\s+line\s+`(?P<line>[^`]+)`\s+of)"
    r"\s+`(?P<path>[^`]+)`:\s*\Z"
)


def sections(page: str) -> dict[str, str]:
    """The text below each heading of a page. A heading inside a fenced block is none."""
    by_title: dict[str, str] = {}
    title, last = "", 0
    fences = [match.span() for match in FENCE.finditer(page)]
    for heading in re.finditer(r"^## (.+)\n", page, flags=re.MULTILINE):
        if any(start < heading.start() < end for start, end in fences):
            continue
        by_title[title] = page[last : heading.start()]
        title, last = heading[1], heading.end()
    return by_title | {title: page[last:]}


SECTIONS = sections(PAGE)


@dataclass(frozen=True)
class Block:
    """A fenced block, and the prose between the block before it and this one."""

    kind: str
    text: str
    prose: str


def blocks_of(section: str) -> list[Block]:
    """The fenced blocks of a section, in order."""
    blocks, start = [], 0
    for match in FENCE.finditer(section):
        blocks.append(Block(match["kind"], match["text"], section[start : match.start()]))
        start = match.end()
    return blocks


def write(block: Block, folder: Path) -> None:
    """Put the text of a block where the prose above it says."""
    place = PLACE.search(block.prose)
    assert place is not None, f"nothing says where this goes:\n{block.text}"
    path = folder / place["path"]
    if place["how"].startswith("New"):
        assert not path.exists(), path
        path.write_text(block.text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    number = lines.index(place["line"] + "\n") if place["line"] else len(lines) - 1
    path.write_text("".join([*lines[:number], block.text, *lines[number:]]), encoding="utf-8")


def words_of(text: str) -> str:
    """A text whose words stand apart by single spaces."""
    return " ".join(text.split())


def is_seen(line: str, output: str) -> bool:
    """Whether an output holds a line, however it is broken into lines; … stands for anything."""
    pattern = ".*?".join(re.escape(words_of(piece)) for piece in line.split("…"))
    return re.search(pattern.replace("\\ .*?", " ?.*?").replace(".*?\\ ", ".*? ?"), words_of(output)) is not None


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository, in which the programs of an activated environment run the copy."""
    folder = tmp_path / "copy"
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in PROGRAMS.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    return folder


def run(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a block of commands in a copy, to the first that fails; errors stand in the output."""
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    surroundings = {**os.environ, "PATH": path, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        ["sh", "-ec", commands],
        cwd=folder,
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def follow(section: str, folder: Path) -> None:
    """Do what a section says, and see what it says."""
    blocks = blocks_of(section)
    for block, after in zip(blocks, [*blocks[1:], None], strict=False):
        if block.kind in ("python", "markdown"):
            write(block, folder)
        if block.kind == "sh":
            expected = after.text if after is not None and after.kind == "text" else ""
            done = run(block.text, folder)
            assert (done.returncode == 0) != expected.startswith("error:"), done.stdout
            missing = [line for line in expected.splitlines() if not is_seen(line, done.stdout)]
            assert not missing, done.stdout


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "files"), list(FILES.items()))
def test_a_task_ends_as_the_page_says(copy: Path, task: str, files: int):
    before = files_of(copy)
    follow(SECTIONS[task], copy)
    after = files_of(copy)
    assert before.keys() <= after.keys()
    assert sum(before.get(path) != text for path, text in after.items()) == files
    done = run("ruff check --no-cache . && ruff format --no-cache --check .", copy)
    assert done.returncode == 0, done.stdout


def test_the_set_up_is_the_readmes():
    command = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- tests -->")[1].split("```")[1]
    assert [block.text for block in blocks_of(SECTIONS["Set up"])] == [command.removeprefix("sh\n")]


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)]+)\)", FENCE.sub("", PAGE)):
        assert (ROOT / target).exists(), target


# ---- the ways to follow the page, each seen to fail ----


def test_a_block_goes_where_the_prose_says(tmp_path: Path):
    file = tmp_path / "a.py"
    section = (
        "New file `a.py`:\n\n```python\nA = (\n)\n```\n\nBefore the last line of\n`a.py`:\n\n```python\n    1,\n```\n"
    )
    for block in blocks_of(section + "\nAbove the line `A = (` of `a.py`:\n\n```python\nB = 2\n```\n"):
        write(block, tmp_path)
    assert file.read_text() == "B = 2\nA = (\n    1,\n)\n"
    with pytest.raises(AssertionError, match="nothing says where this goes"):
        write(Block("python", "B = 2\n", "Write this:\n\n"), tmp_path)


@pytest.mark.parametrize(
    ("line", "seen"),
    [("a b", True), ("a … d", True), ("b …", True), ("a c", False), ("d … a", False), ("(", False)],
)
def test_what_one_sees_is_looked_for(line: str, seen: bool):
    assert is_seen(line, "a b\n  c d") is seen


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ("```sh\nexit 3\n```\n", "assert"),
        ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "one"),
        ("```sh\necho error: none\n```\n\n```text\nerror: none\n```\n", "error: none"),
    ],
    ids=["a command fails", "something else is seen", "no error where one is announced"],
)
def test_a_page_that_is_wrong_is_told(copy: Path, section: str, reason: str):
    with pytest.raises(AssertionError, match=reason):
        follow(section, copy)
