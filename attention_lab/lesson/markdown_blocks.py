"""Split the Markdown of a lesson into headings, rules, blocks and the prose between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from attention_lab.lesson.lesson import BadLesson


def reject_misplaced(path: str, kinds: tuple[str, ...], kind: str, line: int, level: int) -> None:
    """Raise BadLesson on a fence that means a block but is nested or misspelled, and so would be shown as text."""
    if level > 0 and kind in kinds:
        raise BadLesson(path, line, f"the block ```{kind} stands inside a list or a quotation.", "Do not set it in.")
    meant = get_close_matches(kind.lower(), kinds, n=1, cutoff=0.65)
    if meant and kind not in kinds:
        raise BadLesson(path, line, f"a block ```{kind} is none of a lesson.", f"Write ```{meant[0]}.")


def markdown_pieces(text: str, path: str, kinds: tuple[str, ...]) -> Iterator[tuple[str, int, list[str]]]:
    """The pieces of a lesson: their kind ("h1", "h2", "hr", one of `kinds`, or "prose"), first line, and lines.

    The lines of a heading are its words; those of a block stand between its fences. Raises BadLesson on a fence that
    is not closed, since it would swallow the rest of the lesson.
    """
    from markdown_it import MarkdownIt

    lines = re.split(r"\r\n?|\n", text)  # as in Markdown, a form feed ends no line
    prose = -1  # first line of the prose being collected, or −1
    tokens = MarkdownIt("commonmark").parse(text)
    for place, token in enumerate(tokens):
        if token.map is None:
            continue
        if token.type == "fence":
            reject_misplaced(path, kinds, token.info.strip().partition(" ")[0], token.map[0] + 1, token.level)
        if token.level > 0:
            continue
        begin, end = token.map
        kind = token.tag if token.type in ("heading_open", "hr") else ""
        if token.type == "fence":
            kind = token.info.strip().partition(" ")[0]
            if end - begin < 2 or not re.fullmatch(rf"\s*{token.markup}{token.markup[0]}*\s*", lines[end - 1]):
                what = f"the block {token.markup}{kind} is not closed."
                raise BadLesson(path, begin + 1, what, f"Write {token.markup} on a line of its own where it ends.")
        if kind not in ("h1", "h2", "hr", *kinds):
            prose = begin if prose < 0 else prose
            continue
        if prose >= 0:
            yield "prose", prose + 1, lines[prose:begin]
            prose = -1
        if kind in kinds:
            yield kind, begin + 1, token.content.expandtabs(4).split("\n")[:-1]
        else:
            yield kind, begin + 1, [] if kind == "hr" else [" ".join(tokens[place + 1].content.split())]
    if prose >= 0:
        yield "prose", prose + 1, lines[prose:]
