"""The steps of a lesson on a terminal, in blocks of lines, and the blocks on pages that fit the screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, assert_never

from rich.text import Text

from attention_lab.lesson.scene import Asked, Item, Paragraphs, Shown, Told, letter
from attention_lab.result import Result
from attention_lab.show.glyphs import Glyphs, glyphs_for, readable, spelled
from attention_lab.show.layout import command_lines, wrapped
from attention_lab.show.plain import plain
from attention_lab.show.prose import in_lines, line_of, prose_blocks, prose_text
from attention_lab.show.terminal import result_lines
from attention_lab.show.theme import ASIDE, CHOICE, COMMAND, FAILS, HOLDS, QUESTION, TITLE
from attention_lab.text import count

NEAR = 6  # lines by which a page may be shorter so that what belongs together stays together
LEAST = 8  # lines of a table for which there is room on a page that shows its head again
RULE = set("─- ")  # what the line below the heads of a table is made of
Block = list[Text]  # lines that belong together; an empty line stands between two blocks


class View(Protocol):
    """How a lesson is put into words: for the eye, or for the ear."""

    def title(self, text: str) -> Block:
        """The head of a section."""
        ...

    def blocks(self, item: Item) -> list[Block]:
        """What is shown of one item of a step."""
        ...

    def result(self, result: Result) -> list[Block]:
        """A result that belongs to the walk itself, such as its score."""
        ...

    def notice(self, text: str) -> Block:
        """A word about the walk: that it goes on where it was left."""
        ...


def apart(lines: Iterable[Text]) -> list[Block]:
    """Lines in blocks, at the empty ones."""
    blocks: list[Block] = [[]]
    for line in lines:
        if line.plain.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def bare(result: Result) -> Result:
    """Only the parts: a lesson has said what they are about, and the command stands above them."""
    return Result(result.parts)


def verdict_of(told: Told) -> list[str]:
    """Whether the given answer is right and which one is; the idea behind a wrong one, or behind all if none is given.

    The first line is the verdict.
    """
    right = f"{letter(told.right)}) {told.choices[told.right]}"
    if told.chosen is None:
        held = [f" ({count(hands, 'hand')})" for hands in told.hands] or [""] * len(told.choices)
        wrong = [n for n in range(len(told.choices)) if n != told.right and (told.ideas[n] or held[n])]
        ideas = [f"Not {letter(n)}){held[n]}: {told.ideas[n]}".rstrip(": ") for n in wrong]
        return [f"Answer: {right}{held[told.right]}", *ideas]
    chosen = f"{letter(told.chosen)}) {told.choices[told.chosen]}"
    if told.chosen == told.right:
        return [f"Right: {chosen}"]
    return [line for line in (f"Not {chosen}", told.ideas[told.chosen], f"What was measured says {right}") if line]


class Terminal:
    """A lesson for the eye, as wide as it is told."""

    def __init__(self, width: int, encoding: str) -> None:
        self.width = max(1, width)
        self.encoding = encoding
        self.glyphs: Glyphs = glyphs_for(encoding)

    def title(self, text: str) -> Block:
        """The head of a section."""
        return [Text(line, TITLE) for line in wrapped(spelled(text, self.encoding), self.width)]

    def result(self, result: Result) -> list[Block]:
        """A result in blocks, its statements one by one, so that a page can end between them."""
        return apart(result_lines(readable(result, self.encoding), self.width, self.glyphs))

    def shown(self, shown: Shown) -> list[Block]:
        """A command, and with it the first of what it shows: no page ends between the two."""
        lines = command_lines(spelled(shown.command, self.encoding), self.width - 2) if shown.command else []
        head = [Text(("  " if number else "$ ") + line, COMMAND) for number, line in enumerate(lines)]
        blocks = self.result(bare(shown.result))
        return [[*head, Text(), *blocks[0]], *blocks[1:]] if head and blocks else blocks

    def asked(self, asked: Asked) -> Block:
        """A question and its choices."""
        lines = self.lines(asked.question, QUESTION)
        for number, choice in enumerate(asked.choices):
            first = f"{letter(number)}) "
            for place, line in enumerate(in_lines(line_of(choice, self.encoding), self.width - len(first))):
                lines.append(Text(" " * len(first) if place else first, CHOICE) + line)
        return lines

    def lines(self, markdown: str, style: str = "") -> Block:
        """A line of Markdown in as many lines as it takes."""
        text = line_of(markdown, self.encoding)
        text.stylize_before(style)
        return in_lines(text, self.width)

    def told(self, told: Told) -> list[Block]:
        """The verdict, and what there is to think about."""
        first, *more = verdict_of(told)
        styles = [FAILS if told.chosen not in (None, told.right) else HOLDS, *("" for _ in more)]
        return [self.lines(text, style) for text, style in zip((first, *more), styles, strict=True)]

    def blocks(self, item: Item) -> list[Block]:
        """What is shown of one item of a step."""
        match item:
            case Paragraphs():
                return prose_blocks(item.text, self.width, self.encoding)
            case Shown():
                return self.shown(item)
            case Asked():
                return [self.asked(item)]
            case Told():
                return self.told(item)
            case _:
                assert_never(item)

    def notice(self, text: str) -> Block:
        """A word about the walk: that it goes on where it was left."""
        return [Text(line, ASIDE) for line in wrapped(spelled(text, self.encoding), self.width)]


class Plain:
    """A lesson for the ear: no columns, no borders, no styles, and each paragraph on one line."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding

    def title(self, text: str) -> Block:
        """The head of a section."""
        return [Text(spelled(text, self.encoding))]

    def result(self, result: Result) -> list[Block]:
        """A result, one line after the other."""
        return apart(map(Text, plain(readable(result, self.encoding)).split("\n")))

    def asked(self, asked: Asked) -> Block:
        """A question and its choices."""
        choices = [f"{letter(number)}) {choice}" for number, choice in enumerate(asked.choices)]
        return [line_of(line, self.encoding) for line in (f"Question: {asked.question}", *choices)]

    def blocks(self, item: Item) -> list[Block]:
        """What is said of one item of a step."""
        match item:
            case Paragraphs():
                return apart(map(Text, prose_text(item.text, self.encoding).split("\n")))
            case Shown():
                command = [[Text(spelled(f"Command: {item.command}", self.encoding))]] if item.command else []
                return [*command, *self.result(bare(item.result))]
            case Asked():
                return [self.asked(item)]
            case Told():
                return [[line_of(line, self.encoding) for line in verdict_of(item)]]
            case _:
                assert_never(item)

    def notice(self, text: str) -> Block:
        """A word about the walk: that it goes on where it was left."""
        return [Text(spelled(text, self.encoding))]


