"""A whole lesson as a Jupyter notebook: prose, cells with its commands and their results, and questions that open.

The file is JSON in the notebook format, version 4.5; writing it needs no other package.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from html import escape as escaped
from typing import Any

from attention_lab import __version__
from attention_lab.lesson.lesson import Block, Check, Diagnose, Prose, Run
from attention_lab.lesson.obfuscation import obfuscate
from attention_lab.lesson.perform import Performance, symptoms
from attention_lab.lesson.scene import Question, answer_item
from attention_lab.result import Result
from attention_lab.show.glyphs import encodable_result, encodable_text
from attention_lab.show.html import result_fragment
from attention_lab.show.plain import plain_text
from attention_lab.show.prose_html import prose_html
from attention_lab.show.question_html import question_html

HOW = "Choose an answer before you read on: a click opens it. The cells run where attention_lab is installed."
IMPORT = "from attention_lab.notebook import run, symptoms"
MORE_THAN_PROSE = re.compile(r"<[A-Za-z/!?]|\]\s*[(:\[]|[$]")  # HTML, links, pictures, formulas
EMPTY_LINE = re.compile(r"\n(?=[ \t]*\n)")
NotebookCell = dict[str, Any]


def source_lines(text: str) -> list[str]:
    """A text as a list of lines with their newlines, as the notebook format holds it."""
    return text.splitlines(keepends=True)


def markdown_cell(text: str) -> NotebookCell:
    """A cell of prose."""
    return {"cell_type": "markdown", "metadata": {}, "source": source_lines(text)}


def code_cell(code: str, result: Result | None = None) -> NotebookCell:
    """A code cell, with the result of its run if there is one."""
    outputs = []
    if result is not None:
        data = {
            "text/html": source_lines(result_fragment(result)),
            "text/plain": source_lines(plain_text(encodable_result(result, "utf-8"))),
        }
        outputs.append({"output_type": "execute_result", "execution_count": None, "data": data, "metadata": {}})
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": source_lines(code),
    }


def inert_html(html: str) -> str:
    """HTML for a Markdown cell, in which no dollar begins a formula and no empty line ends the HTML."""
    return EMPTY_LINE.sub("&#10;", html.replace("$", "&#36;"))


def prose_source(markdown: str) -> str:
    """Markdown for a cell; as safe HTML if a notebook would make links, pictures or formulas of it."""
    clean = encodable_text(markdown, "utf-8")
    return inert_html(prose_html(markdown)) if MORE_THAN_PROSE.search(clean) else clean


def heading_cell(level: int, title: str) -> NotebookCell:
    """A cell with a heading, whose words are taken literally."""
    return markdown_cell(inert_html(f"<h{level}>{escaped(encodable_text(title, 'utf-8'))}</h{level}>"))


def run_code(run: Run) -> str:
    """The Python call that shows the parts of a command's result that the lesson shows."""
    show = f", show={', '.join(run.show)!r}" if run.show else ""
    return f"run({shlex.join(run.words)!r}{show})"


def question_cells(performance: Performance, question: Question) -> Iterator[NotebookCell]:
    """A question with its answers; for a fault its symptoms before, and the command that shows it after."""
    if isinstance(question, Diagnose):
        yield code_cell(
            f"symptoms({obfuscate(question.run.words)!r})", symptoms(performance.run_result(question.run.number))
        )
    number = performance.lesson.questions.index(question) + 1
    yield markdown_cell(inert_html(question_html(number, question.question, answer_item(performance, question))))
    if isinstance(question, Diagnose):
        code = f"<code>{escaped(run_code(question.run), quote=False)}</code>"
        hint = f"<details><summary>The fault, and what it costs</summary><p>Run {code}</p></details>"
        yield markdown_cell(inert_html(hint))


def check_cells(performance: Performance, check: Check) -> Iterator[NotebookCell]:
    """Cells that write the learner's file unless it exists, check it, and name the command that watches it."""
    begin = f"from pathlib import Path\n\nif not Path({check.file!r}).exists():\n    run({shlex.join(check.start)!r})"
    yield code_cell(begin)
    yield code_cell(f"run({shlex.join((*check.words, '--unnamed'))!r})", performance.initial_check(check))
    watch = f"`attn-lab {shlex.join(check.words)} --watch`"
    yield markdown_cell(f"In a terminal, {watch} checks `{check.file}` at each save, and has hints.")


def block_cells(performance: Performance, block: Block) -> Iterator[NotebookCell]:
    """The cells of one block of a lesson."""
    match block:
        case Prose():
            yield markdown_cell(prose_source(performance.filled_prose(block)))
        case Run():
            yield code_cell(run_code(block), performance.visible_result(block))
        case Check():
            yield from check_cells(performance, block)
        case _:
            yield from question_cells(performance, block)


def lesson_cells(performance: Performance) -> Iterator[NotebookCell]:
    """All cells of a lesson."""
    lesson = performance.lesson
    yield heading_cell(1, lesson.title)
    yield markdown_cell(HOW)
    yield code_cell(IMPORT)
    title = lesson.title
    for step in lesson.steps:
        if step.title != title:
            title = step.title
            yield heading_cell(2, title)
        for block in step.blocks:
            yield from block_cells(performance, block)


def lesson_notebook(performance: Performance) -> str:
    """The lesson as the JSON text of a notebook. Raises BadLesson if it no longer holds."""
    lesson = performance.lesson
    numbered = [{"id": f"cell-{number}", **cell} for number, cell in enumerate(lesson_cells(performance), 1)]
    facts = {"lesson": lesson.name, "edition": lesson.digest, "version": __version__}
    metadata = {
        "attention_lab": facts,
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    whole = {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
