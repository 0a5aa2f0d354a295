"""The tutorials whose experiments are run here; demos and claims refer to them by their short names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """One tutorial: its short name, its title, and its content in a phrase."""

    name: str
    title: str
    content: str


DOCUMENTS = (
    Document("D0", "explained as a program", "attention as a dictionary lookup, and four ways to break it"),
    Document("D2", "the spider's web", "the whole network, written in NumPy"),
    Document("D3", "explained from the ground up", "every operation with its shapes, masks, training"),
    Document("D4", "how attention actually works", "measurements, the bill, and what came after"),
    Document("paper", "Attention Is All You Need", "Vaswani et al., 2017"),
)


def with_title(name: str) -> str:
    """The short name of a document with its title; an unknown name is unchanged."""
    titles = {document.name: document.title for document in DOCUMENTS}
    return f"{name} {titles[name]}" if name in titles else name
