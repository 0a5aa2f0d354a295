"""Markdown as lines of text: paragraphs, lists, emphasis and code. Links and pictures are reduced to their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console
from rich.text import Text

from attention_lab.show.glyphs import encodable_text
from attention_lab.show.theme import CODE, EMPHASIS, STRONG, TITLE

STYLES = {"em": EMPHASIS, "strong": STRONG}
LEAST = 10  # least width in cells for words of a nested list, however narrow the screen


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: its text, the mark before its first line ("- "), its indent, and whether it is code."""

    text: Text
    before: str = ""
    indent: int = 0
    code: bool = False
    is_tight: bool = False  # no empty line above: an item of a list


def inline_text(token: Token, encoding: str) -> Text:
    """The styled words of a paragraph, on one line except for explicit breaks."""
    text, styles = Text(), [""]
    for child in token.children or []:
        kind, _, end = child.type.rpartition("_")
        if kind in STYLES:
            if end == "open":
                styles.append(STYLES[kind])
            else:
                styles.pop()
        elif child.type in ("softbreak", "hardbreak"):
            text.append(" " if child.type == "softbreak" else "\n")
        else:
            text.append(encodable_text(child.content, encoding), CODE if child.type == "code_inline" else styles[-1])
    return text


def markdown_line(markdown: str, encoding: str) -> Text:
    """One line of Markdown, such as a question or an answer, with emphasis and code but no blocks."""
    (token,) = MarkdownIt("commonmark").parseInline(markdown)
    return inline_text(token, encoding)


def wrap_text(text: Text, width: int) -> list[Text]:
    """The text in lines of at most `width` cells. Only words wider than `width` are broken."""
    width = max(2, width)  # the width of a Chinese character
    lines = list(text.wrap(Console(width=width), width))
    for line in lines:
        line.rstrip()
    return lines


def paragraphs(markdown: str, encoding: str) -> Iterator[Paragraph]:
    """The paragraphs of a text. Tables and HTML stand as they were written."""
    marks: list[str] = []  # of the open lists: "- " or the number of the item
    numbers: list[int] = []
    fresh, tight = False, False
    style = ""
    for token in MarkdownIt("commonmark").parse(markdown):
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                tight = bool(marks)
                numbers.append(int(token.attrs.get("start", 1)) if token.type.startswith("ordered") else -1)
                marks.append("")
            case "bullet_list_close" | "ordered_list_close":
                numbers.pop()
                marks.pop()
            case "list_item_open":
                marks[-1] = "- " if numbers[-1] < 0 else f"{numbers[-1]}. "
                numbers[-1] += numbers[-1] >= 0
                fresh = True
            case "list_item_close":
                tight = True
            case "heading_open" | "heading_close":
                style = TITLE if token.nesting == 1 else ""
            case "inline" | "fence" | "code_block" | "html_block":
                code = token.type != "inline"
                text = (
                    inline_text(token, encoding)
                    if not code
                    else Text(encodable_text(token.content.rstrip("\n"), encoding))
                )
                text.stylize(style)
                before = marks[-1] if marks and fresh else ""
                indent = sum(map(len, marks)) - len(before)
                yield Paragraph(text, before, indent, code, tight and bool(before))
                fresh = False


def paragraph_lines(paragraph: Paragraph, width: int) -> Iterator[Text]:
    """The lines of one paragraph; lines of code are broken only if they are wider than the screen."""
    first, rest = " " * paragraph.indent + paragraph.before, " " * (paragraph.indent + len(paragraph.before))
    if paragraph.code:
        first = rest = rest + "  "
    room = max(LEAST, width - len(rest))
    console = Console(width=room)
    lines = list(paragraph.text.split("\n", allow_blank=True))
    if paragraph.code:
        wrapped = [piece for line in lines for piece in (line.divide(range(room, len(line), room)) if line else [line])]
    else:
        wrapped = [piece for line in lines for piece in line.wrap(console, room)]
    for number, line in enumerate(wrapped):
        line = Text(rest if number else first) + line
        line.rstrip()
        yield line


def prose_blocks(markdown: str, width: int, encoding: str) -> list[list[Text]]:
    """The lines of a text in blocks; an empty line belongs between two blocks."""
    blocks: list[list[Text]] = []
    for paragraph in paragraphs(markdown, encoding):
        lines = list(paragraph_lines(paragraph, width))
        if paragraph.is_tight and blocks:
            blocks[-1] += lines
        else:
            blocks.append(lines)
    return blocks


def prose_text(markdown: str, encoding: str) -> str:
    """A text without styles, each paragraph on one line, for a screen reader."""
    spoken: list[str] = []
    for paragraph in paragraphs(markdown, encoding):
        text = " " * paragraph.indent + paragraph.before + paragraph.text.plain
        if paragraph.is_tight and spoken:
            spoken[-1] += "\n" + text
        else:
            spoken.append(text)
    return "\n\n".join(spoken)
