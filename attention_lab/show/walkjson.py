"""A whole lesson with its results as JSON. `walk.schema.json`, beside this file, defines every key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from attention_lab import __version__
from attention_lab.lesson.lesson import Diagnose
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.scene import (
    AnswerItem,
    Item,
    ProseItem,
    Question,
    QuestionItem,
    ResultItem,
    answer_item,
    choice_letter,
    question_of,
    solution_items,
    step_items,
)
from attention_lab.show.jsonview import to_json

NAME = "attention-lab/walk/1"  # the number grows when a key is removed or changes its meaning, not when a key is added
SCHEMA: dict[str, Any] = json.loads(files("attention_lab.show").joinpath("walk.schema.json").read_text("utf-8"))


def question_json(question: Question, answer: AnswerItem) -> dict[str, Any]:
    """A question with its choices: which is right, and the idea behind each wrong one."""
    choices = [
        {"letter": choice_letter(number), "text": text, "right": number == answer.right, "idea": idea}
        for number, (text, idea) in enumerate(zip(answer.choices, answer.ideas, strict=True))
    ]
    kind = "diagnose" if isinstance(question, Diagnose) else "predict"
    return {"kind": kind, "line": question.line, "question": question.question, "choices": choices}


def item_json(item: Item) -> Iterator[dict[str, Any]]:
    """The block of prose or of a result; questions get their block in `to_walk_json`."""
    match item:
        case ProseItem():
            yield {"kind": "prose", "markdown": item.text}
        case ResultItem():
            yield {"kind": "result", "command": item.command, "result": to_json(item.result)}
        case QuestionItem() | AnswerItem():
            return


def to_walk_json(performance: Performance, first: int = 0) -> dict[str, Any]:
    """The lesson from step `first` on, counted from 0. Raises BadLesson if it no longer holds."""
    lesson = performance.lesson
    steps = []
    for number, step in enumerate(lesson.steps[first:], first + 1):
        blocks = [block for item in step_items(performance, step) for block in item_json(item)]
        question = question_of(step)
        if question is not None:
            blocks.append(question_json(question, answer_item(performance, question)))
            blocks += [block for item in solution_items(performance, question) for block in item_json(item)]
        steps.append({"number": number, "title": step.title, "line": step.line, "blocks": blocks})
    facts = {key: getattr(lesson, key) for key in ("name", "title", "path", "summary", "digest")}
    return {"schema": NAME, "version": __version__, "lesson": facts, "steps": steps}


def walk_json_text(performance: Performance, first: int = 0) -> str:
    """The lesson as JSON text in ASCII, which every stream can take."""
    return json.dumps(to_walk_json(performance, first), indent=2, ensure_ascii=True, allow_nan=False)
