"""Markdown as safe HTML: paragraphs, lists, emphasis and code, and nothing that loads or runs.

HTML in the source is shown as text; links and pictures are reduced to their words, as on a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from attention_lab.show.glyphs import encodable_text

TOP = 3  # the level of the highest heading in prose: a lesson has the first, its sections have the second


def tokens_without_links(children: list[Token]) -> Iterator[Token]:
    """The tokens of a paragraph without its links, and with words in place of its pictures."""
    for child in children:
        if child.type == "image":
            yield Token("text", "", 0, content=encodable_text(child.content, "utf-8"))
        elif child.type not in ("link_open", "link_close"):
            child.content = encodable_text(child.content, "utf-8")
            yield child


def line_html(markdown: str) -> str:
    """The HTML of one line, such as a question or an answer, without a paragraph around it."""
    reader = MarkdownIt("commonmark", {"html": False})
    tokens = reader.parseInline(markdown)
    for token in tokens:
        token.children = list(tokens_without_links(token.children or []))
    html: str = reader.renderer.render(tokens, reader.options, {})
    return html


def prose_html(markdown: str) -> str:
    """The HTML of a text. No heading is more than one level below the heading before it."""
    reader = MarkdownIt("commonmark", {"html": False})
    tokens, level = reader.parse(markdown), TOP - 1
    for token in tokens:
        if token.type == "heading_open":
            level = max(TOP, min(int(token.tag[1:]), level + 1))
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{level}"
        token.content, token.info = encodable_text(token.content, "utf-8"), ""
        token.children = list(tokens_without_links(token.children)) if token.children else token.children
    html: str = reader.renderer.render(tokens, reader.options, {})
    return html
