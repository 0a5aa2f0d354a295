"""Submissions in a folder, in a stable order. No file is opened, and no link is followed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attention_lab.errors import BadInput
from attention_lab.sandbox.submission import as_one_line

CODE = (".py", ".ipynb")


@dataclass(frozen=True)
class Submission:
    """Submission of one person: a file, or the files of a folder. `name` is safe to print, `path` is not.

    `reason` says why there is nothing to check, "" otherwise.
    """

    name: str
    path: Path
    files: tuple[Path, ...] = ()
    reason: str = ""


def folder_entries(folder: Path, kept: Callable[[os.DirEntry[str]], bool]) -> list[os.DirEntry[str]]:
    """Entries of a folder, by name, without those of systems and editors (".git", "__pycache__")."""
    with os.scandir(folder) as found:
        seen = [entry for entry in found if not entry.name.startswith((".", "__")) and kept(entry)]
    return sorted(seen, key=lambda entry: entry.name)


def is_code(entry: os.DirEntry[str]) -> bool:
    """Whether an entry has the name of a code file; it need not be a regular file."""
    return Path(entry.name).suffix in CODE and not entry.is_dir(follow_symlinks=False)


def folder_submission(folder: Path, name: str) -> Submission:
    """All code in a folder as one submission, without folders below it."""
    try:
        files = tuple(Path(entry.path) for entry in folder_entries(folder, is_code))
    except OSError as reason:
        return Submission(name, folder, reason=f"Cannot read the folder: {reason.strerror}.")
    return Submission(name, folder, files, "" if files else f"There is no {' and no '.join(CODE)} in the folder.")


def entry_submission(entry: os.DirEntry[str]) -> Submission | None:
    """The submission that a file or folder of the class is; None where it is neither code nor a folder."""
    name, path = as_one_line(entry.name), Path(entry.path)
    if entry.is_symlink() and (path.suffix in CODE or entry.is_dir()):
        return Submission(name, path, reason="It is a symbolic link, which is not followed.")
    if entry.is_dir(follow_symlinks=False):
        return folder_submission(path, name)
    return Submission(name, path, (path,)) if is_code(entry) else None


def single_submission(path: Path) -> Submission:
    """A file, or all code in a folder, as one submission. Raises BadInput."""
    if path.is_dir():
        return folder_submission(path, as_one_line(path.resolve().name))
    if not path.exists():
        raise BadInput(f"There is no {as_one_line(str(path))}.", "Name the folder of the submissions.")
    return Submission(as_one_line(path.name), path, (path,))


def find_submissions(path: Path) -> tuple[tuple[Submission, ...], tuple[str, ...]]:
    """Submissions in a folder, each a file or a folder named after its author, and the names that were left out.

    A file is one submission. Raises BadInput where there is none.
    """
    if not path.is_dir():
        return (single_submission(path),), ()
    try:
        pairs = [(entry.name, entry_submission(entry)) for entry in folder_entries(path, lambda _: True)]
    except OSError as reason:
        raise BadInput(f"Cannot read {as_one_line(str(path))}: {reason.strerror}.", "Name a folder.") from reason
    given = tuple(one for _, one in pairs if one)
    if not given:
        what = f"There is no {', no '.join(CODE)} and no folder in {as_one_line(str(path))}."
        raise BadInput(what, "Name the folder that holds the submissions: a file or a folder for each.")
    return given, tuple(as_one_line(name) for name, one in pairs if one is None)
