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
from attention_lab.lesson.markdown_blocks import pieces

MOST = 6  # answers to a question; each has a letter that is no other key of a walk
COMMANDS = ("demo", "break", "train", "claims", "explain")  # those with a result to show
REFERENCE = re.compile(r"\[(?P<written>[^\[\]\n]*)\]\((?:<result:(?P<long>[^>\n]*)>|result:(?P<short>[^)\s]*))\)")
MEANT = re.compile(r"\]\s?\(\s*<?\s*result:[^\n)]*\)?", re.IGNORECASE)  # the end of a reference, or what looks like it
LARGEST = 1_000_000  # bytes of a lesson; the longest of ours has 30,000
OWN_VIEW = ("--plain", "--json", "--html", "--svg", "--save")  # a lesson shows a result itself, and writes no files
SIGN = r"(?P<sign><=|>=|<|>|=|!=)"
VALUE = r"""(?P<right>"[^"]*"|[-−+]?[\d.,]+(?:[eE][-−+]?\d+)?)"""
COMPARISONS = (  # a label in an address may hold a sign itself: before a number or a word the last sign is meant
    re.compile(rf"(?P<left>.+) {SIGN} {VALUE}"),
    re.compile(rf"(?P<left>.+?) {SIGN} (?P<right>.+)"),
)
VERDICT = re.compile(r"(?P<left>.+) (?P<sign>holds|fails)")
OWN_FILE = re.compile(r"\w[\w.-]*\.py")  # a name in the folder in which somebody works
SCHEME = re.compile(r"[\w-]+#")  # "scaling#largest" is the result of the command named so


@dataclass
class Reader:
    """What has been read so far of one file."""

    path: str
    commands: tuple[str, ...]  # that may stand in a block
    runs: list[Run] = field(default_factory=list)
    named: dict[str, int] = field(default_factory=dict)

    def wrong(self, line: int, what: str, advice: str) -> BadLesson:
        """The error to raise about a line."""
        return BadLesson(self.path, line, what, advice)

    def address(self, line: int, text: str, run: int) -> Address:
        """A place in the result of a command: by its name, or of the command that is meant where none is named."""
        name, _, path = text.partition("#") if SCHEME.match(text) else ("", "", text)
        if name and name not in self.named:
            raise self.wrong(line, f"no command above is named {name!r}.", f"Write 'name: {name}' in its block.")
        if not name and run < 0:
            raise self.wrong(line, f"{text!r} stands before any command.", "Move it below the block that it is about.")
        return Address(self.named[name] if name else run, path)


# ---- the lines of a block ----


def entries(lines: list[str], first: int) -> list[tuple[int, str, list[tuple[int, str]]]]:
    """The "- item" lines of a block, each with the indented lines below it; lines are numbered as in the file."""
    found: list[tuple[int, str, list[tuple[int, str]]]] = []
    for number, line in enumerate(lines, first):
        if line.startswith("- "):
            found.append((number, line[2:].strip(), []))
        elif line.rstrip() == "-":
            found.append((number, "", []))
        elif line.strip() and found:
            found[-1][2].append((number, line.strip()))
    return found


def before_entries(lines: list[str]) -> str:
    """The text above the first "- item"."""
    end = next((place for place, line in enumerate(lines) if line.startswith("- ")), len(lines))
    return " ".join(" ".join(lines[:end]).split())


