"""Read a lesson: Markdown whose fenced blocks are commands and questions.

A block is ```run, ```predict, ```diagnose or ```check; every other fence is shown as it stands. Steps begin at `##`
headings, at `---`, and after each question.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path

from attention_lab.errors import BadInput
from attention_lab.lesson.lesson import (
    Address,
    BadLesson,
    Block,
    Check,
    Choice,
    Condition,
    Diagnose,
    Lesson,
    Predict,
    Prose,
    Reference,
    Run,
    Step,
)
from attention_lab.lesson.markdown_blocks import markdown_pieces

MOST_CHOICES = 6  # choices of a question; their letters must not be keys of a walk
COMMANDS = ("demo", "break", "train", "claims", "explain")  # commands that a block may run
REFERENCE = re.compile(r"\[(?P<written>[^\[\]\n]*)\]\((?:<result:(?P<long>[^>\n]*)>|result:(?P<short>[^)\s]*))\)")
MEANT = re.compile(r"\]\s?\(\s*<?\s*result:[^\n)]*\)?", re.IGNORECASE)  # the end of a reference, or of a misspelled one
LARGEST = 1_000_000  # most bytes of a lesson; the longest of the package has 30,000
OWN_VIEW = (
    "--plain",
    "--json",
    "--html",
    "--svg",
    "--save",
)  # options that a lesson refuses: it shows results itself and writes no files
SIGN = r"(?P<sign><=|>=|<|>|=|!=)"
VALUE = r"""(?P<right>"[^"]*"|[-−+]?[\d.,]+(?:[eE][-−+]?\d+)?)"""
COMPARISONS = (  # a label may contain a sign itself; the last sign before a number or a word counts
    re.compile(rf"(?P<left>.+) {SIGN} {VALUE}"),
    re.compile(rf"(?P<left>.+?) {SIGN} (?P<right>.+)"),
)
VERDICT = re.compile(r"(?P<left>.+) (?P<sign>holds|fails)")
OWN_FILE = re.compile(r"\w[\w.-]*\.py")  # a file in the learner's folder
SCHEME = re.compile(r"[\w-]+#")  # the name of a command: "scaling#largest" is a place in its result


@dataclass
class Reader:
    """State of reading one file."""

    path: str
    commands: tuple[str, ...]  # commands that may stand in a block
    runs: list[Run] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)

    def error_at(self, line: int, what: str, advice: str) -> BadLesson:
        """The error to raise about a line."""
        return BadLesson(self.path, line, what, advice)

    def parse_address(self, line: int, text: str, run: int) -> Address:
        """A place in the result of the command that the text names, or of command number `run` if it names none."""
        name, _, path = text.partition("#") if SCHEME.match(text) else ("", "", text)
        if name and name not in self.named:
            raise self.error_at(line, f"no command above is named {name!r}.", f"Write 'name: {name}' in its block.")
        if not name and run < 0:
            raise self.error_at(
                line, f"{text!r} stands before any command.", "Move it below the block that it is about."
            )
        return Address(self.named[name] if name else run, path)


# ---- the lines of a block ----


def block_entries(lines: list[str], first: int) -> list[tuple[int, str, list[tuple[int, str]]]]:
    """The "- item" lines of a block, each with the indented lines below it, and their line numbers in the file."""
    items: list[tuple[int, str, list[tuple[int, str]]]] = []
    for number, line in enumerate(lines, first):
        if line.startswith("- "):
            items.append((number, line[2:].strip(), []))
        elif line.rstrip() == "-":
            items.append((number, "", []))
        elif line.strip() and items:
            items[-1][2].append((number, line.strip()))
    return items


def text_above_entries(lines: list[str]) -> str:
    """The text above the first "- item"."""
    end = next((place for place, line in enumerate(lines) if line.startswith("- ")), len(lines))
    return " ".join(" ".join(lines[:end]).split())


