"""A question as HTML: each answer opens on a click, with its verdict and the idea behind it."""

from __future__ import annotations

from attention_lab.lesson.scene import AnswerItem, choice_letter
from attention_lab.show.prose_html import line_html


def choice_html(told: AnswerItem, choice: int) -> str:
    """An answer after its letter."""
    return f"{choice_letter(choice)}) {line_html(told.choices[choice])}"


def verdict_html(told: AnswerItem, choice: int) -> str:
    """The verdict on an answer, and the idea behind it."""
    right = choice == told.right
    kind, word = ("holds", "Right") if right else ("fails", "Not so")
    idea = told.ideas[choice] or ("That is what was measured." if right else "")
    return f'<p class="{kind}"><strong class="verdict">{word}</strong> {line_html(idea)}</p>'


def question_html(number: int, question: str, told: AnswerItem) -> str:
    """A question with its number in the lesson, and its answers."""
    choices = "".join(
        f"<details><summary>{choice_html(told, choice)}</summary>{verdict_html(told, choice)}</details>\n"
        for choice in range(len(told.choices))
    )
    name = f"question-{number}"
    return (
        f'<div class="question" role="group" aria-labelledby="{name}">\n'
        f'<p id="{name}"><b>Question {number}.</b> {line_html(question)}</p>\n{choices}</div>\n'
    )
