"""Adding a break is one file and no other change: done here on a copy of the checkout, as an author would."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from attention_lab.dev.record_text import catalogue_file

ROOT = Path(__file__).parent.parent
COPIED = ("attention_lab", "demos", "tests", "pyproject.toml", "README.md")
NAME = "relu-on-input"
OLD = 'normed = layer_norm(x, **layer["norm_2"])'
NEW = 'normed = np.maximum(layer_norm(x, **layer["norm_2"]), 0)'
TEXTS = {  # what an author writes for the empty fields, in their order
    "why": "A ReLU belongs to the feed-forward layer, so one is put before its first product.",
    "watch": "What decoding with a cache and without one make of the same tokens.",
    "consequence": "Half of what a token holds never reaches the feed-forward layer.",
    "source": "D2, pre-norm block",
}
HINTS = ("Compare decoding with a cache and without one.", "Their blocks differ.", "What does the second norm hand on?")
VERIFY = """
import sys
from attention_lab.breaks import BREAKS
from attention_lab.breaks.verification import CHECKS
from attention_lab.vitals import VITALS

new = tuple(entry for entry in BREAKS if entry.name == sys.argv[1])
assert len(new) == 1
for check in CHECKS:
    if sys.argv[2:] not in ([], [check.name]):
        continue  # another check was asked for
    # the demos of the other breaks are run by test_verification.py
    print(*check.problems(new if check.name == "demos" else BREAKS, VITALS), sep="\\n")
"""

pytestmark = pytest.mark.slow


def run(folder: Path, *command: str) -> str:
    """Standard output of a Python command that must succeed with the package of this checkout."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "encoding": "utf-8"}
    result = subprocess.run([sys.executable, *command], check=False, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def with_texts(record: str) -> str:
    """The record with its empty texts written."""
    for field, text in TEXTS.items():
        assert f'{field}="",' in record
        record = record.replace(f'{field}="",', f'{field}="{text}",')
    hints = "".join(f'            "{hint}",\n' for hint in HINTS)
    return record.replace('hints=("", "", ""),', f"hints=(\n{hints}        ),")


def copy_with(folder: Path, record: str) -> Path:
    """A copy of the checkout with this record pasted at the end of the tuple that it belongs to."""
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    file, _ = catalogue_file("block")
    text = (folder / file).read_text(encoding="utf-8")
    assert text.endswith("    ),\n)\n")
    (folder / file).write_text(text.removesuffix(")\n") + record + ")\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def record() -> str:
    return run(ROOT, "-m", "attention_lab.dev", "break", OLD, NEW, "--name", NAME)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, record: str) -> Path:
    return copy_with(tmp_path_factory.mktemp("checkout"), with_texts(record))


def test_the_printed_record_is_refused_until_its_texts_are_written(tmp_path: Path, record: str):
    problems = run(copy_with(tmp_path, record), "-c", VERIFY, NAME, "texts").split("\n")
    fields = [*TEXTS, "hints", "hints", "hints"]
    assert [problem for problem in problems if problem] == [f"{NAME} has an empty {field}" for field in fields]


def test_the_catalogue_is_verified_with_the_record_as_it_was_printed(checkout: Path):
    assert run(checkout, "-c", VERIFY, NAME).strip() == ""
    run(checkout, "-m", "ruff", "check", *catalogue_file("block")[:1])
    run(checkout, "-m", "ruff", "format", "--check", *catalogue_file("block")[:1])


@pytest.mark.parametrize(
    "suite",
    [
        ("tests/test_draws.py", "tests/test_quiz.py"),
        ("tests/lesson/test_check_blocks.py",),
        ("tests/test_dev.py", "tests/test_break.py", "-k", f"mystery or list or matrix or {NAME}"),
    ],
    ids=["quiz", "lessons", "catalogue"],
)
def test_suites_that_used_to_fail_pass_with_one_more_break(checkout: Path, suite: Sequence[str]):
    out = run(checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suite)
    assert re.search(r"\d+ passed", out)


def test_what_the_readme_draws_works_with_one_more_break(checkout: Path):
    readme = (checkout / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^attn-lab ((?:.* mystery\.py|new .*--mystery|quiz .*--no-pause).*)$", readme, re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        assert run(checkout, "-m", "attention_lab", *shlex.split(command))


def test_the_copy_is_what_is_tested(checkout: Path):
    assert run(checkout, "-c", "import attention_lab; print(attention_lab.__file__)").startswith(str(checkout))
    assert NAME in run(checkout, "-m", "attention_lab", "break", "--plain")
