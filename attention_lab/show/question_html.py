"""A question as HTML: each answer opens on a click and says whether it is right, and which idea is behind it."""

from __future__ import annotations

from html import escape as escaped

from attention_lab.lesson.scene import Told, letter
from attention_lab.show.glyphs import respelled, spelled


def choice_text(told: Told, choice: int) -> str:
    """An answer after its letter."""
    return f"{letter(choice)}) {told.choices[choice]}"


def verdict_html(told: Told, choice: int) -> str:
    """Whether an answer is right, and the idea behind it."""
    right = choice == told.right
    kind, word = ("holds", "Right") if right else ("fails", "Not so")
    idea = told.ideas[choice] or ("That is what was measured." if right else "")
    return f'<p class="{kind}"><strong class="verdict">{word}</strong> {escaped(idea)}</p>'


def question_html(number: int, question: str, told: Told) -> str:
    """A question, which has this number in its lesson, and its answers."""
    clean = respelled(told, "utf-8")
    choices = "".join(
        f"<details><summary>{escaped(choice_text(clean, choice))}</summary>{verdict_html(clean, choice)}</details>\n"
        for choice in range(len(clean.choices))
    )
    name, text = f"question-{number}", escaped(spelled(question, "utf-8"))
    return (
        f'<div class="question" role="group" aria-labelledby="{name}">\n'
        f'<p id="{name}"><b>Question {number}.</b> {text}</p>\n{choices}</div>\n'
    )
