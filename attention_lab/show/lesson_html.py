"""A whole lesson with its results as one HTML page without scripts; an answer opens on a click."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape as escaped
from itertools import groupby

from attention_lab import __version__
from attention_lab.lesson.lesson import Predict, Step
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.scene import (
    AnswerItem,
    Item,
    ProseItem,
    Question,
    QuestionItem,
    ResultItem,
    answer_item,
    question_of,
    solution_items,
    step_items,
)
from attention_lab.show.glyphs import encodable_result, encodable_text
from attention_lab.show.html import html_document, part_html
from attention_lab.show.lesson_style import LESSON
from attention_lab.show.prose_html import prose_html
from attention_lab.show.question_html import choice_html, question_html
from attention_lab.show.style import FRAGMENT, PAGE

HOW = (
    "Choose an answer before you look: a click opens it, and below it what was measured. "
    "Every number comes from the commands on this page."
)
MEASURED = "What was measured"  # open on paper: it is most of the page
AFTERWARDS = "What there is to say about it"
FAULT = "The fault, and what it costs"


def escape_text(text: str) -> str:
    """A text of the lesson, escaped for HTML."""
    return escaped(encodable_text(text, "utf-8"))


def result_item_html(shown: ResultItem) -> str:
    """A command, and below it the parts of its result without their head and foot."""
    command = f'<pre class="command"><code>{escape_text(shown.command)}</code></pre>\n' if shown.command else ""
    parts = "\n".join(map(part_html, encodable_result(shown.result, "utf-8").parts))
    return f'<section class="attn-lab">{command}{parts}</section>\n'


def item_html(item: Item) -> str:
    """The HTML of prose or of a result; "" for questions and answers, which `question_step_html` places."""
    match item:
        case ProseItem():
            return f'<div class="prose">{prose_html(item.text)}</div>\n'
        case ResultItem():
            return result_item_html(item)
        case QuestionItem() | AnswerItem():
            return ""


def details_html(kind: str, summary: str, content: Iterable[Item]) -> str:
    """Items folded under a summary until a click opens them; "" without content."""
    inside = "".join(map(item_html, content))
    return f'<details class="{kind}"><summary>{summary}</summary>\n{inside}</details>\n' if inside else ""


def question_step_html(performance: Performance, step: Step, question: Question) -> str:
    """The question that ends a step: the symptoms of a fault, the question and its answers, and the folded solution."""
    number = performance.lesson.questions.index(question) + 1
    symptoms = map(item_html, step_items(performance, replace(step, blocks=(question,))))
    asked = question_html(number, question.question, answer_item(performance, question))
    return "".join(symptoms) + asked + details_html("reveal", FAULT, solution_items(performance, question))


def step_html(performance: Performance, step: Step, summary: str) -> str:
    """The items of a step, folded under `summary` unless that is "", and the question that ends the step."""
    question = question_of(step)
    shown = step_items(performance, replace(step, blocks=step.blocks[:-1]) if question else step)
    content = details_html("measured", summary, shown) if summary else "".join(map(item_html, shown))
    return content + (question_step_html(performance, step, question) if question else "")


def fold_title(before: Step | None, step: Step) -> str:
    """Summary under which a step is folded if it answers the question that ends the step before; else ""."""
    question = question_of(before) if before else None
    if isinstance(question, Predict):
        return MEASURED
    return AFTERWARDS if before and question and before.title == step.title else ""


def steps_html(performance: Performance) -> Iterator[str]:
    """The HTML of every step. The step after a question answers it."""
    steps = performance.lesson.steps
    for before, step in zip((None, *steps), steps, strict=False):
        yield step_html(performance, step, fold_title(before, step))


def titled_sections(performance: Performance) -> Iterator[tuple[str, str]]:
    """Each section as (title, HTML); the title is "" for steps directly under the title of the lesson."""
    lesson = performance.lesson
    steps = zip(lesson.steps, steps_html(performance), strict=True)
    for title, below in groupby(steps, key=lambda pair: pair[0].title):
        yield "" if title == lesson.title else title, "".join(content for _, content in below)


def contents_html(titles: list[str]) -> str:
    """A list of links to the sections."""
    links = "".join(
        f'<li><a href="#section-{number}">{escape_text(title)}</a></li>\n'
        for number, title in enumerate(titles)
        if title
    )
    return f'<nav aria-labelledby="contents">\n<h2 id="contents">Contents</h2>\n<ul>\n{links}</ul>\n</nav>\n'


def section_html(number: int, title: str, content: str) -> str:
    """A section under its title, or the introduction before the first title."""
    if not title:
        return f'<div class="intro">\n{content}</div>\n'
    name = f"section-{number}"
    return f'<section aria-labelledby="{name}">\n<h2 id="{name}">{escape_text(title)}</h2>\n{content}</section>\n'


def answers_html(performance: Performance) -> str:
    """The right answers, for a page at the end on paper, where nothing opens."""
    answers = (answer_item(performance, question) for question in performance.lesson.questions)
    lines = "".join(f"<li>{choice_html(answer, answer.right)}</li>\n" for answer in answers)
    return f'<section class="answers">\n<h2>Answers</h2>\n<ol>\n{lines}</ol>\n</section>\n' if lines else ""


def lesson_page(performance: Performance) -> str:
    """The lesson as a page for a screen, a phone and a printer. Raises BadLesson if it no longer holds."""
    lesson = performance.lesson
    parts = list(titled_sections(performance))
    body = "".join(section_html(number, title, content) for number, (title, content) in enumerate(parts))
    edition = f"Lesson {escape_text(lesson.name)}, edition {lesson.digest}, attention_lab {__version__}"
    return html_document(
        encodable_text(lesson.title, "utf-8"),
        PAGE + FRAGMENT + LESSON,
        f"<header>\n<h1>{escape_text(lesson.title)}</h1>\n<p>{HOW}</p>\n</header>\n"
        f"{contents_html([title for title, _ in parts])}"
        f"<main>\n{body}{answers_html(performance)}</main>\n<footer><p>{edition}</p></footer>\n",
    )
