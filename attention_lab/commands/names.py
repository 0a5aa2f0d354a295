"""The names that options take, each list imported only when somebody asks for it: to complete a word."""

from __future__ import annotations


def break_names() -> list[str]:
    """The breaks."""
    from attention_lab.breaks import BREAKS

    return [entry.name for entry in BREAKS]


def demo_names() -> list[str]:
    """The demos, also those that other packages have registered."""
    from attention_lab.demo.registry import OURS, registered

    return [*OURS, *registered()]


def record_names() -> list[str]:
    """All that can be explained: breaks, vital signs and demos."""
    from attention_lab.demo.registry import OURS
    from attention_lab.vitals import VITALS

    return [*break_names(), *(vital.name for vital in VITALS), *OURS]


def task_names() -> list[str]:
    """The tasks that a model can be trained on."""
    from attention_lab.train.tasks import TASKS

    return [task.name for task in TASKS]


def lesson_names() -> list[str]:
    """The lessons that come with the package."""
    from attention_lab.lesson.library import shipped_lessons

    return list(shipped_lessons())


def document_names() -> list[str]:
    """The documents whose claims are measured."""
    from attention_lab.claims.documents import DOCUMENTS

    return [document.name for document in DOCUMENTS]
