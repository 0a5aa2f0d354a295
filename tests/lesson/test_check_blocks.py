"""Blocks ```check of a lesson: the learner's own file in a walk, and how it begins everywhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from attention_lab.commands.results import result_of
from attention_lab.errors import BadInput
from attention_lab.lesson.lesson import BadLesson, Check
from attention_lab.lesson.library import find_lesson
from attention_lab.lesson.perform import Performance, is_all_right
from attention_lab.lesson.read import parse_lesson
from attention_lab.lesson.scene import ProseItem, ResultItem, step_items
from attention_lab.lesson.verify import verification_page, verify_lesson
from attention_lab.result import Result, Statement, Table
from attention_lab.show.lesson_html import lesson_page
from attention_lab.show.notebook import lesson_notebook
from attention_lab.variants import model_source

BLOCK = "```check\nattn-lab check mine.py\nstart: attn-lab new mine.py --mystery 9\n```"
TEXT = f"# Title\n\nWords.\n\n{BLOCK}\n"
ENDS = {  # of each lesson: the function that its mystery has a fault in, and the fault
    "d0": ("causal_mask", "one-step-ahead"),
    "d2": ("feed_forward", "no-relu"),
    "d3": ("multi_head", "merge-by-reshape"),
    "d4": ("cached_multi_head", "cache-new-first"),
}


@cache
def standing(right: bool) -> Result:
    return Result((Statement("right", "Every function is right.", "1 of 2 functions.", right),))


def performance(folder: Path | None = None, right: bool = False, calls: list[tuple[str, ...]] | None = None):
    """A lesson of one block whose commands are noted and give this."""

    def perform(words: tuple[str, ...]) -> Result:
        if calls is not None:
            calls.append(words)
        return standing(right)

    return Performance(parse_lesson(TEXT, "a.md"), perform, folder)


# ---- reading ----


def test_a_block_is_a_file_and_what_it_begins_with():
    *_, block = parse_lesson(TEXT, "a.md").blocks
    assert block == Check(5, "mine.py", ("check", "mine.py"), ("new", "mine.py", "--mystery", "9"))


@pytest.mark.parametrize(
    ("line", "below", "said"),
    [
        ("attn-lab check mine.py", "", "a command and a line"),
        ("", "", "a command and a line"),
        ("attn-lab check mine.py", "begin: attn-lab new mine.py", "a command and a line"),
        ("attn-lab demo causal", "start: attn-lab new mine.py", "no command of a lesson"),
        ("attn-lab check", "start: attn-lab new mine.py", "checks no file"),
        ("attn-lab check --seed 1 mine.py", "start: attn-lab new mine.py", "checks no file"),
        ("attn-lab check ../mine.py", "start: attn-lab new ../mine.py", "checks no file"),
        ("attn-lab check /etc/mine.py", "start: attn-lab new /etc/mine.py", "checks no file"),
        ("attn-lab check mine.py", "start: attn-lab new other.py", "does not write a new mine.py"),
        ("attn-lab check mine.py", "start: attn-lab new mine.py --force", "does not write a new mine.py"),
        ("attn-lab check mine.py", "start: attn-lab demo causal", "no command of a lesson"),
        ("attn-lab check mine.py --watch", "start: attn-lab new mine.py", "not which fault"),
        ("attn-lab check mine.py --json", "start: attn-lab new mine.py", "--json"),
        ("attn-lab check 'mine.py", "start: attn-lab new mine.py", "no command line"),
    ],
)
def test_what_no_block_is_says_what_to_write(line: str, below: str, said: str):
    with pytest.raises(BadLesson, match=said) as caught:
        parse_lesson(f"# Title\n\n```check\n{line}\n{below}\n```\n", "a.md")
    assert caught.value.advice


# ---- in a walk ----


def test_where_there_is_no_file_a_walk_says_how_to_begin_it_and_writes_none(tmp_path: Path):
    calls: list[tuple[str, ...]] = []
    it = performance(tmp_path, calls=calls)
    *_, said = step_items(it, it.lesson.steps[-1])
    assert isinstance(said, ProseItem)
    assert "attn-lab new mine.py --mystery 9" in said.text
    assert "attn-lab check mine.py --watch" in said.text
    assert calls == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("right", "said"), [(True, "Nothing is wrong"), (False, "--watch")])
def test_the_file_is_checked_as_it_is_now_each_time(tmp_path: Path, right: bool, said: str):
    (tmp_path / "mine.py").write_text("")
    calls: list[tuple[str, ...]] = []
    it = performance(tmp_path, right, calls)
    for _ in range(2):
        *_, shown, words = step_items(it, it.lesson.steps[-1])
        assert isinstance(shown, ResultItem)
        assert shown.result is standing(right)
        assert shown.command == "attn-lab check mine.py --unnamed"
        assert said in words.text
    assert calls == [("check", str(tmp_path / "mine.py"), "--unnamed")] * 2


def test_a_file_that_cannot_be_checked_ends_no_walk(tmp_path: Path):
    (tmp_path / "mine.py").write_text("")

    def perform(_: tuple[str, ...]) -> Result:
        raise BadInput("It is no Python.", "Correct it.")

    it = Performance(parse_lesson(TEXT, "a.md"), perform, tmp_path)
    *_, shown, _ = step_items(it, it.lesson.steps[-1])
    assert isinstance(shown, ResultItem)
    assert shown.result["runs"].measured == "It is no Python. Correct it."


@pytest.mark.slow
def test_a_walk_from_outside(tmp_path: Path):
    (tmp_path / "a.md").write_text(TEXT.replace("--mystery 9", ""), encoding="utf-8")

    def walk() -> str:
        command = [sys.executable, "-m", "attention_lab", "walk", "a.md", "--plain"]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        options = {"capture_output": True, "text": True, "timeout": 60, "encoding": "utf-8"}
        return subprocess.run(command, input="q\n", cwd=tmp_path, env=environment, **options).stdout

    assert "There is no mine.py in this folder yet" in walk()
    (tmp_path / "mine.py").write_text("def softmax(x):\n    return x\n")
    assert "Does not hold: softmax (line 1) computes softmax." in walk()
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix) == ["a.md", "mine.py"]


# ---- everywhere else ----


def test_elsewhere_the_file_is_begun_in_a_folder_of_its_own_that_is_gone_afterwards():
    calls: list[tuple[str, ...]] = []
    it = performance(calls=calls)
    list(step_items(it, it.lesson.steps[-1]))
    list(step_items(it, it.lesson.steps[-1]))
    (new, file, *start), (check, same, *options) = calls
    assert (new, start, check, options) == ("new", ["--mystery", "9"], "check", ["--unnamed", "--seed", "0"])
    assert file == same
    assert not Path(file).parent.exists()


@pytest.mark.parametrize(("right", "faults"), [(True, 1), (False, 0)])
def test_a_file_that_begins_with_nothing_wrong_is_a_fault_of_the_lesson(right: bool, faults: int):
    it = performance(right=right)
    found = verify_lesson(it.lesson, it, lambda _: None)
    assert len(found) == faults
    assert all("nothing is wrong with mine.py as it begins" in str(one) for one in found)
    assert all(one.line == 5 for one in found)
    checked = verification_page(it.lesson, found, "")["checked"]
    assert isinstance(checked, Table)
    assert ("files begun and checked", 1) in [tuple(row) for row in checked.rows]


def test_pages_and_notebooks_show_how_the_file_begins():
    it = performance()
    page = lesson_page(it)
    assert "attn-lab check mine.py --unnamed" in page
    assert "1 of 2 functions." in page
    cells = json.loads(lesson_notebook(it))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code[-2:] == [
        "from pathlib import Path\n\nif not Path('mine.py').exists():\n    run('new mine.py --mystery 9')",
        "run('check mine.py --unnamed')",
    ]
    assert "1 of 2 functions." in json.dumps(cells[-2]["outputs"])


# ---- the lessons that come with the package ----


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ENDS)
def test_each_lesson_ends_in_a_file_whose_fault_check_can_name(name: str, tmp_path: Path):
    block = find_lesson(name).blocks[-1]
    assert isinstance(block, Check)
    function, fault = ENDS[name]
    file = str(tmp_path / block.file)
    result_of(("new", file, *block.start[2:]))
    named = result_of(("check", f"{file}:{function}", "--seed", "0"))
    assert isinstance(named["functions"], Table)
    assert [(row[0], row[3], row[4]) for row in named["functions"].rows] == [(function, "wrong", fault)]
    unnamed = result_of(("check", f"{file}:{function}", "--unnamed", "--seed", "0"))
    assert not is_all_right(unnamed)
    assert fault not in repr(unnamed)


@pytest.mark.slow
def test_the_repaired_file_is_right(tmp_path: Path):
    file = tmp_path / "repaired.py"
    file.write_text(model_source(), encoding="utf-8")
    assert is_all_right(result_of(("check", str(file), "--unnamed", "--seed", "0")))
