"""`attn-lab grade DIR`: a whole class, each submission in a process of its own, in the form that a gradebook reads."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_lab.commands.output import add_views, check_views, check_writable, show
from attention_lab.errors import BadInput, CannotWrite, PartlyFailed
from attention_lab.kept_files import write_file
from attention_lab.options import Parser, named, parser_for
from attention_lab.sandbox.records import LEVELS
from attention_lab.show.progress import progress_line
from attention_lab.text import brief_in, count, listed, option_words

if TYPE_CHECKING:
    from attention_lab.grade.marks import Grades, Row
    from attention_lab.grade.submissions import Submission

DESCRIPTION = """Grade a class: check every submission, in a process of its own, and give points for each part.

In DIR a submission is a .py or .ipynb file, or a folder named after who handed it in, with such files in it; folders in
that are not looked into, and links are not followed. A submission sees its own file only. One that cannot be read,
does not run or does not end is a row with the reason.

gradescope and prairielearn are forms for one submission: all of DIR is taken for one, and --parts must say what it is
to have. Into a folder (--output FOLDER/), each submission of the class gets a file of its own.

Exit code 0 if all is right, 1 if something is wrong, 2 if there is nothing to grade, 3 if the grader itself failed."""
FORMATS = ("table", "csv", "json", "junit", "gradescope", "github", "prairielearn")
SINGLE = ("gradescope", "prairielearn")


def parser() -> Parser:
    """The command line of `attn-lab grade`."""
    it = parser_for("attn-lab grade", DESCRIPTION)
    it.add_argument("folder", metavar="DIR", type=named, help="the folder of the submissions")
    it.add_argument(
        "--parts", metavar="NAMES", type=named, help="what counts, as softmax,attention (default: what most have)"
    )
    it.add_argument("--jobs", metavar="N", type=int, help="submissions at a time (default: one for each processor)")
    it.add_argument("--seed", metavar="N", type=int, help="seed of the inputs (default: a secret one, told at the end)")
    level = "do nothing unless this machine protects as much: one of %(choices)s"
    it.add_argument("--require-sandbox", metavar="LEVEL", choices=tuple(LEVELS), help=level)
    it.add_argument("--format", metavar="FORM", choices=FORMATS, default="table", help="one of %(choices)s")
    it.add_argument("--output", metavar="FILE", type=named, help="where to, instead of standard output")
    add_views(it)
    return it


class GraderFailed(PartlyFailed):
    """The grader itself failed on some submissions, which says nothing about them; the others are graded."""

    kind = "grader-failed"
    exit_code = 3


# ---- what was asked for ----


def into_folder(arguments: Namespace) -> bool:
    """Whether each submission gets a file of its own."""
    output = arguments.output
    return output is not None and arguments.format in SINGLE and (output.endswith("/") or Path(output).is_dir())


def parts_of(arguments: Namespace) -> list[str]:
    """The parts that were asked for."""
    return [name.strip() for name in (arguments.parts or "").split(",") if name.strip()]


def check(arguments: Namespace) -> None:
    """Raise BadInput or CannotWrite before the work is done, not after it."""
    check_views(arguments)
    if arguments.seed is not None and arguments.seed < 0:
        raise BadInput(f"--seed is {arguments.seed}.", "It must be at least 0.")
    if arguments.jobs is not None and not 1 <= arguments.jobs <= 1000:
        raise BadInput(f"--jobs is {arguments.jobs}.", "It must be from 1 to 1000.")
    if arguments.json and arguments.format not in ("table", "json"):
        raise BadInput(f"--json and --format {arguments.format} are two formats.", "Give one of them.")
    if arguments.format != "table" and (arguments.plain or arguments.html or arguments.svg):
        raise BadInput(f"--plain, --html and --svg show a table, not {arguments.format}.", "Leave --format out.")
    if arguments.output and (arguments.html or arguments.svg):
        raise BadInput("--output is one file, --html or --svg another.", "Give one of them.")
    if arguments.parts is not None and not parts_of(arguments):
        raise BadInput(f"--parts {arguments.parts!r} names no part.", "As in --parts softmax,attention")
    if arguments.format in SINGLE and not arguments.parts:
        what = f"--format {arguments.format} is for one submission, and what is missing in it nobody else has."
        raise BadInput(what, "Say what it is to have: --parts softmax,attention,causal_mask")
    if not into_folder(arguments):
        check_writable(arguments.output)


def command_of(arguments: Namespace, seed: int) -> str:
    """The command that gives this page again."""
    words = ["attn-lab", "grade", arguments.folder]
    words += option_words("--parts", arguments.parts) if arguments.parts else []
    return shlex.join([*words, "--seed", str(seed)])


def given(arguments: Namespace) -> tuple[tuple[Submission, ...], tuple[str, ...]]:
    """The submissions, and what was left out."""
    from attention_lab.grade.submissions import find_submissions, single_submission

    folder = Path(arguments.folder)
    if arguments.format in SINGLE and not into_folder(arguments):
        return (single_submission(folder),), ()
    return find_submissions(folder)


# ---- what is written ----


def put(text: str, output: str | None) -> None:
    """Write a text to a file, or to standard output, what that cannot encode spelled out."""
    if output is not None:
        write_file(output, text)
        return
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def put_each(grades: Grades, one_text: Callable[[Row], str], folder: Path) -> None:
    """Write a file for each submission, named after it; none where the grader failed, as that is no grade."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as reason:
        raise CannotWrite(str(folder), str(reason.strerror)) from reason
    for row in grades.rows:
        if not row.failed:
            name = row.name.replace("\\", "_")  # of what is spelled out: \x1b
            write_file(folder / f"{name}.json", one_text(row))


