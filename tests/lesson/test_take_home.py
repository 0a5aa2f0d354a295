from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_lab.commands import take_home
from attention_lab.commands.results import result_of

Run = Callable[..., tuple[int, str, str]]

LESSON = """\
# Small

What it is about.

```run
attn-lab demo worked
```
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a lesson of one's own, where one is."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "mine.md").write_text(LESSON, encoding="utf-8")
    return folder


def test_a_page_and_a_notebook_are_written_and_no_walk_begins(attn_lab: Run, folder: Path, home: Path, monkeypatch):
    ran = []
    monkeypatch.setattr(take_home, "result_of", lambda words: ran.append(words) or result_of(words))
    code, out, err = attn_lab("walk", "mine.md", "--html", "a.html", "--notebook=-a.ipynb", "--plain")
    assert (code, err) == (0, "")
    assert ran == [("demo", "worked")]
    assert "Wrote a.html" in out
    assert "Wrote -a.ipynb" in out
    assert "Command: attn-lab walk mine.md --html a.html --notebook=-a.ipynb" in out
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((folder / "-a.ipynb").read_text(encoding="utf-8"))["nbformat"] == 4
    assert not home.exists()


def test_what_was_written_as_json(attn_lab: Run, folder: Path):  # noqa: ARG001
    code, out, err = attn_lab("walk", "mine.md", "--notebook", "a.ipynb", "--json")
    assert (code, err) == (0, "")
    assert "Wrote a.ipynb" in json.dumps(json.loads(out))


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("mine.md", "--html", "a.py"), 2, "a.py is not the name of a page or a picture."),
        (("mine.md", "--notebook", "a.py"), 2, "a.py is not the name of a notebook. Name a file that ends in .ipynb."),
        (("mine.md", "--notebook", "mine.md"), 2, "mine.md is not the name of a notebook."),
        (("mine.md", "--html", "./mine.md"), 2, "./mine.md is the lesson itself."),
        (("mine.md", "--html", "linked.html"), 2, "linked.html is the lesson itself."),
        (("mine.md", "--html", "a.ipynb"), 2, "a.ipynb is the name of a notebook, not of a page."),
        (("mine.md", "--html", "a.ipynb", "--notebook", "a.ipynb"), 2, "a.ipynb is the name of a notebook"),
        (("mine.md", "--html", ""), 2, "Argument --html: '' is no name."),
        (("mine.md", "--notebook", " "), 2, "Argument --notebook: ' ' is no name."),
        (("mine.md", "--html", "."), 1, "Cannot write .: it is a folder."),
        (("mine.md", "--notebook", "nowhere/a.ipynb"), 1, "there is no folder nowhere."),
        (("mine.md", "--html", "a.html", "--notebook", "nowhere/a.ipynb"), 1, "there is no folder nowhere."),
        (("mine.md", "--html", "a.html", "--present"), 2, "--present does not go with --html."),
        (("mine.md", "--html", "a.html", "--no-pause"), 2, "--no-pause does not go with --html."),
        (("mine.md", "--html", "a.html", "--from", "1"), 2, "--from does not go with --html."),
        (("mine.md", "--html", "a.html", "--record", "a.csv"), 2, "--html does not go with --record."),
        (("mine.md", "--notebook", "a.ipynb", "--present"), 2, "--notebook does not go with --present."),
        (("mine.md", "--notebook", "a.ipynb", "--verify"), 2, "--notebook does not go with --verify."),
        (("mine.md", "--html", "a.html", "--svg", "a.svg"), 2, "--svg does not go with a walk."),
        (("--notebook", "a.ipynb"), 2, "--notebook is of a lesson, and none is named."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_trouble_is_said_before_the_lesson_is_run(
    attn_lab: Run, folder: Path, monkeypatch, words: tuple[str, ...], code: int, what: str
):
    def never(_: object) -> None:
        raise AssertionError("it was run")

    (folder / "linked.html").symlink_to("mine.md")
    monkeypatch.setattr(take_home, "result_of", never)
    left, out, err = attn_lab("walk", *words)
    assert (left, out) == (code, "")
    assert what in " ".join(err.split())
    assert sorted(os.listdir(folder)) == ["linked.html", "mine.md"]
    assert (folder / "mine.md").read_text(encoding="utf-8") == LESSON


def test_of_a_lesson_that_no_longer_holds_nothing_is_written(attn_lab: Run, folder: Path):
    stale = LESSON + "\nIt is [1](result:nothing).\n"
    (folder / "mine.md").write_text(stale, encoding="utf-8")
    code, _, err = attn_lab("walk", "mine.md", "--html", "a.html", "--notebook", "a.ipynb")
    assert code == 2
    assert "mine.md, line 9: no part 'nothing'" in " ".join(err.split())
    assert os.listdir(folder) == ["mine.md"]


def test_the_list_and_a_verdict_can_still_be_pages(attn_lab: Run, folder: Path):
    for words in (("--html", "a.html"), ("mine.md", "--verify", "--html", "b.html")):
        assert attn_lab("walk", *words)[0] == 0
    assert {"a.html", "b.html"} <= set(os.listdir(folder))
