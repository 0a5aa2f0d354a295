"""Machines that have less: no /proc, no namespaces of users, no room for a folder or a process, files of odd kinds."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_lab.sandbox import parent

RIGHT = """
import numpy as np
def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
"""
TEST = """
import numpy as np
from model import softmax
def test_it():
    assert np.allclose(softmax(np.zeros(4)), 0.25)
"""
WITHOUT = {
    "proc": "mount -t tmpfs none /proc",
    "user namespaces": "echo 0 > /proc/sys/user/max_user_namespaces",
}
Run = Callable[..., tuple[int, str, str]]


def possible() -> bool:
    """Whether this machine can be made one that has less, for a while and for one process."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    return all(
        subprocess.run(["unshare", "-rm", "sh", "-c", lack], capture_output=True).returncode == 0
        for lack in WITHOUT.values()
    )


@pytest.mark.slow
@pytest.mark.skipif(not possible(), reason="needs namespaces of its own")
@pytest.mark.parametrize("lack", WITHOUT)
@pytest.mark.parametrize("command", ["check", "kill", "grade", "doctor"])
def test_a_machine_that_has_less_still_checks_and_says_what_did_not_hold(command: str, lack: str, tmp_path: Path):
    (tmp_path / "mine.py").write_text(RIGHT if command != "kill" else TEST)
    words = {"doctor": [], "grade": [str(tmp_path)]}.get(command, [str(tmp_path / "mine.py")])
    line = [sys.executable, "-m", "attention_lab", command, *words, "--plain"]
    script = f'{WITHOUT[lack]}; exec "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *line],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == (1 if command == "doctor" and lack == "proc" else 0), done.stderr
    assert ("level " if command == "doctor" else "Protections that held: tree") in done.stdout
    assert "only the size of each file is limited" in done.stdout or lack == "proc"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.fixture(params=["no folder", "no room", "no process"])
def full(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A machine on which nothing can be started, and what is said of it."""

    def refuse(number: int) -> Callable[..., None]:
        def fail(*_: object, **__: object) -> None:
            raise OSError(number, os.strerror(number))

        return fail

    if request.param == "no process":
        monkeypatch.setattr(parent.subprocess, "Popen", refuse(errno.EAGAIN))
        return "No process can be started: Resource temporarily unavailable."
    if request.param == "no folder":
        monkeypatch.setattr(tempfile, "mkdtemp", refuse(errno.ENOENT))
        return "There is no folder for temporary files: No such file or directory."
    monkeypatch.setattr(Path, "write_text", refuse(errno.ENOSPC))
    return "There is no folder for temporary files: No space left on device."


@pytest.fixture
def classroom(tmp_path: Path) -> Path:
    """A folder with one file, written before anything is refused."""
    (tmp_path / "mine.py").write_bytes(RIGHT.encode())
    return tmp_path


@pytest.mark.parametrize("command", ["check", "kill", "grade", "doctor"])
def test_where_nothing_can_be_started_that_is_said_and_nobody_is_blamed(
    command: str, classroom: Path, full: str, attn_lab: Run
):
    words = {"doctor": [], "grade": [str(classroom), "--parts", "softmax"]}.get(command, [str(classroom / "mine.py")])
    code, out, err = attn_lab(command, *words)
    assert code == 3
    assert full in " ".join((out + err).split())
    assert "result" not in err


def begun(text: str) -> list[str]:
    """The lines that a runner of GitHub Actions would take for commands."""
    return [line for line in text.split("\n") if line.lstrip().startswith("::")]


NAMES = ("a\n::error::x.py", "b\r\n::warning::y.py", "c\t\x1b[2J\u202ed.py", "e\u2028::error::f.py")


@pytest.mark.sample(2)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("text", [RIGHT, "def softmax(:", "\0", None], ids=["right", "syntax", "null", "missing"])
def test_the_name_of_a_file_begins_no_line_of_its_own(name: str, text: str | None, tmp_path: Path, attn_lab: Run):
    file = tmp_path / name
    if text is not None:
        file.write_text(text, newline="")
    for words in (["check", str(file)], ["kill", str(file)], ["grade", str(tmp_path)], ["inspect", str(file)]):
        _, out, err = attn_lab(*words, *([] if words[0] == "grade" else ["--plain"]))
        assert not begun(out + err), words
        assert not set(out + err) & {"\x1b", "\u202e", "\r"}


def test_a_message_begins_no_line_of_its_own(tmp_path: Path, attn_lab: Run):
    (tmp_path / "mine.py").write_text(
        f"{RIGHT}raise ValueError('a\\n::error::x')\ndef attention(q, k, v):\n    raise KeyError('\\n::error::y')\n"
    )
    for words in (["check"], ["check", "--plain"]):
        _, out, err = attn_lab(words[0], str(tmp_path / "mine.py"), *words[1:])
        assert "::error::x" in out
        assert not begun(out + err)


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="needs a file of the kernel that is waited for")
def test_a_file_of_the_kernel_is_not_waited_for(attn_lab: Run):
    for command in ("check", "kill"):
        code, _, err = attn_lab(command, "/proc/kmsg")
        assert code != 0
        assert "/proc/kmsg" in err or "kmsg" in err
