"""A lesson on a screen: its prose, its pages, its verdicts, and results that are computed ahead."""

from __future__ import annotations

import threading

import pytest
from lessons import RESULT
from rich.text import Text

from attention_lab.errors import BadInput
from attention_lab.lesson.prefetch import Prefetcher
from attention_lab.lesson.scene import AnswerItem, QuestionItem, ResultItem
from attention_lab.result import Result, table
from attention_lab.show.glyphs import encodable_text
from attention_lab.show.prose import prose_blocks, prose_text
from attention_lab.show.screen import foot_line
from attention_lab.show.theme import CODE, EMPHASIS
from attention_lab.show.walk import PlainView, TerminalView, join_blocks, paginate, verdict_lines

MARKDOWN = """\
A *paragraph* of several
lines with `code_here` and **weight**.

- One item
  that goes on.
- Two

  still two.
  1. inner
  2. inner too

> Quoted.

```python
x = 1

y = "a long line that is wider than the screen is"
```

### Small heading

5. five
"""


def shown(markdown: str, width: int, encoding: str = "utf-8") -> str:
    return "\n".join(line.plain for line in join_blocks(prose_blocks(markdown, width, encoding)))


def test_prose_is_wrapped_and_set_in():
    assert shown(MARKDOWN, 40) == (
        "A paragraph of several lines with\ncode_here and weight.\n\n"
        "- One item that goes on.\n- Two\n\n  still two.\n  1. inner\n  2. inner too\n\n"
        "Quoted.\n\n"
        '  x = 1\n\n  y = "a long line that is wider than th\n  e screen is"\n\n'
        "Small heading\n\n5. five"
    )


@pytest.mark.parametrize("width", [1, 2, 7, 20, 40, 80])
def test_no_line_of_prose_is_wider_than_there_is_room(width: int):
    widest = max(line.cell_len for block in prose_blocks(MARKDOWN + "\n" + "猫" * 90, width, "utf-8") for line in block)
    assert widest <= max(width, 16)
    squeezed = "".join(shown(MARKDOWN, width).split())
    assert "Aparagraphofseverallines" in squeezed
    assert "widerthanthescreenis" in squeezed


def test_prose_has_styles_where_there_is_colour():
    (first, *_) = prose_blocks(MARKDOWN, 80, "utf-8")
    styles = {str(span.style): first[0].plain[span.start : span.end] for span in first[0].spans}
    assert styles["italic"] == "paragraph"
    assert "code_here" in styles.values()
    assert "weight" in styles.values()


def test_prose_is_spelled_in_what_the_stream_has():
    assert shown("√d_k ≤ “1” – *é*", 80, "ascii") == 'sqrt(d_k) <= "1" - e'
    assert prose_text("√d_k", "ascii") == "sqrt(d_k)"


def test_prose_to_be_heard_has_each_paragraph_on_one_line():
    text = prose_text(MARKDOWN, "utf-8")
    assert text.startswith("A paragraph of several lines with code_here and weight.\n\n- One item that goes on.\n- Two")


def test_links_and_html_lose_no_words():
    assert shown("See [the page](http://x.y) <b>now</b>.\n\n| a | b |\n", 80) == "See the page <b>now</b>.\n\n| a | b |"


# ---- pages ----


def block(size: int, inset: bool = False) -> list[Text]:
    return [Text(("  " if inset and number else "") + f"line {number}") for number in range(size)]


def sizes(room: int | None, *heights: int) -> list[list[int]]:
    return [[len(piece) for piece in page] for page in paginate([block(height) for height in heights], room)]


@pytest.mark.parametrize(
    ("room", "heights", "expected"),
    [
        (10, (3, 3), [[3, 3]]),
        (10, (3, 6), [[3, 6]]),
        (10, (3, 7), [[3], [7]]),
        (10, (12,), [[10], [2]]),
        (10, (3, 12, 3), [[3], [10], [2, 3]]),
        (10, (), [[]]),
        (1, (2,), [[1], [1]]),
        (0, (2,), [[1], [1]]),
        (None, (99, 99), [[99, 99]]),
    ],
)
def test_blocks_stand_on_pages(room: int | None, heights: tuple[int, ...], expected: list[list[int]]):
    assert sizes(room, *heights) == expected


