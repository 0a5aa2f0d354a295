"""Check the submissions of a class side by side: one process for each file, one row for each submission."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from attention_lab.check.calls import outline
from attention_lab.check.check_page import source
from attention_lab.check.recognition import Asked, Benches
from attention_lab.check.roles import ROLES, meant
from attention_lab.check.survey import Survey, survey
from attention_lab.errors import LabError, UnknownName, error_summary
from attention_lab.grade.marks import (
    Grades,
    Mark,
    Row,
    charge_once,
    counting_mark,
    late_mark,
    mark_of,
    unwritten_mark,
    usual_parts,
    wrong_beside,
)
from attention_lab.grade.submissions import Submission
from attention_lab.sandbox import doctor
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import CallFailed, NotStarted, Protection
from attention_lab.sandbox.submission import as_one_line
from attention_lab.sandbox.time_budget import SECONDS, BudgetedChild
from attention_lab.text import count, first_of, listed, spell_out_controls

MOST = 500  # functions checked of one file
TOLD = 3  # reasons given for one submission, which may have thousands of files

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Assessment:
    """Marks of one submission before the parts that count are known; the fields are those of a Row."""

    marks: tuple[Mark, ...] = ()
    reason: str = ""
    unreadable: bool = False
    failed: bool = False
    seconds: float = 0.0
    held: tuple[Protection, ...] = ()


def known_parts(names: Sequence[str]) -> tuple[str, ...]:
    """These parts, each once. Raises UnknownName where one is no function of the model that can be checked."""
    roles = [role.name for role in ROLES]
    for name in names:
        if name not in roles:
            raise UnknownName(f"There is no part {name!r}.", f"There are {listed(roles)}.")
    return tuple(dict.fromkeys(names))


def join_reasons(files: Sequence[Path], seen: Sequence[Assessment]) -> str:
    """Reasons why files of a submission were not checked: the first few in full, of the others the file names."""
    reasons: dict[str, str] = {}
    for file, one in zip(files, seen, strict=True):
        reasons.setdefault(one.reason, as_one_line(file.name))
    reasons.pop("", None)
    others = list(reasons.values())[TOLD:]
    more = [f"There is more to say of {first_of(others, TOLD)}."] if others else []
    return " ".join(" ".join([*list(reasons)[:TOLD], *more]).split())


class Marker:
    """Checks submissions, several at a time in as many threads; all get the same inputs, which are drawn once."""

    def __init__(self, seed: int, parts: Sequence[str], seconds: float = SECONDS) -> None:
        self._seed, self._parts, self._seconds = seed, frozenset(parts), seconds
        self._benches = Benches(seed)
        self._running: set[BudgetedChild] = set()
        self._lock = Lock()
        self._stopped = False

    def stop(self) -> None:
        """End all processes; submissions not yet checked stay unchecked."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for child in running:
            child.stop()

    def _enter(self, child: BudgetedChild) -> None:
        with self._lock:
            self._running.add(child)
            stopped = self._stopped
        if stopped:
            child.stop()

    def _look(self, child: BudgetedChild) -> list[Mark]:
        """Marks of the functions of a file; functions with a known name come first.

        If the parts are given, the other functions are checked only where one of these parts is missing.
        """
        file = as_one_line(str(child.file))
        callables = [definition for definition in child.definitions if definition.kind in ("function", "class")]
        definitions = callables[:MOST]
        out = outline(child.text)
        unwritten = set(out.unwritten)
        named = {definition.name for definition in definitions if meant(definition.name)}
        missing = [definition for definition in definitions if definition.name in unwritten]
        marks = [
            unwritten_mark(role.name, definition, file) for definition in missing for role in meant(definition.name)
        ]
        report = Survey((), (), out)
        for group in (named, {definition.name for definition in definitions} - named):
            if group is not named and self._parts and self._parts <= {one.role.name for one in report.findings}:
                break
            left_out = frozenset(definition.name for definition in child.definitions) - group | unwritten
            more = survey(child, self._seed, Asked(left_out=left_out, calls=out.calls), self._benches)
            report = replace(report, findings=(*report.findings, *more.findings), late=(*report.late, *more.late))
        marks += [late_mark(role.name, name, file) for name in report.late for role in meant(name)]
        for one in report.findings:
            marks.append(mark_of(one, file, child.spent[one.definition.name], origin=source(one, report)))
        return marks

    def _file(self, file: Path, deadline: float) -> Assessment:
        """Assessment of one file. Errors become its reason."""
        if file.is_symlink():
            return Assessment(
                reason=f"{as_one_line(file.name)} is a symbolic link, which is not followed.", unreadable=True
            )
        held: tuple[Protection, ...] = ()
        ended = f"It was ended after {self._seconds:g} s."
        try:
            with BudgetedChild(file, deadline) as child:
                self._enter(child)
                try:
                    held, code_errors = child.held, child.code_errors
                    marks = tuple(self._look(child))
                finally:
                    self._running.discard(child)
            name = as_one_line(file.name)
            reasons = [f"Line {one.line} of {name} raised {one.kind}: {one.message}" for one in code_errors[:1]]
            return Assessment(marks, " ".join([*reasons, *([ended] if child.late else [])]), held=held)
        except NotStarted as error:
            return Assessment((), error.what, failed=True, held=held)
        except LabError as error:
            late = time.monotonic() >= deadline
            return Assessment((), ended if late else error.what, not isinstance(error, CallFailed), held=held)
        except Exception as error:
            what = f"The grader itself failed: {error_summary(error)} This says nothing about the submission."
            return Assessment((), spell_out_controls(what), failed=True, held=held)

    def __call__(self, submission: Submission) -> Assessment:
        """Assessment of one submission: all its files, one after the other."""
        began = time.monotonic()
        files = [self._file(file, began + self._seconds) for file in submission.files]
        marks = tuple(mark for seen in files for mark in seen.marks)
        reason = " ".join(filter(None, (submission.reason, join_reasons(submission.files, files))))
        return Assessment(
            marks,
            reason or ("" if marks else "It has nothing that can be checked."),
            all(seen.unreadable for seen in files),
            any(seen.failed for seen in files),
            time.monotonic() - began,
            tuple(one for seen in files for one in seen.held),
        )


