"""The page on writing lessons is run: its lesson as it is printed there, and each line that it names."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import attention_lab.demos as demos
from attention_lab.commands.results import result_of
from attention_lab.lesson.lesson import BadLesson
from attention_lab.lesson.perform import COMPARED, ORDERED, Performance
from attention_lab.lesson.read import BLOCKS, COMMANDS, parse_lesson
from attention_lab.lesson.verify import verify_lesson
from attention_lab.result import Result

README = (Path(demos.__file__).parent / "lessons" / "README.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"````markdown\n(.*?)````\n", README, flags=re.DOTALL)
ROWS = re.findall(r"^\| `(?P<command>[^`]+)` \| `(?P<line>[^`]+)` \|", README, flags=re.MULTILINE)
CONDITIONS = [(command, line) for command, line in ROWS if line.startswith("when: ")]
NUMBERS = [(command, line) for command, line in ROWS if line.startswith("[")]


@cache  # each command is run once for all tests
def perform(words: tuple[str, ...]) -> Result:
    return result_of(words)


def faults(text: str) -> list[BadLesson]:
    lesson = parse_lesson(text, "mine.md")
    return verify_lesson(lesson, Performance(lesson, perform), lambda _: None)


def with_condition(command: str, line: str) -> str:
    """A lesson in which this is what makes an answer right."""
    other = "- no\n  when: nothing-there holds"
    return f"# Title\n\n```predict\nWhich?\n\n- yes\n  {line}\n{other}\n```\n\n```run\n{command}\n```\n"


def with_number(command: str, line: str) -> str:
    """A lesson in which this stands in the prose."""
    return f"# Title\n\n```run\n{command}\n```\n\nIt is {line}.\n"


def test_its_lesson_holds():
    assert faults(EXAMPLE) == []
    kinds = {type(block).__name__.lower() for block in parse_lesson(EXAMPLE, "mine.md").blocks}
    assert kinds == {*BLOCKS, "prose"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "found", "on"),
    [
        ("[68 %]", "[69 %]", "'69 %' stands where '68 %' was measured", "[69 %]"),
        ("when: first-row = 0", "when: first-row = 1", "2 answers are right", "```predict"),
        ("when: first-row = 1", "when: first-row > 1", "none of the answers", "```predict"),
        ("  idea: Then every word would still see itself and the past.\n", "", "does not say", "- mask-zero"),
        ("show: masked, future-zero", "show: maskd", "no part 'maskd'", "```run"),
        ("--break mask-zero", "--break mask-zeroes", "fails", "```run"),
        ("start: attn-lab new mine.py", "start: attn-lab new mine.py --solved", "nothing is wrong", "```check"),
        ("start: attn-lab new mine.py", "start: attn-lab new mine.py --broken no", "gives no file", "```check"),
    ],
)
def test_what_the_page_says_is_found_is_found_on_its_line(right: str, wrong: str, found: str, on: str):
    assert EXAMPLE.count(right) == 1
    changed = EXAMPLE.replace(right, wrong)
    (fault,) = faults(changed)
    assert found in str(fault)
    assert on in changed.splitlines()[fault.line - 1]


def test_a_block_that_is_not_closed_is_found():
    start = EXAMPLE.index("```predict")
    end = EXAMPLE.index("```", start + 3)
    line = EXAMPLE[:start].count("\n") + 1
    with pytest.raises(BadLesson, match=f"line {line}: the block ```predict is not closed"):
        parse_lesson(EXAMPLE[:end], "mine.md")


def test_the_table_has_lines_of_both_kinds():
    assert len(CONDITIONS) > 5
    assert len(NUMBERS) > 2
    assert len(CONDITIONS) + len(NUMBERS) == len(ROWS) == README.count("\n| `")


@pytest.mark.parametrize(("command", "line"), CONDITIONS)
def test_each_condition_is_understood_and_so(command: str, line: str):
    lesson = parse_lesson(with_condition(command, line), "mine.md")
    performance = Performance(lesson, perform)
    (condition,) = lesson.questions[0].choices[0].when
    assert performance.is_met(condition)


def test_a_condition_that_is_not_so_would_be_seen():
    lesson = parse_lesson(with_condition("demo causal", "when: first-row fails"), "mine.md")
    assert not Performance(lesson, perform).is_met(lesson.questions[0].choices[0].when[0])


@pytest.mark.parametrize(("command", "line"), NUMBERS)
def test_each_number_is_what_was_measured(command: str, line: str):
    text = with_number(command, line)
    assert faults(text) == []
    lesson = parse_lesson(text, "mine.md")
    assert "result:" not in Performance(lesson, perform).filled_prose(lesson.steps[0].blocks[-1])


def test_the_page_names_every_command_sign_and_key():
    (sentence,) = re.findall(r"\*\*`run`\*\* holds one command: (.*?)\.", README)
    assert re.findall(r"`(\w+)`", sentence) == list(COMMANDS)
    signs = set(re.findall(r"`([<>=!]+)`", README)) | {re.search(r" ([<>=!]+) ", line)[1] for _, line in CONDITIONS[:1]}
    assert signs == {*COMPARED, *ORDERED}
    assert all(f"`{key}:`" in README for key in ("show", "name", "when", "idea", "start"))
    assert all(f"**`{kind}`**" in README for kind in BLOCKS)
