"""The table pinned_draws.txt: which fault each seed draws. `python tests/pinned_draws.py > tests/pinned_draws.txt`.

A line for each break of the catalogue as it was when the table was written, also for one that no seed drew. Breaks that
were added since are unknown to the table, and what it says is true of the others.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.commands.new import mystery_faults
from attention_lab.quiz import draw as quiz

FILE = Path(__file__).with_suffix(".txt")
MYSTERIES = range(200)
QUIZZES = range(70)  # of each level
COLUMNS = ("mystery", *(f"quiz {level}" for level in quiz.LEVELS))

Table = dict[str, dict[str, list[int]]]  # of each break, in each column, the seeds that draw it


def drawn_by(breaks: Sequence[Break]) -> Table:
    """The faults that the seeds draw from these breaks: of a mystery, and of a quiz the first question."""
    table: Table = {entry.name: {column: [] for column in COLUMNS} for entry in breaks}
    for seed in MYSTERIES:
        table[mystery_faults(breaks, seed)[0].name]["mystery"].append(seed)
    for level in quiz.LEVELS:
        for seed in QUIZZES:
            (question,) = quiz.draw_questions(level, 1, seed, breaks)
            table[question.run.words[1]][f"quiz {level}"].append(seed)
    return table


def as_text(table: Table) -> str:
    """The table as a file: a line a break, its columns in order."""
    lines = [" | ".join(["break", *COLUMNS])]
    lines += [
        " | ".join([name, *(" ".join(map(str, seeds[column])) for column in COLUMNS)]) for name, seeds in table.items()
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def from_text(text: str) -> Table:
    """The table that a file holds."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()[1:]]
    return {
        name: {column: [int(seed) for seed in cell.split()] for column, cell in zip(COLUMNS, cells, strict=True)}
        for name, *cells in rows
    }


if __name__ == "__main__":
    sys.stdout.write(as_text(drawn_by(BREAKS)))
