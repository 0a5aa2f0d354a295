"""Results made by hand, with everything in them that a view must survive, and Results made at random."""

from __future__ import annotations

import io
import math
import shlex

from hypothesis import settings
from hypothesis import strategies as st
from rich.console import Console

from attention_lab.result import (
    Column,
    Diff,
    DiffLine,
    Line,
    Matrix,
    Note,
    Pair,
    Result,
    Series,
    Sign,
    Signs,
    Statement,
    Table,
    matrix,
    series,
    table,
)
from attention_lab.show.terminal import print_result

WORDS = ["the", "animal", "did", "not", "cross", "the", "street", "because", "it", "was", "too", "tired"]


def weights(rows: int, columns: int) -> list[list[float]]:
    """Numbers that look like weights and need no generator: each row sums to one."""
    raw = [[math.exp(math.sin(1.7 * i + 2.3 * j)) for j in range(columns)] for i in range(rows)]
    return [[value / sum(row) for value in row] for row in raw]


def causal(size: int) -> list[list[bool]]:
    return [[column <= row for column in range(size)] for row in range(size)]


SENTENCE = matrix("sentence", "Attention weights, causal", weights(12, 12), WORDS, WORDS, causal(12))
SCORES = Matrix(
    "scores",
    "Scores with everything a score can be",
    ((0.0, -math.inf, math.nan), (-1.5, math.inf, 2.25), (-1e9, 0.004, -0.001)),
    ("a zero", "signed", "extreme"),
    ("first", "second", "third"),
    ((False, False, False), (False, False, True), (False, False, False)),
    row_title="row",
    column_title="column",
)
WIDE = matrix(
    "wide",
    "Thirty columns",
    [[math.sin(i + j / 3) for j in range(30)] for i in range(3)],
    ["position 1", "position 2", "position 3"],
    [f"dim {j}" for j in range(30)],
    row_title="position",
    column_title="dimension",
)
CJK = matrix("cjk", "注意力 weights", weights(3, 3), ["猫", "食べた", "a"], ["猫", "食べたのでした", "a"])
COSTS = table(
    "costs",
    "What it costs",
    ("n", Column("memory", 1, "MB"), Column("time", 3, "s"), Column("gradient left", 2), "kept", "says"),
    (
        (128, 0.0655, 0.00021, 0.25, True, "nothing to see"),
        (4096, 67.1, 0.41, 3.2e-9, False, "a long remark that has to be broken over several lines to fit"),
        (65536, 17179.9, math.inf, 0.0, None, "–∞ × √d_k"),
    ),
)
WIDE_TABLE = table(
    "wide-table",
    "A table of thirty columns",
    ("layer", *(Column(f"norm of head {j}", 3) for j in range(29))),
    ((f"layer {i}", *(i + j / 7 for j in range(29))) for i in range(2)),
)
CURVES = series(
    "curves",
    "Entropy of the weights as d_k grows",
    "d_k",
    "nats",
    (4, 16, 64, 256, 1024),
    {"scaled": (3.01, 3.02, 3.01, 3.02, 3.01), "not scaled": (2.1, 1.2, 0.49, math.nan, 0.08)},
)
DECAY = series(
    "decay",
    "Gradient that reaches the first block",
    "blocks",
    "gradient",
    range(1, 13),
    {"with residuals": [1.0 - 0.02 * i for i in range(12)], "without": [0.2**i for i in range(12)]},
)
NOTE = Note("note", "Softmax turns scores into weights: Q @ Kᵀ ÷ √d_k, then row by row, from −∞ to ∞ → 0 ≤ w ≤ 1.")
HOLDS = Statement("holds", "Every row sums to 1.", "The sums are 1.0000 to 1e-16.", True, 1.0, "D0")
FAILS = Statement(
    "fails",
    "Division by √d_k brings every single draw of ten scores to a standard deviation of about 1, whatever the width.",
    "In this draw 0.62, 0.72 and 1.11: ten scores are too few to show it, and an average over many draws is needed.",
    False,
    0.62,
    "D0, D3",
)
QUOTED = Statement("quoted", "The paper's base model has 65 million parameters.", "Not measured here.", None)

FULL = Result(
    (NOTE, SENTENCE, SCORES, COSTS, CURVES, DECAY, HOLDS, FAILS, QUOTED),
    demo="sample",
    title="Everything that a view must survive.",
    question="What does a masked cell look like, and what does a zero?",
    documents=("D0", "D4"),
    seed=7,
    options={"text": "the animal", "d_k": (4, 64), "rate": math.nan, "seed": 7},
    command="attn-lab demo sample --text 'the animal did not cross the street' --d-k 4 --d-k 64 --seed 7",
)
STRANGE = Result((WIDE, CJK, WIDE_TABLE, HOLDS), title="Wide and foreign")
EMPTY = Result(())

CAT = ["the", "cat", "sat"]
COMPARED = Result(
    (
        Diff(
            "diff",
            "What was changed",
            (
                DiffLine(
                    29,
                    " ",
                    "def attention(query, key, value, mask=None):  # (Tq, d_k), (Tk, d_k), (Tk, d_v) -> (Tq, d_v)",
                ),
                DiffLine(33, "-", "        scores = np.where(checked(mask), scores, -np.inf)  # mask"),
                DiffLine(33, "+", "        scores = np.where(checked(mask), scores, 0)  # mask"),
            ),
        ),
        Pair(
            "causal",
            "Weights under the causal mask",
            matrix("causal-healthy", "", [[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]], CAT, CAT, causal(3)),
            matrix("causal-broken", "", [[0.4, 0.3, 0.3], [0.5, 0.5, 0], [0.2, 0.3, math.nan]], CAT, CAT),
            ((True, True, True), (False, False, True), (False, False, True)),
        ),
        Signs(
            "moved",
            "Vital signs that moved",
            (
                Sign("future-mass", "A causal query gives its future no weight.", "share", 0, 0, 0.0, 0.3, "up"),
                Sign(
                    "nan", "Masked attention is finite.", "count", 0, 0, 0.0, None, "lost", "ValueError: no (line 33)"
                ),
            ),
        ),
    ),
    demo="mask-zero",
    title="What a forbidden key keeps.",
    command="attn-lab break mask-zero",
)

