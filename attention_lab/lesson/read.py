"""Read a lesson: Markdown whose fenced blocks are commands and questions.

A block is ```run, ```predict, ```diagnose or ```check; every other fence is shown as it stands. Steps begin at `##`
headings, at `---`, and after each question.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from attention_lab.errors import BadInput
from attention_lab.lesson.record import (
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

MOST = 6  # answers to a question; each has a letter that is no other key of a walk
COMMANDS = ("demo", "break", "train", "claims", "explain")  # those with a result to show
REFERENCE = re.compile(r"\[(?P<written>[^\]\n]*)\]\((?:<result:(?P<long>[^>\n]*)>|result:(?P<short>[^)\s]*))\)")
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
        return float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return reader.address(line, text, run)


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
        if key not in ("show", "name") or not colon or not rest.strip():
            advice = "Write 'show: PART, PART' or 'name: NAME'; a second command is a block of its own."
            raise reader.wrong(number, f"{text!r} says nothing about the command.", advice)
        value = rest.strip()
        if key == "name" and (not SCHEME.fullmatch(value + "#") or value in reader.named):
            raise reader.wrong(number, f"{value!r} is no new name.", "Use letters, digits and '-', each name once.")
        show = tuple(part.strip() for part in value.split(","))
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


def prose_block(reader: Reader, text: str, line: int) -> Prose:
    """Markdown, and the numbers in it that refer to the command above."""
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


def misplaced(reader: Reader, kind: str, line: int, level: int) -> None:
    """Raise BadLesson on a block that would be shown as it stands, although a command or a question is meant."""
    if level > 0 and kind in BLOCKS:
        raise reader.wrong(line, f"the block ```{kind} stands inside a list or a quotation.", "Do not set it in.")
    meant = get_close_matches(kind.lower(), list(BLOCKS), n=1, cutoff=0.65)
    if meant and kind not in BLOCKS:
        raise reader.wrong(line, f"a block ```{kind} is none of a lesson.", f"Write ```{meant[0]}.")


def pieces(reader: Reader, text: str) -> Iterator[tuple[str, int, list[str]]]:
    """The lesson in pieces: their kind ("h1", "h2", "hr", a kind of block, or "prose"), first line, and lines.

    Raises BadLesson on a fence that is not closed: what follows it would be swallowed.
    """
    from markdown_it import MarkdownIt

    lines = text.splitlines()
    prose = -1  # the line at which the prose begins that is being collected
    for token in MarkdownIt("commonmark").parse(text):
        if token.map is None:
            continue
        if token.type == "fence":
            misplaced(reader, token.info.strip().partition(" ")[0], token.map[0] + 1, token.level)
        if token.level > 0:
            continue
        begin, end = token.map
        kind = token.tag if token.type in ("heading_open", "hr") else ""
        if token.type == "fence":
            kind = token.info.strip().partition(" ")[0]
            if end - begin < 2 or not re.fullmatch(rf"\s*{token.markup}{token.markup[0]}*\s*", lines[end - 1]):
                what = f"the block {token.markup}{kind} is not closed."
                raise reader.wrong(begin + 1, what, f"Write {token.markup} on a line of its own where it ends.")
        if kind not in ("h1", "h2", "hr", *BLOCKS):
            prose = begin if prose < 0 else prose
            continue
        if prose >= 0:
            yield "prose", prose + 1, lines[prose:begin]
            prose = -1
        yield kind, begin + 1, lines[begin:end]
    if prose >= 0:
        yield "prose", prose + 1, lines[prose:]


def steps_of(reader: Reader, text: str) -> tuple[str, tuple[Step, ...]]:
    """The title of a lesson and its steps."""
    heading, title = "", ""
    blocks: list[Block] = []
    steps: list[Step] = []

    def end_step() -> None:
        if blocks:
            steps.append(Step(title, blocks[0].line, tuple(blocks)))
            blocks.clear()

    for kind, line, lines in pieces(reader, text):
        if kind in BLOCKS:
            blocks.append(BLOCKS[kind](reader, lines[1:-1], line))
        elif kind == "prose":
            blocks.append(prose_block(reader, "\n".join(lines).strip("\n"), line))
        if kind in ("h1", "h2", "hr"):
            end_step()
        if kind in ("h1", "h2"):
            title = lines[0].strip().strip("#").strip()
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
    if not path.is_file():
        raise BadInput(f"There is no lesson {str(path)!r}.", "Give a Markdown file, or a name from 'attn-lab walk'.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as reason:
        raise BadInput(f"Cannot read {path} as text: {reason}.", "Give a Markdown file in UTF-8.") from reason
    return read(text, str(path), commands)