def lines_of(blocks: Iterable[Block], gap: int = 1) -> Iterator[Text]:
    """The lines of blocks, with so many empty lines between two of them."""
    for number, block in enumerate(blocks):
        if number:
            yield from (Text() for _ in range(gap))
        yield from block


def head_of(block: Block) -> Block:
    """The title of a table and the heads of its columns, down to the rule below them; nothing of anything else."""
    rules = (n for n, line in enumerate(block) if line.style == ASIDE and set(line.plain) <= RULE)
    end = next(rules, -1) + 1
    begin = max((n for n in range(end) if not block[n].plain), default=-1) + 1  # below the command, if one is there
    return block[begin:end]


def cut(block: Block, room: int) -> Iterator[Block]:
    """A block in pieces of at most `room` lines, cut before a line that is set in only if there is no other near.

    Where there is room for it, each piece of a table has its head.
    """
    head = head_of(block)
    head = head if len(head) + LEAST <= room else []
    while len(block) > room:
        near = range(room, max(0, room - NEAR), -1)
        end = next((place for place in near if not block[place].plain.startswith(" ")), room)
        yield block[:end]
        block = [*head, *block[end:]]
    yield block


def pages(blocks: list[Block], room: int | None) -> list[list[Block]]:
    """Blocks on pages of at most `room` lines, None for one page without end. A block is cut only where it must be."""
    if room is None:
        return [blocks]
    room = max(1, room)
    found: list[list[Block]] = [[]]
    left = room
    for piece in (piece for block in blocks for piece in cut(block, room)):
        needed = len(piece) + (1 if found[-1] else 0)
        if needed > left:
            found.append([])
            left, needed = room, len(piece)
        found[-1].append(piece)
        left -= needed
    return found