def put_table(grades: Grades, arguments: Namespace) -> None:
    """Show the page, or write it as text."""
    from attention_lab.grade.grade_page import grade_page

    result = grade_page(grades, command_of(arguments, grades.seed))
    if arguments.output is None:
        show(result, arguments)
        return
    from attention_lab.show.plain import plain_text

    write_file(arguments.output, plain_text(result) + "\n")


def put_grades(grades: Grades, arguments: Namespace) -> None:
    """Show or write the grades in the format that was asked for."""
    if arguments.format in SINGLE:
        from attention_lab.grade.gradescope import gradescope_text
        from attention_lab.grade.prairielearn import prairielearn_text

        text = gradescope_text if arguments.format == "gradescope" else prairielearn_text
        if into_folder(arguments):
            put_each(grades, text, Path(arguments.output))
        elif not grades.rows[0].failed:
            put(text(grades.rows[0]), arguments.output)
    elif arguments.json or arguments.format == "json":
        from attention_lab.grade.json_form import json_text

        put(json_text(grades), arguments.output)
    elif arguments.format == "csv":
        from attention_lab.grade.csv_form import csv_text

        put(csv_text(grades), arguments.output)
    elif arguments.format == "junit":
        from attention_lab.grade.junit import junit_text

        put(junit_text(grades), arguments.output)
    elif arguments.format == "github":
        from attention_lab.grade.github import github_text

        put(github_text(grades), arguments.output)
    else:
        put_table(grades, arguments)


def grade(words: list[str]) -> None:
    """Grade a class."""
    arguments = parser().parse_args(words)
    check(arguments)
    handed_in, left_out = given(arguments)
    from attention_lab.grade.run import grade_class, require
    from attention_lab.machine.cores import available_cores

    if arguments.require_sandbox:
        require(arguments.require_sandbox)
    with progress_line(True) as progress:
        jobs = arguments.jobs or available_cores()
        found = grade_class(handed_in, parts_of(arguments), seed=arguments.seed, jobs=jobs, progress=progress)
    put_grades(brief_in(replace(found, left_out=left_out), but=("path", "file")), arguments)
    failed = [row.name for row in found.rows if row.failed]
    if failed:
        what = f"The grader itself failed on {listed(failed[:5])}: their points say nothing."
        raise GraderFailed(what, "Please report it, with the file.")
    wrong = sum(not row.right for row in found.rows)
    if wrong:
        raise PartlyFailed(f"{count(wrong, 'submission')} not all right.", "The grades say what is wrong.")
