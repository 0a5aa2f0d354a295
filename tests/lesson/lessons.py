"""A small lesson, results to judge it by without running a command, and a terminal to drive the real one."""

from __future__ import annotations

from attention_lab.errors import BadInput
from attention_lab.lesson.lesson import Lesson
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.read import parse_lesson
from attention_lab.result import (
    Column,
    Diff,
    DiffLine,
    Note,
    Pair,
    Result,
    Sign,
    Signs,
    Statement,
    matrix,
    series,
    table,
)

LESSON = """\
# Small

What it is about.

## One

```run
attn-lab demo small
name: one
```

The largest is [0.61](result:one#largest) of all.

## Two

```predict
Which?

- Above a half.
  when: grid/a/x > 0.5
- Below.
  when: grid/a/x < 0.5
  idea: It is not.
```

```run
attn-lab demo small
show: grid
```
"""
HEALTHY = matrix("healthy", "Weights", [[0.25, 0.75]], ["a"], ["x", "y"])
BROKEN = matrix("broken", "Weights", [[0.5, 0.5]], ["a"], ["x", "y"])
MOVED = Sign("future-mass", "The future has no weight.", "share", 0, 0, 0.0, 0.9, "up")
LOST = Sign("norm-mean", "The mean is zero.", "value", 0, 0, 0.0, None, "lost", "ValueError")
RESULT = Result(
    (
        Note("intro", "Words."),
        Statement("largest", "It is large.", "0.61249", True, 0.61249),
        Statement("small", "It is small.", "no", False, 0.2),
        Statement("said", "It is said.", "", None),
        matrix("grid", "Grid", [[0.612, -0.004], [0.25, float("inf")]], ["a", "the"], ["x", "the"]),
        matrix("same", "Same", [[1, 2], [3, 4]], ["the", "the"], ["x", "x"]),
        table(
            "rows", "Rows", ("name", Column("n"), "ok", "word"), [("a/b", 12345, True, "yes"), ("c", None, False, "")]
        ),
        series("curve", "Curve", "d_k", "weight", [4, 64, 0.5], {"raw": [1.0, 2.0, 3.0]}),
        Pair("pair", "Both", HEALTHY, BROKEN, ((True, True),)),
        Signs("moved", "Moved", (MOVED, LOST)),
        Diff("diff", "Line", (DiffLine(1, "+", "x"),)),
        Note("cost", "It costs."),
        Note("next", "Do it."),
        Signs("hidden", "Hidden", ()),
    ),
    seed=3,
    question="Watch it.",
    command="attn-lab break nothing",
)


def perform(words: tuple[str, ...]) -> Result:
    """The result above, or the error of a command that does not run."""
    if "nowhere" in words:
        raise BadInput("There is no demo 'nowhere'.", "Write another.")
    return RESULT


def lesson(*blocks: str) -> Lesson:
    """A lesson of these blocks, below a title."""
    return parse_lesson("# A lesson\n\n" + "\n\n".join(blocks) + "\n", "a.md")


def performed(*blocks: str) -> Performance:
    """The same, to be run on the result above."""
    return Performance(lesson(*blocks), perform)


RUN = "```run\nattn-lab demo small\n```"