def test_nothing_is_lost_between_pages():
    blocks = [block(size) for size in (1, 30, 2, 7)]
    for room in range(1, 12):
        lines = [line for page in paginate(blocks, room) for piece in page for line in piece]
        assert lines == [line for one in blocks for line in one]
        assert max(len(list(join_blocks(page))) for page in paginate(blocks, room)) <= room


def test_a_row_of_several_lines_is_not_cut():
    row = [Text("name  first"), Text("      second")]
    assert [[len(piece) for piece in page] for page in paginate([row * 4], 5)] == [[4], [4]]
    assert [[len(piece) for piece in page] for page in paginate([block(20, inset=True)], 8)] == [[8], [8], [4]]


TABLE = table("long", "A long table", ("n", "square"), [(n, n * n) for n in range(30)])
COMMAND = "attn-lab demo long"


@pytest.mark.parametrize(("encoding", "command"), [("utf-8", ""), ("ascii", ""), ("utf-8", COMMAND)])
def test_a_table_that_goes_on_shows_its_heads_again(encoding: str, command: str):
    blocks = TerminalView(40, encoding).item_blocks(ResultItem(command, Result((TABLE,))))
    first, *more = [[line.plain for piece in page for line in piece] for page in paginate(blocks, 12)]
    above = [COMMAND in line for line in first].count(True) * 2
    head = first[above : above + 3]
    assert head[0] == "A long table"
    assert head[1].split() == ["n", "square"]
    assert len(more) >= 3
    assert all(page[:3] == head and len(page) <= 12 for page in more)
    rows = [line for page in (first[above:], *more) for line in page[3:]]
    assert [int(row.split()[0]) for row in rows] == list(range(30))


def test_a_long_row_of_a_table_is_not_cut():
    words = "five words in one cell"
    tall = table("tall", "Tall", ("name", "words"), [(f"row-{n}", words) for n in range(9)])
    (block_of_table,) = TerminalView(12, "utf-8").item_blocks(ResultItem("", Result((tall,))))
    for page in paginate([block_of_table], 24):
        for piece in page:
            assert piece[3].plain.startswith("row-")
            assert " ".join("\n".join(line.plain for line in piece[3:]).split()).endswith("cell")


def test_heads_are_not_shown_again_where_hardly_a_row_would_fit_below_them():
    (block_of_table,) = TerminalView(40, "utf-8").item_blocks(ResultItem("", Result((TABLE,))))
    found = [line.plain for page in paginate([block_of_table], 10) for piece in page for line in piece]
    assert found == [line.plain for line in block_of_table]


def test_a_line_of_dashes_is_no_head_of_a_table():
    dashed = [Text("----"), *block(20)]
    assert [line for page in paginate([dashed], 12) for piece in page for line in piece] == dashed


@pytest.mark.parametrize(
    ("width", "expected"),
    [(80, "step 1 of 4   Enter: on   ?: help"), (25, "step 1 of 4   Enter: on"), (12, "step 1 of 4"), (6, "step…")],
)
def test_a_foot_says_what_there_is_room_for(width: int, expected: str):
    assert foot_line(("step 1 of 4", "Enter: on", "?: help"), width, "utf-8") == expected


# ---- verdicts ----


@pytest.mark.parametrize(
    ("chosen", "hands", "expected"),
    [
        (1, (), ["Right: b) Two"]),
        (0, (), ["Not a) One", "Why a.", "What was measured says b) Two"]),
        (2, (), ["Not c) Three", "What was measured says b) Two"]),
        (None, (), ["Answer: b) Two", "Not a): Why a."]),
        (None, (1, 2, 3), ["Answer: b) Two (2 hands)", "Not a) (1 hand): Why a.", "Not c) (3 hands)"]),
    ],
)
def test_a_verdict_says_which_is_right_and_why_not_the_other(chosen, hands, expected: list[str]):
    told = AnswerItem(("One", "Two", "Three"), 1, chosen, ("Why a.", "", ""), hands)
    assert verdict_lines(told) == expected
    for view in (TerminalView(80, "utf-8"), PlainView("utf-8")):
        assert [line.plain for block in view.item_blocks(told) for line in block] == expected


