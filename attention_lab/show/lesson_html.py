"""A whole lesson with its results as one page, which loads nothing and runs nothing; an answer opens on a click."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as escaped
from itertools import groupby

from attention_lab import __version__
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.record import Lesson, Step
from attention_lab.lesson.scene import (
    Asked,
    Item,
    Paragraphs,
    Question,
    Shown,
    Told,
    items,
    question_of,
    revealed,
    told,
)
from attention_lab.show.glyphs import readable, spelled
from attention_lab.show.html import document, part_html
from attention_lab.show.lesson_style import LESSON
from attention_lab.show.prose_html import prose_html
from attention_lab.show.question_html import choice_text, question_html
from attention_lab.show.style import FRAGMENT, PAGE

HOW = "Choose an answer before you read on: a click opens it. Every number was measured by the commands on this page."


def safe(text: str) -> str:
    """A text of the lesson, to stand between tags."""
    return escaped(spelled(text, "utf-8"))


def shown_html(shown: Shown) -> str:
    """A command, and below it the parts of its result. What they are about has been said."""
    command = f'<pre class="command"><code>{safe(shown.command)}</code></pre>\n' if shown.command else ""
    parts = "\n".join(map(part_html, readable(shown.result, "utf-8").parts))
    return f'<section class="attn-lab">{command}{parts}</section>\n'


def item_html(item: Item) -> str:
    """Prose, or a result; a question stands below all of them, with its answers."""
    match item:
        case Paragraphs():
            return f'<div class="prose">{prose_html(item.text)}</div>\n'
        case Shown():
            return shown_html(item)
        case Asked() | Told():
            return ""


def asked_html(performance: Performance, question: Question) -> str:
    """A question with its answers, and what is to be seen after them."""
    number = performance.lesson.questions.index(question) + 1
    after = "".join(
        f'<details class="reveal"><summary>The answer, and the whole page of this fault</summary>{item_html(item)}'
        "</details>\n"
        for item in revealed(performance, question)
    )
    return question_html(number, question.question, told(performance, question)) + after


def step_html(performance: Performance, step: Step) -> str:
    """What is shown of a step, and the question in which it ends, if it does."""
    question = question_of(step)
    asked = asked_html(performance, question) if question else ""
    return "".join(map(item_html, items(performance, step))) + asked


def sections(lesson: Lesson) -> Iterator[tuple[str, list[Step]]]:
    """The steps below each title; what stands below none but the lesson's own has none here."""
    for title, steps in groupby(lesson.steps, key=lambda step: step.title):
        yield "" if title == lesson.title else title, list(steps)


def contents_html(titles: list[str]) -> str:
    """A list of the sections, to go to each."""
    links = "".join(
        f'<li><a href="#section-{number}">{safe(title)}</a></li>\n' for number, title in enumerate(titles) if title
    )
    return f'<nav aria-labelledby="contents">\n<h2 id="contents">Contents</h2>\n<ul>\n{links}</ul>\n</nav>\n'


def section_html(number: int, title: str, content: str) -> str:
    """What stands below a title, or before the first one."""
    if not title:
        return f'<div class="intro">\n{content}</div>\n'
    name = f"section-{number}"
    return f'<section aria-labelledby="{name}">\n<h2 id="{name}">{safe(title)}</h2>\n{content}</section>\n'


def answers_html(performance: Performance) -> str:
    """On paper nothing opens: there the right answers stand on a page at the end."""
    answers = (told(performance, question) for question in performance.lesson.questions)
    lines = "".join(f"<li>{safe(choice_text(one, one.right))}</li>\n" for one in answers)
    return f'<section class="answers">\n<h2>Answers</h2>\n<ol>\n{lines}</ol>\n</section>\n' if lines else ""


def lesson_page(performance: Performance) -> str:
    """The lesson as a page for a desk, a phone and a printer. Raises BadLesson where it no longer holds."""
    lesson = performance.lesson
    parts = [(title, "".join(step_html(performance, step) for step in steps)) for title, steps in sections(lesson)]
    body = "".join(section_html(number, title, content) for number, (title, content) in enumerate(parts))
    edition = f"Lesson {safe(lesson.name)}, edition {lesson.digest}, attention_lab {__version__}"
    return document(
        spelled(lesson.title, "utf-8"),
        PAGE + FRAGMENT + LESSON,
        f"<header>\n<h1>{safe(lesson.title)}</h1>\n<p>{HOW}</p>\n</header>\n"
        f"{contents_html([title for title, _ in parts])}"
        f"<main>\n{body}{answers_html(performance)}</main>\n<footer><p>{edition}</p></footer>\n",
    )