def side(reader: Reader, line: int, text: str, run: int) -> Address | float | str:
    """One side of a comparison: a number, a "word" in quotation marks, or an address."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    try:
        number = float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return reader.address(line, text, run)
    if isnan(number):
        raise reader.wrong(line, f"{text!r} is no number to compare with.", "Write another.")
    return number


def condition(reader: Reader, line: int, text: str, run: int) -> Condition:
    """One `when:` line."""
    found = (pattern.fullmatch(text) for pattern in (*COMPARISONS, VERDICT))
    match = next(filter(None, found), None)
    if match is None:
        raise reader.wrong(
            line,
            f"'when: {text}' is no comparison.",
            "Write 'when: PART/ROW/COLUMN > 0.5', with < <= > >= = or !=, or 'when: STATEMENT holds', or 'fails'.",
        )
    left = side(reader, line, match["left"], run)
    right = "" if match.re is VERDICT else side(reader, line, match["right"], run)
    if not isinstance(left, Address) and not isinstance(right, Address):
        raise reader.wrong(line, f"'when: {text}' asks nothing of the result.", "Name a part of it on one side.")
    return Condition(line, left, match["sign"], right)


def keyed(line: int, text: str, below: list[tuple[int, str]]) -> list[tuple[int, str, str]]:
    """An answer as (line, key, text): first its own words, then its `when` and `idea` lines, each joined to one."""
    found = [(line, "text", text)]
    for number, more in below:
        key, colon, rest = more.partition(":")
        if colon and key in ("when", "idea"):
            found.append((number, key, rest.strip()))
        else:
            start, key, words = found[-1]
            found[-1] = (start, key, f"{words} {more}")
    return found


def choices(reader: Reader, lines: list[str], first: int, run: int) -> tuple[Choice, ...]:
    """The answers of a question."""
    found = []
    for entry in entries(lines, first):
        (line, _, text), *more = keyed(*entry)
        if not text:
            raise reader.wrong(line, "an answer without words.", "Write them behind the '-'.")
        when = tuple(condition(reader, number, rest, run) for number, key, rest in more if key == "when")
        idea = " ".join(rest for _, key, rest in more if key == "idea")
        found.append(Choice(line, text, when, idea))
    return tuple(found)


def command_of(reader: Reader, line: int, text: str, only: str = "") -> tuple[str, ...]:
    """The words of a command, without the `attn-lab` that may stand before them; with `only`, of that command."""
    try:
        words = shlex.split(text)
    except ValueError as reason:
        raise reader.wrong(line, f"{text!r} is no command line: {reason}.", "Close the quotation mark.") from reason
    words = words[1:] if words[:1] == ["attn-lab"] else words
    known = (only,) if only else reader.commands
    if not words or words[0] not in known:
        names = only or f"one of {', '.join(known)}"
        raise reader.wrong(line, f"{text!r} is no command of a lesson.", f"Write attn-lab and {names}.")
    option = next((word.partition("=")[0] for word in words if word.partition("=")[0] in OWN_VIEW), None)
    if option is not None:
        what = f"{option} writes a file or shows the result in another way; a lesson shows it in its own."
        raise reader.wrong(line, what, f"Leave {option} out.")
    return tuple(words)


# ---- one function for each kind of block ----


def run_block(reader: Reader, lines: list[str], line: int) -> Run:
    """A command, and below it perhaps `show:` with names of parts, and `name:`."""
    kept = [(number, text.strip()) for number, text in enumerate(lines, line + 1) if text.strip()]
    if not kept:
        raise reader.wrong(line, "a block ```run without a command.", "Write one: attn-lab demo scaling.")
    run = Run(line, len(reader.runs), command_of(reader, *kept[0]))
    for number, text in kept[1:]:
        key, colon, rest = text.partition(":")
        show = tuple(part.strip() for part in rest.split(","))
        if key not in ("show", "name") or not colon or not all(show):
            advice = "Write 'show: PART, PART' or 'name: NAME'; a second command is a block of its own."
            raise reader.wrong(number, f"{text!r} says nothing about the command.", advice)
        value = rest.strip()
        if key == "name" and (not SCHEME.fullmatch(value + "#") or value in reader.named):
            raise reader.wrong(number, f"{value!r} is no new name.", "Use letters, digits and '-', each name once.")
        run = replace(run, show=show) if key == "show" else replace(run, name=value)
    reader.runs.append(run)
    if run.name:
        reader.named[run.name] = run.number
    return run


def several(reader: Reader, line: int, found: tuple[Choice, ...], kind: str) -> None:
    """Raise BadLesson unless there is something to choose between, and not too much."""
    if len(found) < 2:
        what = f"a block ```{kind} with {'one answer' if found else 'no answers'} to choose from."
        raise reader.wrong(line, what, "Write at least two lines that begin with '- '.")
    if len(found) > MOST:
        what = f"a block ```{kind} with {len(found)} answers: nobody weighs so many."
        raise reader.wrong(found[MOST].line, what, f"Leave the {MOST} that people believe.")


def predict_block(reader: Reader, lines: list[str], line: int) -> Predict:
    """A question about the next command, and its answers."""
    question = before_entries(lines)
    if not question:
        raise reader.wrong(line, "a block ```predict without a question.", "Write it above the answers.")
    run = len(reader.runs)
    found = choices(reader, lines, line + 1, run)
    several(reader, line, found, "predict")
    for choice in found:
        if not choice.when:
            what = f"the answer {choice.text!r} does not say when it is right."
            raise reader.wrong(choice.line, what, "Write an indented line 'when: …' below it.")
    return Predict(line, question, found, run)


def diagnose_block(reader: Reader, lines: list[str], line: int) -> Diagnose:
    """A broken model, and names of breaks to choose from."""
    start = next((place for place, text in enumerate(lines) if text.strip()), 0)
    first = lines[start] if lines else ""
    if not first.strip() or first.startswith("- "):
        raise reader.wrong(line, "a block ```diagnose without a command.", "Write one: attn-lab break mask-flip.")
    run = Run(line, len(reader.runs), command_of(reader, line + 1 + start, first))
    if run.words[0] != "break":
        raise reader.wrong(line + 1 + start, f"{first.strip()!r} breaks nothing.", "Write attn-lab break NAME.")
    reader.runs.append(run)
    found = choices(reader, lines, line + 1, run.number)
    several(reader, line, found, "diagnose")
    question = before_entries(lines[start + 1 :]) or "Which fault is it?"
    return Diagnose(line, run, question, found)


def check_block(reader: Reader, lines: list[str], line: int) -> Check:
    """A file to repair or to write: the command that checks it, and `start:` with the one that writes it."""
    kept = [(number, text.strip()) for number, text in enumerate(lines, line + 1) if text.strip()]
    advice = "Write 'attn-lab check FILE.py', and below it 'start: attn-lab new FILE.py --mystery 12'."
    if len(kept) != 2 or not kept[1][1].startswith("start:"):
        raise reader.wrong(line, "a block ```check is a command and a line 'start: …'.", advice)
    (number, text), (below, more) = kept
    words = command_of(reader, number, text, "check")
    file = words[1].partition(":")[0] if len(words) > 1 else ""
    if not OWN_FILE.fullmatch(file):
        what = f"{text!r} checks no file in the folder in which somebody works."
        raise reader.wrong(number, what, "Name it first, without a folder: attn-lab check mystery.py.")
    if "--watch" in words or "--unnamed" in words:
        raise reader.wrong(number, "a lesson shows what is wrong, and not which fault it is.", "Leave the option out.")
    start = command_of(reader, below, more.removeprefix("start:"), "new")
    if start[1:2] != (file,) or "--force" in start:
        raise reader.wrong(below, f"{more!r} does not write a new {file}.", f"Write start: attn-lab new {file}.")
    return Check(line, file, words, start)


def meant(line: str) -> str:
    """What in a line is a reference, or looks like one; "" where nothing does."""
    found = MEANT.search(line)
    return line[max(0, line.rfind("[", 0, found.start())) : found.end()] if found else ""


def prose_block(reader: Reader, text: str, line: int) -> Prose:
    """Markdown, and the numbers in it that refer to the command above."""
    for number, written in enumerate(text.split("\n"), line):
        wrong = meant(REFERENCE.sub("", written))
        if wrong:
            advice = "Write [0.61](result:PART/ROW/COLUMN), or [0.61](<result:…>) where there is a space in it."
            raise reader.wrong(number, f"{wrong!r} is no number that can be filled in.", advice)
    found = []
    for match in REFERENCE.finditer(text):
        number = line + text[: match.start()].count("\n")
        path = match["long"] if match["long"] is not None else match["short"]
        found.append(Reference(number, match[0], match["written"], reader.address(number, path, len(reader.runs) - 1)))
    return Prose(line, text, tuple(found))


BLOCKS: dict[str, Callable[[Reader, list[str], int], Block]] = {
    "run": run_block,
    "predict": predict_block,
    "diagnose": diagnose_block,
    "check": check_block,
}


# ---- the whole ----


def no_reference(reader: Reader, lines: list[str], line: int) -> None:
    """Raise BadLesson on a reference where none is filled in: nobody would find out that its number has gone stale."""
    for number, text in enumerate(lines, line):
        if meant(text):
            what = f"{meant(text)!r} stands where no number is filled in."
            raise reader.wrong(number, what, "Write it in the prose: a paragraph above or below.")


def steps_of(reader: Reader, text: str) -> tuple[str, tuple[Step, ...]]:
    """The title of a lesson and its steps."""
    heading, title = "", ""
    blocks: list[Block] = []
    steps: list[Step] = []

    def end_step() -> None:
        if blocks:
            steps.append(Step(title, blocks[0].line, tuple(blocks)))
            blocks.clear()

    for kind, line, lines in pieces(text, reader.path, tuple(BLOCKS)):
        if kind != "prose":
            no_reference(reader, lines, line + (kind in BLOCKS))
        if kind in BLOCKS:
            blocks.append(BLOCKS[kind](reader, lines, line))
        elif kind == "prose":
            blocks.append(prose_block(reader, "\n".join(lines).strip("\n"), line))
        if kind in ("h1", "h2", "hr"):
            end_step()
        if kind in ("h1", "h2"):
            title = lines[0]
            heading = heading or (title if kind == "h1" else "")
        if kind in ("predict", "diagnose"):
            end_step()
    end_step()
    return heading, tuple(steps)


def read(text: str, path: str, commands: tuple[str, ...] = COMMANDS) -> Lesson:
    """A lesson from its text. Raises BadLesson with the line that is wrong."""
    reader = Reader(path, commands)
    heading, steps = steps_of(reader, text)
    if not heading:
        raise reader.wrong(1, "there is no title.", "Write one on the first line: # My lesson.")
    if not steps:
        raise reader.wrong(1, "there is nothing below the title.", "Write a paragraph, and a block ```run.")
    first = steps[0].blocks[0]
    summary = first.text.partition("\n\n")[0] if isinstance(first, Prose) else ""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    lesson = Lesson(Path(path).stem, heading, path, " ".join(summary.split()), steps, digest)
    for question in lesson.questions:
        if isinstance(question, Predict) and question.run >= len(lesson.runs):
            raise reader.wrong(question.line, "no command follows that could answer it.", "Write a block ```run below.")
    return lesson


def read_file(path: Path, commands: tuple[str, ...] = COMMANDS) -> Lesson:
    """A lesson from a file. Raises BadInput where it cannot be read, BadLesson where it is wrong."""
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
    return read(text, str(path), commands)