def parse_side(reader: Reader, line: int, text: str, run: int) -> Address | float | str:
    """One side of a comparison: a number, a "word" in quotation marks, or an address."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    try:
        number = float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return reader.parse_address(line, text, run)
    if isnan(number):
        raise reader.error_at(line, f"{text!r} is no number to compare with.", "Write another.")
    return number


def parse_condition(reader: Reader, line: int, text: str, run: int) -> Condition:
    """One `when:` line."""
    matches = (pattern.fullmatch(text) for pattern in (*COMPARISONS, VERDICT))
    match = next(filter(None, matches), None)
    if match is None:
        raise reader.error_at(
            line,
            f"'when: {text}' is no comparison.",
            "Write 'when: PART/ROW/COLUMN > 0.5', with < <= > >= = or !=, or 'when: STATEMENT holds', or 'fails'.",
        )
    left = parse_side(reader, line, match["left"], run)
    right = "" if match.re is VERDICT else parse_side(reader, line, match["right"], run)
    if not isinstance(left, Address) and not isinstance(right, Address):
        raise reader.error_at(line, f"'when: {text}' asks nothing of the result.", "Name a part of it on one side.")
    return Condition(line, left, match["sign"], right)


def entry_fields(line: int, text: str, below: list[tuple[int, str]]) -> list[tuple[int, str, str]]:
    """An answer as (line, key, text): its own words, then its `when` and `idea` lines, continuation lines joined."""
    fields = [(line, "text", text)]
    for number, more in below:
        key, colon, rest = more.partition(":")
        if colon and key in ("when", "idea"):
            fields.append((number, key, rest.strip()))
        else:
            start, key, words = fields[-1]
            fields[-1] = (start, key, f"{words} {more}")
    return fields


def parse_choices(reader: Reader, lines: list[str], first: int, run: int) -> tuple[Choice, ...]:
    """The answers of a question."""
    choices = []
    for entry in block_entries(lines, first):
        (line, _, text), *more = entry_fields(*entry)
        if not text:
            raise reader.error_at(line, "an answer without words.", "Write them behind the '-'.")
        when = tuple(parse_condition(reader, number, rest, run) for number, key, rest in more if key == "when")
        idea = " ".join(rest for _, key, rest in more if key == "idea")
        choices.append(Choice(line, text, when, idea))
    return tuple(choices)


def parse_command(reader: Reader, line: int, text: str, only: str = "") -> tuple[str, ...]:
    """The words of a command without a leading `attn-lab`; `only` is the sole command allowed, "" any of a lesson."""
    try:
        words = shlex.split(text)
    except ValueError as reason:
        raise reader.error_at(line, f"{text!r} is no command line: {reason}.", "Close the quotation mark.") from reason
    words = words[1:] if words[:1] == ["attn-lab"] else words
    known = (only,) if only else reader.commands
    if not words or words[0] not in known:
        names = only or f"one of {', '.join(known)}"
        raise reader.error_at(line, f"{text!r} is no command of a lesson.", f"Write attn-lab and {names}.")
    option = next((word.partition("=")[0] for word in words if word.partition("=")[0] in OWN_VIEW), None)
    if option is not None:
        what = f"{option} writes a file or shows the result in another way; a lesson shows it in its own."
        raise reader.error_at(line, what, f"Leave {option} out.")
    return tuple(words)


# ---- one function for each kind of block ----


def parse_run(reader: Reader, lines: list[str], line: int) -> Run:
    """A command, with optional lines `show:` (names of parts) and `name:` below it."""
    kept = [(number, text.strip()) for number, text in enumerate(lines, line + 1) if text.strip()]
    if not kept:
        raise reader.error_at(line, "a block ```run without a command.", "Write one: attn-lab demo scaling.")
    run = Run(line, len(reader.runs), parse_command(reader, *kept[0]))
    for number, text in kept[1:]:
        key, colon, rest = text.partition(":")
        show = tuple(part.strip() for part in rest.split(","))
        if key not in ("show", "name") or not colon or not all(show):
            advice = "Write 'show: PART, PART' or 'name: NAME'; a second command is a block of its own."
            raise reader.error_at(number, f"{text!r} says nothing about the command.", advice)
        value = rest.strip()
        if key == "name" and (not SCHEME.fullmatch(value + "#") or value in reader.named):
            raise reader.error_at(number, f"{value!r} is no new name.", "Use letters, digits and '-', each name once.")
        run = replace(run, show=show) if key == "show" else replace(run, name=value)
    reader.runs.append(run)
    if run.name:
        reader.named[run.name] = run.number
    return run


def require_choices(reader: Reader, line: int, choices: tuple[Choice, ...], kind: str) -> None:
    """Raise BadLesson unless there are 2 to MOST_CHOICES choices."""
    if len(choices) < 2:
        what = f"a block ```{kind} with {'one answer' if choices else 'no answers'} to choose from."
        raise reader.error_at(line, what, "Write at least two lines that begin with '- '.")
    if len(choices) > MOST_CHOICES:
        what = f"a block ```{kind} with {len(choices)} answers: nobody weighs so many."
        raise reader.error_at(choices[MOST_CHOICES].line, what, f"Leave the {MOST_CHOICES} that people believe.")


def parse_predict(reader: Reader, lines: list[str], line: int) -> Predict:
    """A question about the next command, and its answers."""
    question = text_above_entries(lines)
    if not question:
        raise reader.error_at(line, "a block ```predict without a question.", "Write it above the answers.")
    run = len(reader.runs)
    choices = parse_choices(reader, lines, line + 1, run)
    require_choices(reader, line, choices, "predict")
    for choice in choices:
        if not choice.when:
            what = f"the answer {choice.text!r} does not say when it is right."
            raise reader.error_at(choice.line, what, "Write an indented line 'when: …' below it.")
    return Predict(line, question, choices, run)


def parse_diagnose(reader: Reader, lines: list[str], line: int) -> Diagnose:
    """A broken model, and names of breaks to choose from."""
    start = next((place for place, text in enumerate(lines) if text.strip()), 0)
    first = lines[start] if lines else ""
    if not first.strip() or first.startswith("- "):
        raise reader.error_at(line, "a block ```diagnose without a command.", "Write one: attn-lab break mask-flip.")
    run = Run(line, len(reader.runs), parse_command(reader, line + 1 + start, first))
    if run.words[0] != "break":
        raise reader.error_at(line + 1 + start, f"{first.strip()!r} breaks nothing.", "Write attn-lab break NAME.")
    reader.runs.append(run)
    choices = parse_choices(reader, lines, line + 1, run.number)
    require_choices(reader, line, choices, "diagnose")
    question = text_above_entries(lines[start + 1 :]) or "Which fault is it?"
    return Diagnose(line, run, question, choices)


def parse_check(reader: Reader, lines: list[str], line: int) -> Check:
    """A file to repair or to write: the command that checks it, and `start:` with the command that writes it."""
    kept = [(number, text.strip()) for number, text in enumerate(lines, line + 1) if text.strip()]
    advice = "Write 'attn-lab check FILE.py', and below it 'start: attn-lab new FILE.py --mystery 12'."
    if len(kept) != 2 or not kept[1][1].startswith("start:"):
        raise reader.error_at(line, "a block ```check is a command and a line 'start: …'.", advice)
    (number, text), (below, more) = kept
    words = parse_command(reader, number, text, "check")
    file = words[1].partition(":")[0] if len(words) > 1 else ""
    if not OWN_FILE.fullmatch(file):
        what = f"{text!r} checks no file in the folder in which somebody works."
        raise reader.error_at(number, what, "Name it first, without a folder: attn-lab check mystery.py.")
    if "--watch" in words or "--unnamed" in words:
        raise reader.error_at(
            number, "a lesson shows what is wrong, and not which fault it is.", "Leave the option out."
        )
    start = parse_command(reader, below, more.removeprefix("start:"), "new")
    if start[1:2] != (file,) or "--force" in start:
        raise reader.error_at(below, f"{more!r} does not write a new {file}.", f"Write start: attn-lab new {file}.")
    return Check(line, file, words, start)


def reference_in(line: str) -> str:
    """The reference in a line, or what resembles one; else ""."""
    match = MEANT.search(line)
    return line[max(0, line.rfind("[", 0, match.start())) : match.end()] if match else ""


def parse_prose(reader: Reader, text: str, line: int) -> Prose:
    """Markdown with its references to numbers of the command above."""
    for number, written in enumerate(text.split("\n"), line):
        wrong = reference_in(REFERENCE.sub("", written))
        if wrong:
            advice = "Write [0.61](result:PART/ROW/COLUMN), or [0.61](<result:…>) where there is a space in it."
            raise reader.error_at(number, f"{wrong!r} is no number that can be filled in.", advice)
    references = []
    for match in REFERENCE.finditer(text):
        number = line + text[: match.start()].count("\n")
        path = match["long"] if match["long"] is not None else match["short"]
        references.append(
            Reference(number, match[0], match["written"], reader.parse_address(number, path, len(reader.runs) - 1))
        )
    return Prose(line, text, tuple(references))


BLOCKS: dict[str, Callable[[Reader, list[str], int], Block]] = {
    "run": parse_run,
    "predict": parse_predict,
    "diagnose": parse_diagnose,
    "check": parse_check,
}


# ---- the whole ----


def reject_references(reader: Reader, lines: list[str], line: int) -> None:
    """Raise BadLesson on a reference outside prose: it is not filled in, so its number could go stale unnoticed."""
    for number, text in enumerate(lines, line):
        if reference_in(text):
            what = f"{reference_in(text)!r} stands where no number is filled in."
            raise reader.error_at(number, what, "Write it in the prose: a paragraph above or below.")


def parse_steps(reader: Reader, text: str) -> tuple[str, tuple[Step, ...]]:
    """The title of a lesson and its steps."""
    heading, title = "", ""
    blocks: list[Block] = []
    steps: list[Step] = []

    def end_step() -> None:
        if blocks:
            steps.append(Step(title, blocks[0].line, tuple(blocks)))
            blocks.clear()

    for kind, line, lines in markdown_pieces(text, reader.path, tuple(BLOCKS)):
        if kind != "prose":
            reject_references(reader, lines, line + (kind in BLOCKS))
        if kind in BLOCKS:
            blocks.append(BLOCKS[kind](reader, lines, line))
        elif kind == "prose":
            blocks.append(parse_prose(reader, "\n".join(lines).strip("\n"), line))
        if kind in ("h1", "h2", "hr"):
            end_step()
        if kind in ("h1", "h2"):
            title = lines[0]
            heading = heading or (title if kind == "h1" else "")
        if kind in ("predict", "diagnose"):
            end_step()
    end_step()
    return heading, tuple(steps)


def parse_lesson(text: str, path: str, commands: tuple[str, ...] = COMMANDS) -> Lesson:
    """A lesson from its text. Raises BadLesson with the faulty line."""
    reader = Reader(path, commands)
    heading, steps = parse_steps(reader, text)
    if not heading:
        raise reader.error_at(1, "there is no title.", "Write one on the first line: # My lesson.")
    if not steps:
        raise reader.error_at(1, "there is nothing below the title.", "Write a paragraph, and a block ```run.")
    first = steps[0].blocks[0]
    summary = first.text.partition("\n\n")[0] if isinstance(first, Prose) else ""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    lesson = Lesson(Path(path).stem, heading, path, " ".join(summary.split()), steps, digest)
    for question in lesson.questions:
        if isinstance(question, Predict) and question.run >= len(lesson.runs):
            raise reader.error_at(
                question.line, "no command follows that could answer it.", "Write a block ```run below."
            )
    return lesson


def read_lesson(path: Path, commands: tuple[str, ...] = COMMANDS) -> Lesson:
    """A lesson from a file. Raises BadInput if it cannot be read, BadLesson if it is faulty."""
    try:
        if not path.exists():
            raise BadInput(
                f"There is no lesson {str(path)!r}.", "Give a Markdown file, or a name from 'attn-lab walk'."
            )
        if not path.is_file():
            raise BadInput(f"{path} is no file.", "Give a Markdown file.")
        size = path.stat().st_size
        if size > LARGEST:
            raise BadInput(f"{path} is too long for a lesson: {size:,} bytes.", f"Give one of at most {LARGEST:,}.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as reason:
        raise BadInput(f"Cannot read {path} as text: {reason}.", "Give a Markdown file in UTF-8.") from reason
    except OSError as reason:
        raise BadInput(f"Cannot read {path}: {reason.strerror}.", "Give a Markdown file that can be read.") from reason
    return parse_lesson(text, str(path), commands)
