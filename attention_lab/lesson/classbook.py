"""The answers of a class in a CSV file, and a page with the votes and the misconceptions behind them."""

from __future__ import annotations

import csv
import io
import os
import shlex
import stat
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from pathlib import Path

from attention_lab.csv_cells import guard_cell, unguard_cell
from attention_lab.errors import BadInput, CannotWrite
from attention_lab.lesson.answers import Counts
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.scene import Question, plain_words
from attention_lab.result import Note, Part, Result, table
from attention_lab.text import count


@dataclass(frozen=True)
class AnswerRow:
    """One answer. `line` is the line of the question in the lesson's file, `count` the number of votes."""

    time: str
    lesson: str
    digest: str
    line: int
    question: str
    choice: str
    right: str
    idea: str
    count: int


HEADER = tuple(field.name for field in fields(AnswerRow))


def parse_row(cells: list[str]) -> AnswerRow:
    """A row from its cells. Raises ValueError if they are malformed."""
    if len(cells) != len(HEADER):
        raise ValueError(f"{len(cells)} cells, not {len(HEADER)}")
    time, lesson, digest, line, question, choice, right, idea, held = map(unguard_cell, cells)
    if right not in ("yes", "no") or int(held) < 0:
        raise ValueError(f"{right!r} and {held!r} are no verdict and count")
    return AnswerRow(time, lesson, digest, int(line), question, choice, right, idea, int(held))


def parse_rows(file: str, text: str) -> Iterator[AnswerRow]:
    """The rows of a file. Raises BadInput with the first malformed line."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    advice = "Name a new file, or one that --record has written; this one stays as it is."
    try:
        if tuple(next(lines, HEADER)) != HEADER:
            raise BadInput(f"{file} holds no answers: its first line is not {','.join(HEADER)}.", advice)
        yield from (
            parse_row(cells) for cells in lines if cells and tuple(cells) != HEADER
        )  # two processes may each have written a header
    except (ValueError, csv.Error) as reason:
        raise BadInput(f"Line {lines.line_num} of {file} is no answer: {reason}.", advice) from reason


def read_text(file: str) -> str:
    """The text of a file, "" if it does not exist. Raises BadInput or CannotWrite."""
    path = Path(file)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise CannotWrite(file, "it is no file that rows can be added to")
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as reason:
        raise BadInput(f"{file} holds no answers: it is no text in UTF-8.", "Name a new file.") from reason
    except (OSError, ValueError) as reason:
        raise CannotWrite(file, str(getattr(reason, "strerror", reason))) from reason


def read_rows(file: str) -> list[AnswerRow]:
    """All rows of a file, [] if it does not exist. Raises BadInput or CannotWrite."""
    return list(parse_rows(file, read_text(file)))


def append_rows(file: str, rows: list[AnswerRow]) -> None:
    """Append rows to a file, all or none; an empty file gets a header first. Raises OSError."""
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    with open(file, "ab+", buffering=0) as stream:  # unbuffered, since another process may append too
        stream.seek(0)
        before = stream.read()
        if not before.removeprefix(BOM_UTF8):
            writer.writerow(HEADER)
        elif not before.endswith(b"\n"):  # a spreadsheet may leave the last line open
            lines.write("\n")
        for row in rows:
            writer.writerow([guard_cell(cell) if isinstance(cell, str) else cell for cell in astuple(row)])
        data, written = lines.getvalue().encode(), 0
        try:
            while written < len(data):
                written += stream.write(data[written:])
        except OSError:
            if os.fstat(stream.fileno()).st_size == len(before) + written:  # no other process has appended
                stream.truncate(len(before))
            raise


def answer_rows(performance: Performance, question: Question, counts: Counts) -> list[AnswerRow]:
    """One row for each choice that got votes, with the present time."""
    lesson, now = performance.lesson, datetime.now().astimezone().isoformat(timespec="seconds")
    right = performance.right_choice(question)
    rows = []
    for choice, held in zip(question.choices, counts, strict=True):
        if held:
            facts = (plain_words(question.question), plain_words(choice.text), "yes" if choice is right else "no")
            idea = "" if choice is right else plain_words(choice.idea)
            rows.append(AnswerRow(now, lesson.name, lesson.digest, question.line, *facts, idea, held))
    return rows


def class_page(rows: list[AnswerRow], command: str) -> Result:
    """Votes for each choice of each question, and the misconceptions behind wrong ones, the most frequent first."""
    questions = dict.fromkeys((row.lesson, row.question) for row in rows)
    chosen: Counter[tuple[str, str, str, str]] = Counter()
    ideas: Counter[tuple[str, str]] = Counter()
    for row in rows:
        chosen[row.lesson, row.question, row.choice, row.right] += row.count
        if row.idea and row.right == "no":
            ideas[row.idea, row.question] += row.count
    answers = [
        (lesson, question, choice, right, held)
        for lesson, question in questions
        for (*key, choice, right), held in chosen.most_common()
        if tuple(key) == (lesson, question)
    ]
    parts: list[Part] = [
        table("answers", "Who chose what", ("lesson", "question", "answer", "right", "how many"), answers),
        table(
            "ideas", "Ideas that were held", ("how many", "idea", "question"), [(n, *k) for k, n in ideas.most_common()]
        ),
        Note("all", f"{count(sum(chosen.values()), 'answer')} to {count(len(questions), 'question')}."),
    ]
    return Result(tuple(parts), demo="walk", title="what the class answered", command=command)


def class_page_of(file: str) -> Result:
    """The page of all answers in a file. Raises BadInput or CannotWrite."""
    return class_page(read_rows(file), shlex.join(("attn-lab", "walk", "--record", file)))