HOSTILE = '<script>alert(1)</script> & "quoted" \' \x1b[31mred\x00 [bold]markup[/] :smile: \udcff'
ATTACK = Result(
    (
        Note("note", HOSTILE),
        Statement(HOSTILE, HOSTILE, HOSTILE, True, math.nan, HOSTILE),
        Matrix("m", HOSTILE, ((1.0,),), (HOSTILE,), (HOSTILE,), row_title=HOSTILE, column_title=HOSTILE),
        table("t", HOSTILE, (Column(HOSTILE, unit=HOSTILE),), ((HOSTILE,),)),
        series("s", HOSTILE, HOSTILE, HOSTILE, (1, 2), {HOSTILE: (1, 2)}),
    ),
    demo=HOSTILE,
    title=HOSTILE,
    question=HOSTILE,
    documents=(HOSTILE,),
    options={"text": HOSTILE},
    command="attn-lab demo sample --text 'x'",
)


def printed(result: Result, width: int = 80, encoding: str = "utf-8", term: str = "", **settings: object) -> str:
    """What a stream of this encoding receives; a character that it cannot take raises."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", newline="")
    console = Console(file=stream, width=width, height=25, _environ={"TERM": term}, **settings)  # type: ignore[arg-type]
    print_result(result, console)
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(encoding)


SOME = settings(max_examples=50)  # a Result at random takes time to make

words = st.sampled_from(
    ["the", "animal", "because", "猫が食べた", "√d_k", "é", "a b", "", "\n", "x" * 50, "−∞", "👍", "·", "it’s"]
)
labels = words | st.text(st.characters(exclude_categories=()), max_size=12)
numbers = st.floats() | st.floats(-2, 2) | st.sampled_from([0.0, -0.0, 1e-9, 1.0])
digits = st.integers(0, 6)
cells = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | numbers | labels


def rows_of(element: st.SearchStrategy[object], width: int, height: int) -> st.SearchStrategy[tuple[object, ...]]:
    row = st.tuples(*[element] * width)
    return st.tuples(*[row] * height)


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    height, width = draw(st.integers(0, 5)), draw(st.integers(0, 20))
    names = st.lists(labels, min_size=height, max_size=height).map(tuple)
    return Matrix(
        "matrix",
        draw(labels),
        draw(rows_of(numbers, width, height)),  # type: ignore[arg-type]
        draw(names),
        tuple(draw(st.lists(labels, min_size=width, max_size=width))),
        draw(st.none() | rows_of(st.booleans(), width, height)),  # type: ignore[arg-type]
        draw(digits),
    )


@st.composite
def tables(draw: st.DrawFn) -> Table:
    height, width = draw(st.integers(0, 4)), draw(st.integers(0, 8))
    columns = tuple(Column(draw(labels), draw(digits), draw(st.sampled_from(["", "MB"]))) for _ in range(width))
    return Table("table", draw(labels), columns, draw(rows_of(cells, width, height)))  # type: ignore[arg-type]


@st.composite
def several_series(draw: st.DrawFn) -> Series:
    count = draw(st.integers(0, 12))
    values = st.lists(numbers, min_size=count, max_size=count).map(tuple)
    lines = tuple(Line(draw(labels), draw(values)) for _ in range(draw(st.integers(0, 3))))
    return Series("series", draw(labels), draw(labels), draw(labels), draw(values), lines, draw(digits))


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    left = draw(matrices())
    height, width = len(left.rows), len(left.columns)
    right = Matrix("right", "", draw(rows_of(numbers, width, height)), left.rows, left.columns)  # type: ignore[arg-type]
    return Pair("pair", draw(labels), left, right, draw(rows_of(st.booleans(), width, height)))  # type: ignore[arg-type]


lines = st.builds(DiffLine, st.integers(1, 9999), st.sampled_from(" -+"), labels)
diffs = st.builds(Diff, labels, labels, st.lists(lines, max_size=4).map(tuple))
moves = st.sampled_from(["up", "down", "lost", ""])
signs = st.builds(
    Sign, labels, labels, labels, numbers, numbers, st.none() | numbers, st.none() | numbers, moves, labels
)
several_signs = st.builds(Signs, labels, labels, st.lists(signs, max_size=3).map(tuple))
compared = diffs | pairs() | several_signs

sentences = st.lists(labels, max_size=8).map(" ".join)
notes = st.builds(Note, labels, sentences)
statements = st.builds(Statement, labels, sentences, sentences, st.none() | st.booleans(), st.none() | numbers, labels)
results = st.builds(
    Result,
    st.lists(notes | statements | matrices() | tables() | several_series() | compared, max_size=4).map(tuple),
    labels,
    sentences,
    sentences,
    st.lists(labels, max_size=2).map(tuple),
    st.none() | st.integers(0, 10**6),
    st.dictionaries(labels, numbers | labels, max_size=2),
    sentences | st.lists(labels, max_size=8).map(shlex.join),
)
