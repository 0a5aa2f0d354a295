"""`attn-lab walk LESSON --html FILE --notebook FILE`: a whole lesson with its results in a file to take home."""

from __future__ import annotations

import os
import shlex

from attention_lab.commands.outcome import Outcome
from attention_lab.commands.results import result_of
from attention_lab.commands.views import check_writable
from attention_lab.errors import BadInput
from attention_lab.kept_files import write_file
from attention_lab.lesson.lesson import Lesson
from attention_lab.lesson.perform import Performance
from attention_lab.options import flag_words
from attention_lab.result import Note, Part, Result
from attention_lab.show.progress import progress_line


def check_files(lesson: Lesson, page: str | None, notebook: str | None) -> None:
    """Raise BadInput or CannotWrite, before the lesson is run, on a file that cannot be written or should not be."""
    if notebook is not None and not notebook.endswith(".ipynb"):
        raise BadInput(f"{notebook} is not the name of a notebook.", "Name a file that ends in .ipynb.")
    if page is not None and page.endswith(".ipynb"):
        raise BadInput(f"{page} is the name of a notebook, not of a page.", "Write it with --notebook.")
    for file in (page, notebook):
        if file is not None and os.path.realpath(file) == os.path.realpath(lesson.path):
            raise BadInput(f"{file} is the lesson itself.", "Name another file.")
        check_writable(file)


def performed(lesson: Lesson) -> Performance:
    """The lesson with all its commands run. Raises BadLesson where one does not."""
    performance = Performance(lesson, result_of)
    with progress_line(True) as progress:
        for run in lesson.runs:
            progress(" ".join(run.words))
            performance.run_result(run.number)
    return performance


def take_home(lesson: Lesson, name: str, page: str | None, notebook: str | None) -> Outcome:
    """Write the lesson to the files that were named; to none of them where it no longer holds."""
    check_files(lesson, page, notebook)
    performance = performed(lesson)
    texts: list[tuple[str, str]] = []
    command, parts = ["attn-lab", "walk", name], list[Part]()
    if page is not None:
        from attention_lab.show.lesson_html import lesson_page

        texts.append((page, lesson_page(performance)))
        command += flag_words("--html", page)
        parts.append(Note("page", f"Wrote {page}: the lesson as a page. Open it in a browser."))
    if notebook is not None:
        from attention_lab.show.notebook import lesson_notebook

        texts.append((notebook, lesson_notebook(performance)))
        command += flag_words("--notebook", notebook)
        parts.append(Note("notebook", f"Wrote {notebook}: the lesson as a notebook. Open it with Jupyter."))
    for file, text in texts:
        write_file(file, text)
    return Outcome(Result(tuple(parts), command=shlex.join(command)), own_page=True)
