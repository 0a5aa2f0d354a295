"""Markdown as HTML that is safe whoever wrote it: paragraphs, lists, emphasis and code, and nothing that loads or runs.

HTML in it is shown as it was written; of a link or a picture its words remain, as on a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from attention_lab.show.glyphs import spelled

TOP = 3  # the level of the highest heading in prose: a lesson has the first, its sections have the second


def words_only(children: list[Token]) -> Iterator[Token]:
    """The pieces of a paragraph without its links, and with the words of its pictures."""
    for child in children:
        if child.type == "image":
            yield Token("text", "", 0, content=spelled(child.content, "utf-8"))
        elif child.type not in ("link_open", "link_close"):
            child.content = spelled(child.content, "utf-8")
            yield child


def line_html(markdown: str) -> str:
    """One line of Markdown, such as a question or an answer: emphasis and code, and no paragraph around them."""
    reader = MarkdownIt("commonmark", {"html": False})
    tokens = reader.parseInline(markdown)
    for token in tokens:
        token.children = list(words_only(token.children or []))
    html: str = reader.renderer.render(tokens, reader.options, {})
    return html


def prose_html(markdown: str) -> str:
    """The HTML of a text. No heading in it is more than one level below the one before it."""
    reader = MarkdownIt("commonmark", {"html": False})
    tokens, level = reader.parse(markdown), TOP - 1
    for token in tokens:
        if token.type == "heading_open":
            level = max(TOP, min(int(token.tag[1:]), level + 1))
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{level}"
        token.content, token.info = spelled(token.content, "utf-8"), ""
        token.children = list(words_only(token.children)) if token.children else token.children
    html: str = reader.renderer.render(tokens, reader.options, {})
    return html
