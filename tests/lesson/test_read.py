"""Every sentence that a writer of lessons is told, at the line that it is about; and what a right lesson becomes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from lessons import LESSON, RUN, lesson

from attention_lab.errors import BadInput
from attention_lab.lesson.lesson import Address, BadLesson, Condition, Diagnose, Predict, Prose, Run
from attention_lab.lesson.read import parse_lesson, read_lesson

PREDICT = "```predict\nWhich?\n\n- One.\n  when: grid/a/x > 0\n- Two.\n  when: grid/a/x < 0\n  idea: No.\n```"
TWO = "- One.\n  when: a > 0\n- Two.\n  when: a < 0\n"


def test_a_lesson_is_its_title_its_summary_and_its_steps():
    it = parse_lesson(LESSON, "folder/small.md")
    assert (it.name, it.title, it.summary) == ("small", "Small", "What it is about.")
    assert [(step.title, step.line) for step in it.steps] == [("Small", 3), ("One", 7), ("Two", 16), ("Two", 26)]
    assert [run.words for run in it.runs] == [("demo", "small")] * 2
    assert it.runs[1].show == ("grid",)
    (question,) = it.questions
    assert isinstance(question, Predict)
    assert question.run == 1
    assert question.choices[1].idea == "It is not."


def test_the_digest_tells_one_version_from_another():
    assert parse_lesson(LESSON, "a.md").digest == parse_lesson(LESSON, "b.md").digest
    assert parse_lesson(LESSON, "a.md").digest != parse_lesson(LESSON + " ", "a.md").digest


def test_steps_end_at_headings_rules_and_questions():
    it = lesson(
        "One.", "---", "Two.", PREDICT, "Three.\n\n### A small heading\n\nStill three.", RUN, "## Four", "Four."
    )
    assert [len(step.blocks) for step in it.steps] == [1, 2, 2, 1]
    assert [step.title for step in it.steps] == ["A lesson", "A lesson", "A lesson", "Four"]


def test_a_block_of_another_kind_is_shown_as_it_stands():
    (step,) = lesson("Look:\n\n```python\nx = 1\n```\n\n```\nplain\n```\n\n~~~sh\nls\n~~~").steps
    (prose,) = step.blocks
    assert isinstance(prose, Prose)
    assert "x = 1" in prose.text
    assert "ls" in prose.text


def test_answers_go_on_over_several_lines():
    (question,) = lesson(
        "```predict\nA long\nquestion?\n\n- One\n  answer.\n  when: a\n    > 0\n  when: largest holds\n"
        "- Two.\n  when: a < 0\n  idea: Because\n    of it.\n```",
        RUN,
    ).questions
    assert question.question == "A long question?"
    assert question.choices[0].text == "One answer."
    assert question.choices[0].when == (
        Condition(9, Address(0, "a"), ">", 0.0),
        Condition(11, Address(0, "largest"), "holds", ""),
    )
    assert question.choices[1].idea == "Because of it."


@pytest.mark.parametrize(
    ("written", "right"),
    [("−1,000.5", -1000.5), ('"cat"', "cat"), ("b/c", Address(0, "b/c")), ("0", 0.0)],
)
def test_a_comparison_is_with_a_number_a_word_or_another_place(written: str, right: object):
    (question,) = lesson(f"```predict\nQ?\n- One.\n  when: a/x = {written}\n- Two.\n  when: a != 0\n```", RUN).questions
    assert question.choices[0].when[0].right == right


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("rows/a = b/n > 0.5", (Address(0, "rows/a = b/n"), ">", 0.5)),
        ("rows/a > b/n != −1,000", (Address(0, "rows/a > b/n"), "!=", -1000.0)),
        ("rows/a = b/n < 1e-9", (Address(0, "rows/a = b/n"), "<", 1e-9)),
        ('rows/a = b/ok = "yes"', (Address(0, "rows/a = b/ok"), "=", "yes")),
        ('rows/a/ok = "a = b"', (Address(0, "rows/a/ok"), "=", "a = b")),
        ("0.5 < rows/a = b/n", (0.5, "<", Address(0, "rows/a = b/n"))),
        ("rows/a = b holds", (Address(0, "rows/a"), "=", Address(0, "b holds"))),
    ],
)
def test_a_label_may_hold_a_sign(written: str, expected: tuple[object, str, object]):
    (question,) = lesson(f"```predict\nQ?\n- One.\n  when: {written}\n- Two.\n  when: a < 0\n```", RUN).questions
    condition = question.choices[0].when[0]
    assert (condition.left, condition.sign, condition.right) == expected


@pytest.mark.parametrize("option", ["--plain", "--json", "--html", "--html=a.html", "--svg", "--save"])
@pytest.mark.parametrize("kind", ["run", "diagnose"])
def test_a_command_of_a_lesson_writes_no_files_and_leaves_the_view_alone(kind: str, option: str):
    answers = "" if kind == "run" else "- a\n- b\n"
    with pytest.raises(BadLesson) as caught:
        lesson(f"```{kind}\nattn-lab break a {option} b\n{answers}```")
    name = option.partition("=")[0]
    assert caught.value.line == 4
    assert caught.value.problem.startswith(f"{name} writes a file or shows")
    assert caught.value.advice == f"Leave {name} out."


def test_numbers_refer_to_the_command_above_or_to_one_by_name():
    it = lesson(RUN.replace("small\n", "small\nname: one\n"), RUN, "[1](result:a) and [2](<result:one#b c/d>).")
    found = [reference for block in it.blocks if isinstance(block, Prose) for reference in block.references]
    assert [(one.line, one.written, one.address) for one in found] == [
        (12, "1", Address(1, "a")),
        (12, "2", Address(0, "b c/d")),
    ]


def test_a_fault_to_find_is_a_command_of_its_own():
    (question,) = lesson(
        "```diagnose\nbreak mask-flip --size 5\n\nWhat?\n\n- mask-flip\n- no-scale\n  idea: No.\n```"
    ).questions
    assert isinstance(question, Diagnose)
    assert question.run == Run(3, 0, ("break", "mask-flip", "--size", "5"))
    assert question.question == "What?"


def test_a_fault_without_a_question_has_the_usual_one():
    (question,) = lesson("```diagnose\nattn-lab break mask-flip\n- mask-flip\n- no-scale\n```").questions
    assert question.question == "Which fault is it?"


WRONG = {  # blocks, the line that is named, what is said and what is advised
    "command": (
        "```run\nattn-lab dmeo x\n```",
        4,
        "'attn-lab dmeo x' is no command of a lesson.",
        "demo, break, train",
    ),
    "quotes": ('```run\nattn-lab demo "x\n```', 4, "is no command line", "Close the quotation mark."),
    "empty run": ("```run\n\n```", 3, "```run without a command", "attn-lab demo scaling"),
    "second command": (f"{RUN[:-3]}attn-lab demo b\n```", 5, "says nothing about the command", "a block of its own"),
    "empty show": (f"{RUN[:-3]}show:\n```", 5, "says nothing about the command", "'show: PART, PART'"),
    "name": (f"{RUN[:-3]}name: a b\n```", 5, "'a b' is no new name", "each name once"),
    "same name": (f"{RUN[:-3]}name: a\n```\n\n{RUN[:-3]}name: a\n```", 10, "'a' is no new name", "each name once"),
    "unclosed": ("Text.\n\n```run\nattn-lab demo a\n", 5, "the block ```run is not closed", "Write ``` on a line"),
    "unclosed tildes": ("~~~~predict\nQ?\n~~~\n", 3, "the block ~~~~predict is not closed", "Write ~~~~ on a line"),
    "unclosed code": ("```python\nx\n", 3, "the block ```python is not closed", "Write ```"),
    "set in": ("- Do:\n\n  ```run\n  attn-lab demo a\n  ```", 5, "```run stands inside a list", "Do not set it in."),
    "misspelled": (f"```predcit\nQ?\n{TWO}```\n{RUN}", 3, "```predcit is none of a lesson", "Write ```predict."),
    "capital": ("```Run\nattn-lab demo a\n```", 3, "```Run is none of a lesson", "Write ```run."),
    "no question": (f"```predict\n{TWO}```\n\n{RUN}", 3, "```predict without a question", "above the answers"),
    "no answers": (f"```predict\nQ?\n```\n\n{RUN}", 3, "with no answers to choose from", "at least two lines"),
    "one answer": (f"```predict\nQ?\n- One.\n  when: a > 0\n```\n\n{RUN}", 3, "with one answer to choose", "'- '"),
    "seven": (
        "```predict\nQ?\n" + "- One.\n  when: a > 0\n" * 7 + f"```\n\n{RUN}",
        17,
        "with 7 answers",
        "Leave the 6",
    ),
    "no when": (
        f"```predict\nQ?\n{TWO}- Three.\n```\n\n{RUN}",
        9,
        "'Three.' does not say when it is right",
        "'when: …'",
    ),
    "no sign": (f"```predict\nQ?\n- One.\n  when: a\n- Two.\n```\n\n{RUN}", 6, "'when: a' is no comparison", "> 0.5"),
    "no place": (
        f"```predict\nQ?\n- One.\n  when: 1 = 1\n- Two.\n```\n\n{RUN}",
        6,
        "asks nothing of the result",
        "part",
    ),
    "no name": (f"```predict\nQ?\n- One.\n  when: b#a > 1\n- Two.\n```\n\n{RUN}", 6, "is named 'b'", "'name: b'"),
    "no run": (f"```predict\nQ?\n{TWO}```", 3, "no command follows", "Write a block ```run below."),
    "too early": ("It is [1](result:a).", 3, "'a' stands before any command", "Move it below"),
    "second line": ("It\nis [1](result:a).", 4, "'a' stands before any command", "Move it below"),
    "empty show in a list": (f"{RUN[:-3]}show: a,\n```", 5, "says nothing about the command", "'show: PART, PART'"),
    "no words": (
        f"```predict\nQ?\n{TWO}-\n  when: a > 0\n```\n\n{RUN}",
        9,
        "an answer without words",
        "behind the '-'",
    ),
    "nan": (f"```predict\nQ?\n- One.\n  when: a > nan\n- Two.\n```\n\n{RUN}", 6, "'nan' is no number to", "another"),
    "spaces": (f"{RUN}\n\nIt\nis [1](result:a/b c).", 8, "'[1](result:a/b c)' is no number that can be", "<result:…>"),
    "space before": (f"{RUN}\n\n[1] (result:a).", 7, "'[1] (result:a)' is no number", "Write [0.61](result:PART"),
    "capital result": (f"{RUN}\n\n[1](Result:a).", 7, "'[1](Result:a)' is no number", "Write [0.61](result:PART"),
    "bracket open": (f"{RUN}\n\n[1](<result:a).", 7, "'[1](<result:a)' is no number", "Write [0.61](result:PART"),
    "number in a title": (
        f"{RUN}\n\n## Not [1](result:a)",
        7,
        "'[1](result:a)' stands where no number",
        "in the prose",
    ),
    "number in a question": (
        f"```predict\nIs it\n[1](result:a)?\n{TWO}```\n\n{RUN}",
        5,
        "'[1](result:a)' stands where no number is filled in",
        "in the prose",
    ),
    "number in an idea": (
        f"```predict\nQ?\n{TWO}  idea: It is [1](<result:a b>).\n```\n\n{RUN}",
        9,
        "'[1](<result:a b>)' stands where no number is filled in",
        "in the prose",
    ),
    "no command": ("```diagnose\n- a\n- b\n```", 3, "```diagnose without a command", "attn-lab break mask-flip"),
    "empty": ("```diagnose\n```", 3, "```diagnose without a command", "attn-lab break mask-flip"),
    "no break": ("```diagnose\n\ndemo a\n- a\n- b\n```", 5, "'demo a' breaks nothing", "attn-lab break NAME"),
    "one break": ("```diagnose\nbreak a\n- a\n```", 3, "```diagnose with one answer", "at least two lines"),
}


@pytest.mark.parametrize(("blocks", "line", "what", "advice"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_line(blocks: str, line: int, what: str, advice: str):
    with pytest.raises(BadLesson) as caught:
        lesson(blocks)
    assert (caught.value.path, caught.value.line) == ("a.md", line)
    assert what in caught.value.problem
    assert caught.value.what == f"a.md, line {line}: {caught.value.problem}"
    assert advice in caught.value.advice


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "there is no title"),
        ("Words.\n", "there is no title"),
        ("## A section\n\nWords.\n", "there is no title"),
        ("# A title\n", "there is nothing below the title"),
    ],
)
def test_a_lesson_has_a_title_and_something_below_it(text: str, what: str):
    with pytest.raises(BadLesson) as caught:
        parse_lesson(text, "a.md")
    assert what in caught.value.problem
    assert caught.value.line == 1


@pytest.mark.parametrize(
    "separator", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\0"], ids=ascii
)
def test_what_ends_no_line_of_markdown_ends_none(separator: str):
    it = lesson(f"a{separator}b", f"```predict\nQ?\n{TWO}```", RUN, f"{separator}\n\nIt is [1](result:a).")
    assert [len(question.choices) for question in it.questions] == [2]
    (reference,) = (reference for block in it.blocks if isinstance(block, Prose) for reference in block.references)
    assert reference.line == 19


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("- ", "-\t").replace("  when", "\twhen").replace("  idea", "\tidea"),
        lambda text: text.replace("```", "~~~~"),
        lambda text: "".join(f"  {line}" for line in text.splitlines(keepends=True)),
    ],
    ids=["CRLF", "CR", "tabs", "tildes", "set in"],
)
def test_an_editor_may_write_it_in_its_own_way(change: Callable[[str], str]):
    blocks = f"```predict\nQ?\n{TWO}  idea: No.\n```\n\n{RUN}\n"
    same = parse_lesson("# T\n\n" + blocks, "a.md")
    it = parse_lesson("# T\n\n" + change(blocks), "a.md")
    assert it.questions == same.questions
    assert it.runs == same.runs


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# C# #", "C#"),
        ("#\tA  b ##", "A b"),
        ("In two\nlines\n===", "In two lines"),
        (r"# \# and `#`", r"\# and `#`"),
    ],
)
def test_a_title_is_all_of_its_words(heading: str, title: str):
    assert parse_lesson(f"{heading}\n\nWords.\n", "a.md").title == title


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "text", ["[" * 50_000, "![" * 30_000, "[a](" * 30_000, "]" * 50_000, "x" * 900_000, "- " * 3000, "> " * 3000]
)
def test_no_text_keeps_the_reader_for_long(text: str):
    began = time.process_time()
    with suppress(BadLesson):
        parse_lesson(f"# T\n\n{text}\n", "a.md")
    assert time.process_time() - began < 20


def test_a_file_is_read_as_it_is_written(tmp_path: Path):
    file = tmp_path / "mine.md"
    file.write_bytes(b"\xef\xbb\xbf" + LESSON.replace("\n", "\r\n").encode())
    assert read_lesson(file).name == "mine"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path):
    with pytest.raises(BadInput, match="There is no lesson"):
        read_lesson(tmp_path / "nowhere.md")
    with pytest.raises(BadInput, match="is no file"):
        read_lesson(tmp_path)
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(BadInput, match="is no file"):
        read_lesson(tmp_path / "pipe.md")
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")
    with pytest.raises(BadInput, match="There is no lesson"):
        read_lesson(tmp_path / "loop.md")
    with pytest.raises(BadInput, match=r"Cannot read .*: File name too long"):
        read_lesson(tmp_path / ("x" * 300 + ".md"))
    (tmp_path / "long.md").write_text("# Long\n\n" + "words " * 200_000)
    with pytest.raises(BadInput, match=r"too long for a lesson: 1,200,008 bytes. Give one of at most 1,000,000"):
        read_lesson(tmp_path / "long.md")
    (tmp_path / "latin.md").write_bytes("# Titel: größer\n".encode("latin-1"))
    with pytest.raises(BadInput, match=r"Cannot read .* as text"):
        read_lesson(tmp_path / "latin.md")
