"""What is handed in, found in a stable order without opening anything or following a link."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from attention_lab.errors import BadInput
from attention_lab.grade.submissions import find_submissions, single_submission

linux = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def test_a_file_or_a_folder_is_a_submission_in_the_order_of_names(tmp_path: Path):
    for name in ("zoe.py", "bo.ipynb", "notes.txt", ".hidden.py"):
        (tmp_path / name).write_text("")
    for name in ("carl/b.py", "carl/a.py", "carl/deeper/c.py", "__pycache__/x.py", ".git/y.py", "dora/report.pdf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found, left_out = find_submissions(tmp_path)
    assert [one.name for one in found] == ["bo.ipynb", "carl", "dora", "zoe.py"]
    assert [file.name for file in found[1].files] == ["a.py", "b.py"]
    assert (found[2].files, found[2].reason) == ((), "There is no .py and no .ipynb in the folder.")
    assert left_out == ("notes.txt",)


@linux
def test_links_are_not_followed(tmp_path: Path):
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "solution.py").write_text("")
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "a.py").symlink_to(target / "solution.py")
    (folder / "b").symlink_to(target)
    (folder / "c.py").symlink_to("c.py")
    found, _ = find_submissions(folder)
    assert [(one.name, one.files) for one in found] == [("a.py", ()), ("b", ()), ("c.py", ())]
    assert {one.reason for one in found} == {"It is a symbolic link, which is not followed."}


@linux
def test_a_pipe_is_listed_and_not_opened(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.py")
    assert [one.name for one in find_submissions(tmp_path)[0]] == ["pipe.py"]


@linux
def test_a_name_that_acts_on_a_terminal_is_spelled_out(tmp_path: Path):
    (tmp_path / "\x1b[2Jeve\u202e.py").write_text("")
    assert find_submissions(tmp_path)[0][0].name == "\\x1b[2Jeve\\u202e.py"


def test_a_file_alone_is_one_submission_and_so_is_a_whole_folder(tmp_path: Path):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("")
    assert [one.name for one in find_submissions(tmp_path / "a.py")[0]] == ["a.py"]
    assert [file.name for file in single_submission(tmp_path).files] == ["a.py", "b.py"]


def test_nothing_to_grade_is_said(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(BadInput, match="no folder in"):
        find_submissions(tmp_path)
    with pytest.raises(BadInput, match="There is no"):
        find_submissions(tmp_path / "none")
