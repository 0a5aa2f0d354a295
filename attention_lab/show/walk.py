"""Steps of a lesson as blocks of lines, and pages of blocks that fit the screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, assert_never

from rich.text import Text

from attention_lab.lesson.scene import AnswerItem, Item, ProseItem, QuestionItem, ResultItem, choice_letter
from attention_lab.result import Result
from attention_lab.show.glyphs import Glyphs, encodable_result, encodable_text, glyphs_for
from attention_lab.show.layout import command_lines, wrap
from attention_lab.show.plain import plain_text
from attention_lab.show.prose import markdown_line, prose_blocks, prose_text, wrap_text
from attention_lab.show.terminal import result_lines
from attention_lab.show.theme import ASIDE, CHOICE, COMMAND, FAILS, HOLDS, QUESTION, TITLE
from attention_lab.text import count

NEAR = 6  # lines by which a page may be shorter to keep indented lines with the line above
LEAST = 8  # least room in lines for the rows of a table below its repeated head
RULE = set("─- ")  # characters of the rule below the heads of a table
Block = list[Text]  # lines that belong together; an empty line stands between two blocks


class View(Protocol):
    """Layout of a lesson: for the eye, or for the ear."""

    def title_block(self, text: str) -> Block:
        """The head of a section."""
        ...

    def item_blocks(self, item: Item) -> list[Block]:
        """Blocks of one item of a step."""
        ...

    def result_blocks(self, result: Result) -> list[Block]:
        """Blocks of a result of the walk itself, such as its score."""
        ...

    def notice_block(self, text: str) -> Block:
        """Block of a notice about the walk, such as the step at which it goes on."""
        ...


def split_blocks(lines: Iterable[Text]) -> list[Block]:
    """Lines grouped into blocks, split at empty lines."""
    blocks: list[Block] = [[]]
    for line in lines:
        if line.plain.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def parts_only(result: Result) -> Result:
    """The result without head and foot, which the lesson's prose and command line replace."""
    return Result(result.parts)


def verdict_lines(told: AnswerItem) -> list[str]:
    """The verdict on the given answer as the first line, then the idea behind it if it is wrong.

    Without a given answer: the right choice, then the idea behind each wrong one, with the hands raised for it.
    """
    right = f"{choice_letter(told.right)}) {told.choices[told.right]}"
    if told.chosen is None:
        held = [f" ({count(hands, 'hand')})" for hands in told.hands] or [""] * len(told.choices)
        wrong = [n for n in range(len(told.choices)) if n != told.right and (told.ideas[n] or held[n])]
        ideas = [f"Not {choice_letter(n)}){held[n]}: {told.ideas[n]}".rstrip(": ") for n in wrong]
        return [f"Answer: {right}{held[told.right]}", *ideas]
    chosen = f"{choice_letter(told.chosen)}) {told.choices[told.chosen]}"
    if told.chosen == told.right:
        return [f"Right: {chosen}"]
    return [line for line in (f"Not {chosen}", told.ideas[told.chosen], f"What was measured says {right}") if line]


class TerminalView:
    """A lesson for the eye, in lines of at most `width` cells."""

    def __init__(self, width: int, encoding: str) -> None:
        self.width = max(1, width)
        self.encoding = encoding
        self.glyphs: Glyphs = glyphs_for(encoding)

    def title_block(self, text: str) -> Block:
        """The head of a section."""
        return [Text(line, TITLE) for line in wrap(encodable_text(text, self.encoding), self.width)]

    def result_blocks(self, result: Result) -> list[Block]:
        """Blocks of a result; each statement is a block, so that a page can end between two."""
        return split_blocks(result_lines(encodable_result(result, self.encoding), self.width, self.glyphs))

    def command_blocks(self, shown: ResultItem) -> list[Block]:
        """Blocks of a command and its result; the first holds the command too, so that no page ends between them."""
        lines = command_lines(encodable_text(shown.command, self.encoding), self.width - 2) if shown.command else []
        head = [Text(("  " if number else "$ ") + line, COMMAND) for number, line in enumerate(lines)]
        blocks = self.result_blocks(parts_only(shown.result))
        return [[*head, Text(), *blocks[0]], *blocks[1:]] if head and blocks else blocks

    def question_block(self, asked: QuestionItem) -> Block:
        """A question and its choices."""
        lines = self.markdown_lines(asked.question, QUESTION)
        for number, choice in enumerate(asked.choices):
            first = f"{choice_letter(number)}) "
            for place, line in enumerate(wrap_text(markdown_line(choice, self.encoding), self.width - len(first))):
                lines.append(Text(" " * len(first) if place else first, CHOICE) + line)
        return lines

    def markdown_lines(self, markdown: str, style: str = "") -> Block:
        """A line of Markdown, wrapped to the width."""
        text = markdown_line(markdown, self.encoding)
        text.stylize_before(style)
        return wrap_text(text, self.width)

    def answer_blocks(self, told: AnswerItem) -> list[Block]:
        """A block for the verdict, and one for each idea."""
        first, *more = verdict_lines(told)
        styles = [FAILS if told.chosen not in (None, told.right) else HOLDS, *("" for _ in more)]
        return [self.markdown_lines(text, style) for text, style in zip((first, *more), styles, strict=True)]

    def item_blocks(self, item: Item) -> list[Block]:
        """Blocks of one item of a step."""
        match item:
            case ProseItem():
                return prose_blocks(item.text, self.width, self.encoding)
            case ResultItem():
                return self.command_blocks(item)
            case QuestionItem():
                return [self.question_block(item)]
            case AnswerItem():
                return self.answer_blocks(item)
            case _:
                assert_never(item)

    def notice_block(self, text: str) -> Block:
        """Block of a notice about the walk, such as the step at which it goes on."""
        return [Text(line, ASIDE) for line in wrap(encodable_text(text, self.encoding), self.width)]