def mark_all(given: Sequence[Submission], marker: Marker, jobs: int, progress: Progress) -> list[Assessment]:
    """Assessments in the order of the submissions."""
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(marker, submission): number for number, submission in enumerate(given)}
        assessments: dict[int, Assessment] = {}
        try:
            for future in as_completed(running):
                assessments[running[future]] = future.result()
                progress(f"{len(assessments)} of {count(len(given), 'submission')} checked")
        except BaseException:  # Ctrl-C: nobody waits for those that are still running
            pool.shutdown(wait=False, cancel_futures=True)
            marker.stop()
            raise
    return [assessments[number] for number in range(len(given))]


def held_in_all(protections: Sequence[Protection]) -> tuple[Protection, ...]:
    """Each protection once; it held if it did in every process."""
    worst: dict[str, Protection] = {}
    for one in protections:
        if one.name not in worst or not one.held:
            worst[one.name] = one
    return tuple(worst.values())


def grade_row(submission: Submission, seen: Assessment, parts: Sequence[str]) -> Row:
    """Row of a submission. Its reason is kept only if something is missing or wrong."""
    marks = charge_once([counting_mark(part, seen.marks) for part in parts])
    path = as_one_line(str(submission.path))
    it = Row(submission.name, path, marks, seen.reason, seen.unreadable, seen.failed, seen.seconds)
    return Row(submission.name, path, marks, seconds=seen.seconds) if it.right and not it.failed else it


def require(level: str) -> None:
    """Raise NotSealed unless this machine protects what a level asks for: tried before anybody's code is run."""
    with Child(doctor.FILE) as child:  # a file of ours, of which nothing is called
        child.required(level)


def grade_class(
    given: Sequence[Submission],
    parts: Sequence[str] = (),
    *,
    seed: int | None = None,
    jobs: int = 1,
    seconds: float = SECONDS,
    progress: Progress = lambda _: None,
) -> Grades:
    """Grade a class: on these parts, else on those that most submissions have. A seed of None is a fresh, secret one.

    Raises UnknownName where one of the parts is none.
    """
    began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    wanted = known_parts(parts)
    seed = secrets.randbelow(2**32) if seed is None else seed
    assessments = mark_all(given, Marker(seed, wanted, seconds), jobs, progress)
    used = wanted or usual_parts([seen.marks for seen in assessments])
    chosen = "as asked for" if wanted else "those that more than half of the submissions have, of those with any"
    rows = [grade_row(submission, seen, used) for submission, seen in zip(given, assessments, strict=True)]
    if not wanted:  # with given parts, no others are reported
        rows = [
            replace(one, beside=wrong_beside(used, seen.marks)) for one, seen in zip(rows, assessments, strict=True)
        ]
    held = held_in_all([one for seen in assessments for one in seen.held])
    return Grades(tuple(rows), used, chosen if used else "none was found", seed, began, (), held)
