from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from show_samples import ATTACK, FULL, HOLDS

from attention_lab.commands.results import result_of
from attention_lab.errors import BadInput, UnknownName
from attention_lab.lesson.lesson import Diagnose
from attention_lab.lesson.library import find_lesson, shipped_lessons
from attention_lab.lesson.obfuscation import deobfuscate, obfuscate
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.read import parse_lesson
from attention_lab.notebook import run, symptoms, words_of
from attention_lab.result import Result
from attention_lab.show.notebook import lesson_notebook, prose_source, run_code

LESSON = """\
# A lesson

What a *mask* hides, for √d_k < 9 and `a_b`.

```predict
How much weight does a forbidden key get?

- None.
  when: future-zero holds
- Some, for $5 and <b>.
  when: future-zero fails
  idea: A forbidden score is −∞.
```

```run
attn-lab demo causal --text "it's a fox"
show: masked, future-zero
```

## What is wrong?

```diagnose
attn-lab break mask-flip --size 4

- mask-flip
- mask-zero
  idea: Then the past would still be seen.
```
"""
CALLS = ("run", "symptoms")


def cells_of(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def html_outputs(cells: list[dict[str, Any]]) -> list[str]:
    """What the cells of code have shown, as HTML."""
    return ["".join(output["data"]["text/html"]) for cell in cells for output in cell.get("outputs", ())]


def call_of(code: str) -> tuple[str, list[str], dict[str, str]]:
    """The function that a cell calls, and with which texts. Fails on anything but one such call."""
    (statement,) = ast.parse(code).body
    assert isinstance(statement, ast.Expr)
    call = statement.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Name)
    named = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in call.keywords}
    return call.func.id, [ast.literal_eval(argument) for argument in call.args], named


@pytest.fixture(scope="module")
def small() -> str:
    return lesson_notebook(Performance(parse_lesson(LESSON, "small.md"), result_of))


def test_it_is_a_notebook_of_format_4_5(small: str):
    read_back = nbformat.reads(small, as_version=4)
    nbformat.validate(read_back)
    assert (read_back.nbformat, read_back.nbformat_minor) == (4, 5)
    ids = [cell["id"] for cell in cells_of(small)]
    assert len(ids) == len(set(ids))


def test_its_cells_tell_the_lesson_in_its_order(small: str):
    text = "\n".join(map(source, cells_of(small)))
    places = [
        text.index(piece)
        for piece in (
            "<h1>A lesson</h1>",
            "from attention_lab.notebook import run, symptoms",
            "What a *mask* hides, for √d_k < 9 and `a_b`.",
            "How much weight does a forbidden key get?",
            "<details><summary>a) None.",
            "Right",
            "Some, for &#36;5 and &lt;b&gt;.",
            "show='masked, future-zero'",
            "<h2>What is wrong?</h2>",
            "symptoms(",
            "b) mask-zero",
            "break mask-flip --size 4",
        )
    ]
    assert places == sorted(places)


def test_a_fault_is_not_named_before_its_answer_is_opened(small: str):
    cells = cells_of(small)
    place = next(number for number, cell in enumerate(cells) if source(cell).startswith("symptoms("))
    before = json.dumps(cells[: place + 1])
    assert "mask-flip" not in before
    assert "<details><summary>The fault" in source(cells[place + 2])


@pytest.mark.slow
def test_it_runs_and_shows_what_is_stored_in_it(small: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    book = nbformat.reads(small, as_version=4)
    NotebookClient(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert html_outputs(book.cells) == html_outputs(cells_of(small))
    assert len(html_outputs(book.cells)) == 2


@pytest.mark.parametrize("name", list(shipped_lessons()))
def test_every_cell_of_a_shipped_lesson_calls_its_command(name: str):
    lesson = find_lesson(name)
    for one in lesson.runs:
        function, (command,), named = call_of(run_code(one))
        assert function == "run"
        assert tuple(words_of(command)) == one.words
        assert tuple(filter(None, named.get("show", "").split(", "))) == one.show
    for question in lesson.questions:
        if isinstance(question, Diagnose):
            assert tuple(deobfuscate(obfuscate(question.run.words))) == question.run.words


def test_the_quick_lesson_as_a_notebook():
    text = lesson_notebook(Performance(find_lesson("quick"), result_of))
    nbformat.validate(nbformat.reads(text, as_version=4))
    code = [source(cell) for cell in cells_of(text) if cell["cell_type"] == "code"]
    assert {call_of(cell)[0] for cell in code[1:]} == set(CALLS)
    assert all(cell["outputs"] for cell in cells_of(text) if source(cell).startswith(CALLS))


@pytest.mark.parametrize(
    "prose",
    [
        "<img src=https://example.org/a.png>",
        "![a](https://example.org/a.png)",
        "[a](https://example.org)",
        "[a][b]\n\n[b]: https://example.org",
        "<!-- a -->",
        "$\\href{https://example.org}{a}$",
        "```\na\n\n![a](https://example.org/a.png)\n \t\n<img src=a>\n```",
        "- a\n\n  ```\n  a\n\n  ![a](b)\n  ```",
    ],
)
def test_prose_that_would_be_more_than_prose_is_written_as_html_that_is_not(prose: str):
    written = prose_source(prose)
    assert written.startswith(("<p>", "<pre>", "<ul>"))
    assert not re.search(r"<(?!/?(p|pre|ul|li|code)>)|\n\s*\n|\$", written)


def test_what_a_lesson_of_somebody_else_says_does_nothing():
    attack = (
        "# <script>a</script>\n\n<script>a</script>\n\n```run\nattn-lab demo scaling\n```\n\n## <img src=a>\n\nEnd.\n"
    )
    text = lesson_notebook(Performance(parse_lesson(attack, "a.md"), lambda _: Result((HOLDS, *ATTACK.parts))))
    nbformat.validate(nbformat.reads(text, as_version=4))
    cells = cells_of(text)
    assert not re.search("<script|<img", "".join(map(source, cells)) + "".join(html_outputs(cells)))


def test_any_result_can_be_stored():
    lesson = parse_lesson("# A\n\nB.\n\n```run\nattn-lab demo scaling\n```\n", "a.md")
    nbformat.validate(nbformat.reads(lesson_notebook(Performance(lesson, lambda _: FULL)), as_version=4))


# ---- the functions that its cells call ----


def test_run_gives_a_result_or_some_of_its_parts():
    assert run("attn-lab demo worked") == run("demo worked") == result_of(("demo", "worked"))
    part = run("demo scaling", show="on-average, spread")
    assert [one.name for one in part.parts] == ["on-average", "spread"]
    assert part._repr_html_().startswith("<section")


@pytest.mark.parametrize(
    ("command", "show", "what"),
    [
        ("", "", "The command is empty."),
        ("attn-lab", "", "The command is empty."),
        ("demo 'a", "", "is no command line: No closing quotation."),
        ("demo scaling", "nothing", "The result has no part 'nothing'."),
        ("demo scaling", "spread,", "The result has no part ''."),
    ],
)
def test_run_says_what_is_wrong(command: str, show: str, what: str):
    with pytest.raises(BadInput) as error:
        run(command, show)
    assert what in error.value.what


def test_run_of_a_command_that_does_not_exist():
    with pytest.raises(UnknownName):
        run("dmeo scaling")


@pytest.mark.parametrize("text", ["", "mask-flip", "é", obfuscate(("demo", "scaling")), obfuscate(())])
def test_symptoms_of_no_fault(text: str):
    with pytest.raises(BadInput, match="stands for no fault"):
        symptoms(text)