class PlainView:
    """A lesson for the ear: no columns, no borders, no styles, each paragraph on one line."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding

    def title_block(self, text: str) -> Block:
        """The head of a section."""
        return [Text(encodable_text(text, self.encoding))]

    def result_blocks(self, result: Result) -> list[Block]:
        """Blocks of a result as plain text."""
        return split_blocks(map(Text, plain_text(encodable_result(result, self.encoding)).split("\n")))

    def question_block(self, asked: QuestionItem) -> Block:
        """A question and its choices."""
        choices = [f"{choice_letter(number)}) {choice}" for number, choice in enumerate(asked.choices)]
        return [markdown_line(line, self.encoding) for line in (f"Question: {asked.question}", *choices)]

    def item_blocks(self, item: Item) -> list[Block]:
        """Blocks of one item of a step."""
        match item:
            case ProseItem():
                return split_blocks(map(Text, prose_text(item.text, self.encoding).split("\n")))
            case ResultItem():
                command = [[Text(encodable_text(f"Command: {item.command}", self.encoding))]] if item.command else []
                return [*command, *self.result_blocks(parts_only(item.result))]
            case QuestionItem():
                return [self.question_block(item)]
            case AnswerItem():
                return [[markdown_line(line, self.encoding) for line in verdict_lines(item)]]
            case _:
                assert_never(item)

    def notice_block(self, text: str) -> Block:
        """Block of a notice about the walk, such as the step at which it goes on."""
        return [Text(encodable_text(text, self.encoding))]


def join_blocks(blocks: Iterable[Block], gap: int = 1) -> Iterator[Text]:
    """The lines of blocks, with `gap` empty lines between two blocks."""
    for number, block in enumerate(blocks):
        if number:
            yield from (Text() for _ in range(gap))
        yield from block


def table_head(block: Block) -> Block:
    """The title and the column heads of a table, down to the rule below them; [] for other blocks."""
    rules = (n for n, line in enumerate(block) if line.style == ASIDE and set(line.plain) <= RULE)
    end = next(rules, -1) + 1
    begin = max((n for n in range(end) if not block[n].plain), default=-1) + 1  # below the command, if one is there
    return block[begin:end]


def split_block(block: Block, room: int) -> Iterator[Block]:
    """A block in pieces of at most `room` lines, split before an indented line only if no other is near.

    Each piece of a table repeats its head, if there is room.
    """
    head = table_head(block)
    head = head if len(head) + LEAST <= room else []
    while len(block) > room:
        near = range(room, max(0, room - NEAR), -1)
        end = next((place for place in near if not block[place].plain.startswith(" ")), room)
        yield block[:end]
        block = [*head, *block[end:]]
    yield block


def paginate(blocks: list[Block], room: int | None) -> list[list[Block]]:
    """Pages of at most `room` lines (None: one page for all). Only blocks longer than a page are split."""
    if room is None:
        return [blocks]
    room = max(1, room)
    done: list[list[Block]] = [[]]
    left = room
    for piece in (piece for block in blocks for piece in split_block(block, room)):
        needed = len(piece) + (1 if done[-1] else 0)
        if needed > left:
            done.append([])
            left, needed = room, len(piece)
        done[-1].append(piece)
        left -= needed
    return done
