"""`attn-lab grade DIR`: a whole class, each submission in a process of its own, in the form that a gradebook reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from attention_lab.commands.outcome import Document, Outcome
from attention_lab.commands.shared import Level
from attention_lab.commands.views import Views, check_writable
from attention_lab.errors import BadInput, CannotWrite, PartlyFailed
from attention_lab.options import Param
from attention_lab.show.progress import progress_line
from attention_lab.text import brief_in, count, listed

if TYPE_CHECKING:
    from attention_lab.grade.marks import Grades
    from attention_lab.grade.submissions import Submission

FORMATS = ("table", "csv", "json", "junit", "gradescope", "github", "prairielearn")
SINGLE = ("gradescope", "prairielearn")  # forms for one submission
PARTS = Param("what counts, as softmax,attention", metavar="NAMES", named=True, default="what most have")
JOBS = Param("submissions at a time", at_least=1, at_most=1000, default="one for each processor", echo=False)
SEED = Param("seed of the inputs", at_least=0, default="a secret one, told at the end")
FORM = Param(f"one of {', '.join(FORMATS)}", flag="--format", metavar="FORM", choices=FORMATS, echo=False)
OUTPUT = Param("where to, instead of standard output", metavar="FILE", files=(), echo=False, apart=("--html", "--svg"))


class GraderFailed(PartlyFailed):
    """The grader itself failed on some submissions, which says nothing about them; the others are graded."""

    kind = "grader-failed"
    exit_code = 3


# ---- what was asked for ----


@dataclass(frozen=True)
class GradeRequest:
    """What is to be graded, and the form and the file in which the grades are wanted."""

    folder: str
    parts: tuple[str, ...]
    form: str
    output: str | None

    @property
    def into_folder(self) -> bool:
        """Whether each submission gets a file of its own."""
        output = self.output
        return output is not None and self.form in SINGLE and (output.endswith("/") or Path(output).is_dir())


def check_form(form: str, parts: str | None, views: Views) -> None:
    """Raise BadInput on a form and views that do not go together, and on parts that are missing."""
    if views.json and form not in ("table", "json"):
        raise BadInput(f"--json and --format {form} are two formats.", "Give one of them.")
    if form != "table" and (views.plain or views.html or views.svg):
        raise BadInput(f"--plain, --html and --svg show a table, not {form}.", "Leave --format out.")
    if form in SINGLE and not parts:
        what = f"--format {form} is for one submission, and what is missing in it nobody else has."
        raise BadInput(what, "Say what it is to have: --parts softmax,attention,causal_mask")


def part_names(parts: str | None) -> tuple[str, ...]:
    """The parts that were asked for. Raises BadInput where they are none."""
    names = tuple(name.strip() for name in (parts or "").split(",") if name.strip())
    if parts is not None and not names:
        raise BadInput(f"--parts {parts!r} names no part.", "As in --parts softmax,attention")
    return names


def submissions_of(request: GradeRequest) -> tuple[tuple[Submission, ...], tuple[str, ...]]:
    """The submissions, and what was left out."""
    from attention_lab.grade.submissions import find_submissions, single_submission

    folder = Path(request.folder)
    if request.form in SINGLE and not request.into_folder:
        return (single_submission(folder),), ()
    return find_submissions(folder)


# ---- what comes out ----


def single_form(grades: Grades, request: GradeRequest) -> Document:
    """A form for one submission: one text, or a file for each. None where the grader failed, as that is no grade."""
    from attention_lab.grade.gradescope import gradescope_text
    from attention_lab.grade.prairielearn import prairielearn_text

    text_of = gradescope_text if request.form == "gradescope" else prairielearn_text
    graded = [row for row in grades.rows if not row.failed]
    if not request.into_folder:
        return Document("".join(text_of(row) for row in graded))
    folder = Path(str(request.output))
    try:
        folder.mkdir(exist_ok=True)
    except OSError as reason:
        raise CannotWrite(str(folder), str(reason.strerror)) from reason
    names = [row.name.replace("\\", "_") for row in graded]  # of what is spelled out: \x1b
    return Document(
        files=tuple((str(folder / f"{name}.json"), text_of(row)) for name, row in zip(names, graded, strict=True))
    )


def form_of(grades: Grades, request: GradeRequest) -> Document:
    """The grades in a form that another program reads."""
    if request.form in SINGLE:
        return single_form(grades, request)
    if request.form == "json":
        from attention_lab.grade.json_form import json_text as text_of
    elif request.form == "csv":
        from attention_lab.grade.csv_form import csv_text as text_of
    elif request.form == "junit":
        from attention_lab.grade.junit import junit_text as text_of
    else:
        from attention_lab.grade.github import github_text as text_of
    return Document(text_of(grades))


def failure_of(grades: Grades) -> PartlyFailed | None:
    """The failure where the grader failed, or a submission is not all right."""
    failed = [row.name for row in grades.rows if row.failed]
    if failed:
        what = f"The grader itself failed on {listed(failed[:5])}: their points say nothing."
        return GraderFailed(what, "Please report it, with the file.")
    wrong = sum(not row.right for row in grades.rows)
    if wrong:
        return PartlyFailed(f"{count(wrong, 'submission')} not all right.", "The grades say what is wrong.")
    return None


def ending_of(grades: Grades, request: GradeRequest) -> Outcome | Document:
    """The grades as a page, or in the form that was asked for."""
    from attention_lab.grade.grade_page import grade_page

    failure, short = failure_of(grades), brief_in(grades, but=("path", "file"))
    if request.form == "table":
        return Outcome(grade_page(short, ""), failure, {"seed": grades.seed}, request.output)
    document = replace(form_of(short, request), failure=failure)
    if request.output is None or request.into_folder:
        return document
    return replace(document, text="", files=((request.output, document.text),) if document.text else ())


def grade(
    folder: Annotated[str, Param("the folder of the submissions", metavar="DIR", files=())],
    *,
    parts: Annotated[str | None, PARTS] = None,
    jobs: Annotated[int | None, JOBS] = None,
    seed: Annotated[int | None, SEED] = None,
    level: Level = None,
    form: Annotated[str, FORM] = "table",
    output: Annotated[str | None, OUTPUT] = None,
    views: Views,
) -> Outcome | Document:
    """Grade a class: check every submission, in a process of its own, and give points for each part.

    In DIR a submission is a .py or .ipynb file, or a folder named after who handed it in, with such files in it;
    folders in that are not looked into, and links are not followed. A submission sees its own file only. One that
    cannot be read, does not run or does not end is a row with the reason.

    gradescope and prairielearn are forms for one submission: all of DIR is taken for one, and --parts must say what it
    is to have. Into a folder (--output FOLDER/), each submission of the class gets a file of its own.

    Exit code 0 if all is right, 1 if something is wrong, 2 if there is nothing to grade, 3 if the grader itself failed.
    """
    check_form(form, parts, views)
    request = GradeRequest(folder, part_names(parts), "json" if views.json else form, output)
    if not request.into_folder:
        check_writable(output)
    handed_in, left_out = submissions_of(request)
    from attention_lab.grade.run import grade_class, require
    from attention_lab.machine.cores import available_cores

    if level:
        require(level)
    with progress_line(True) as progress:
        graded = grade_class(
            handed_in, list(request.parts), seed=seed, jobs=jobs or available_cores(), progress=progress
        )
    return ending_of(replace(graded, left_out=left_out), request)