MARKED = QuestionItem("Is `a*b` *so*, d_k · 2?", ("`x`", "No `2·3·4`, [1, 0] (not)."))


@pytest.mark.parametrize("view", [TerminalView(80, "utf-8"), PlainView("utf-8")])
def test_code_in_a_question_and_its_answers_has_no_marks(view: TerminalView | PlainView):
    (asked,) = view.item_blocks(MARKED)
    assert [line.plain.removeprefix("Question: ") for line in asked] == [
        "Is a*b so, d_k · 2?",
        "a) x",
        "b) No 2·3·4, [1, 0] (not).",
    ]
    told = view.item_blocks(AnswerItem(MARKED.choices, 0, 1, ("", "Not `y`.")))
    assert [line.plain for one in told for line in one][1:] == ["Not y.", "What was measured says a) x"]


def test_code_in_a_question_has_its_style_where_there_is_colour():
    (asked,) = TerminalView(80, "utf-8").item_blocks(MARKED)
    styled = {asked[0].plain[span.start : span.end]: str(span.style) for span in asked[0].spans}
    assert styled["a*b"] == CODE
    assert styled["so"] == EMPHASIS


def test_what_a_character_is_spelled_with_is_no_mark():
    (asked,) = TerminalView(80, "ascii").item_blocks(QuestionItem("2·3·4 and “√” ?", ("‘a’",)))
    assert asked[0].plain == encodable_text("2·3·4 and “√” ?", "ascii")


@pytest.mark.parametrize("width", [1, 2, 5, 9, 30])
def test_a_question_is_as_narrow_as_the_screen(width: int):
    (asked,) = TerminalView(width, "utf-8").item_blocks(QuestionItem("猫猫 and a-word-without-end", ("`code` 猫",)))
    assert max(line.cell_len for line in asked) <= max(width, 5)  # a letter, and a Chinese character beside it


# ---- ahead ----


def test_what_is_prepared_is_computed_once_in_another_thread():
    threads: list[str] = []
    waited: list[int] = []

    def perform(_: tuple[str, ...]) -> Result:
        threads.append(threading.current_thread().name)
        return RESULT

    with Prefetcher(perform, lambda words: words != ("slow",), lambda: waited.append(1)) as prefetcher:
        prefetcher.prefetch([("quick",), ("slow",), ("quick",)])
        prefetcher.futures["slow",].result()
        assert prefetcher(("quick",)) is RESULT
        assert prefetcher(("slow",)) is RESULT
        assert prefetcher(("new",)) is RESULT
    main = threading.current_thread().name
    assert [name == main for name in threads] == [False, True, True]
    assert len(waited) == 2


def test_two_commands_never_run_at_a_time():
    began, go_on = threading.Event(), threading.Event()
    running = threading.Semaphore(1)

    def perform(words: tuple[str, ...]) -> Result:
        assert running.acquire(blocking=False), "two at a time"
        if words == ("long",):
            began.set()
            go_on.wait(10)
        running.release()
        return RESULT

    with Prefetcher(perform, lambda _: True) as prefetcher:
        prefetcher.prefetch([("long",), ("second",)])
        assert began.wait(10)
        go_on.set()
        assert prefetcher(("second",)) is RESULT


def test_an_error_is_raised_where_the_result_is_asked_for():
    def perform(_: tuple[str, ...]) -> Result:
        raise BadInput("No.")

    with Prefetcher(perform, lambda _: True) as prefetcher:
        prefetcher.prefetch([("a",)])
        with pytest.raises(BadInput):
            prefetcher(("a",))
