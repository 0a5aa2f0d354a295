"""A whole lesson with its results as one page, which loads nothing and runs nothing; an answer opens on a click."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape as escaped
from itertools import groupby

from attention_lab import __version__
from attention_lab.lesson.lesson import Predict, Step
from attention_lab.lesson.perform import Performance
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
from attention_lab.show.question_html import choice_html, question_html
from attention_lab.show.style import FRAGMENT, PAGE

HOW = (
    "Choose an answer before you look: a click opens it, and below it what was measured. "
    "Every number comes from the commands on this page."
)
MEASURED = "What was measured"  # on paper it is open: it is most of the page
AFTERWARDS = "What there is to say about it"
FAULT = "The fault, and what it costs"


def safe(text: str) -> str:
    """A text of the lesson, to stand between tags."""
    return escaped(spelled(text, "utf-8"))


def shown_html(shown: Shown) -> str:
    """A command, and below it the parts of its result. What they are about has been said."""
    command = f'<pre class="command"><code>{safe(shown.command)}</code></pre>\n' if shown.command else ""
    parts = "\n".join(map(part_html, readable(shown.result, "utf-8").parts))
    return f'<section class="attn-lab">{command}{parts}</section>\n'


def item_html(item: Item) -> str:
    """Prose, or a result; a question and its answers have a place of their own."""
    match item:
        case Paragraphs():
            return f'<div class="prose">{prose_html(item.text)}</div>\n'
        case Shown():
            return shown_html(item)
        case Asked() | Told():
            return ""


def folded(kind: str, summary: str, content: Iterable[Item]) -> str:
    """What is to be seen once a question is answered: a click opens it. Nothing where there is nothing."""
    inside = "".join(map(item_html, content))
    return f'<details class="{kind}"><summary>{summary}</summary>\n{inside}</details>\n' if inside else ""


def asked_html(performance: Performance, step: Step, question: Question) -> str:
    """The question in which a step ends: before it what a fault does, then the answers and what they keep back."""
    number = performance.lesson.questions.index(question) + 1
    symptoms = map(item_html, items(performance, replace(step, blocks=(question,))))
    asked = question_html(number, question.question, told(performance, question))
    return "".join(symptoms) + asked + folded("reveal", FAULT, revealed(performance, question))


def step_html(performance: Performance, step: Step, summary: str) -> str:
    """What is shown of a step, folded under a summary if there is one, and the question in which it ends."""
    question = question_of(step)
    shown = items(performance, replace(step, blocks=step.blocks[:-1]) if question else step)
    content = folded("measured", summary, shown) if summary else "".join(map(item_html, shown))
    return content + (asked_html(performance, step, question) if question else "")


def summary_of(before: Step | None, step: Step) -> str:
    """Under what a step is folded because it answers the question in which the step before it ends."""
    question = question_of(before) if before else None
    if isinstance(question, Predict):
        return MEASURED
    return AFTERWARDS if before and question and before.title == step.title else ""


def steps_html(performance: Performance) -> Iterator[str]:
    """Every step. The one after a question answers it."""
    steps = performance.lesson.steps
    for before, step in zip((None, *steps), steps, strict=False):
        yield step_html(performance, step, summary_of(before, step))


def sections(performance: Performance) -> Iterator[tuple[str, str]]:
    """Each title with what stands below it; what stands below none but the lesson's own has none here."""
    lesson = performance.lesson
    steps = zip(lesson.steps, steps_html(performance), strict=True)
    for title, below in groupby(steps, key=lambda pair: pair[0].title):
        yield "" if title == lesson.title else title, "".join(content for _, content in below)


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
    lines = "".join(f"<li>{choice_html(one, one.right)}</li>\n" for one in answers)
    return f'<section class="answers">\n<h2>Answers</h2>\n<ol>\n{lines}</ol>\n</section>\n' if lines else ""


def lesson_page(performance: Performance) -> str:
    """The lesson as a page for a desk, a phone and a printer. Raises BadLesson where it no longer holds."""
    lesson = performance.lesson
    parts = list(sections(performance))
    body = "".join(section_html(number, title, content) for number, (title, content) in enumerate(parts))
    edition = f"Lesson {safe(lesson.name)}, edition {lesson.digest}, attention_lab {__version__}"
    return document(
        spelled(lesson.title, "utf-8"),
        PAGE + FRAGMENT + LESSON,
        f"<header>\n<h1>{safe(lesson.title)}</h1>\n<p>{HOW}</p>\n</header>\n"
        f"{contents_html([title for title, _ in parts])}"
        f"<main>\n{body}{answers_html(performance)}</main>\n<footer><p>{edition}</p></footer>\n",
    )
