"""Whatever ends a command that runs other people's code: no folder is left, and no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLOW = "import time\ndef softmax(x):\n    time.sleep(9)\ndef test_slow():\n    time.sleep(9)\n"
COMMANDS = {
    "check": ["check", "FILE"],
    "grade": ["grade", "FOLDER", "--require-sandbox", "process"],
    "kill": ["kill", "FILE"],
    "doctor": ["doctor"],
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def below(folder: Path) -> list[str]:
    """What is in a folder, and the processes that have its name on their command line."""
    mark = json.dumps(str(folder))[1:-1].encode()  # as a command line has it that holds JSON
    lines = [Path(f"/proc/{name}/cmdline") for name in os.listdir("/proc") if name.isdigit()]
    found = [path.name for path in folder.iterdir()]
    for line in lines:
        try:
            found += [line.parent.name] if mark in line.read_bytes() else []
        except OSError:  # it has ended meanwhile
            continue
    return found


def awaited(folder: Path, there: bool, seconds: float) -> bool:
    """Whether something is there, or nothing any more, in so many seconds."""
    end = time.monotonic() + seconds
    while bool(below(folder)) is not there and time.monotonic() < end:
        time.sleep(0.02)
    return bool(below(folder)) is there


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL], ids=lambda it: it.name
)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_left_of_a_command_that_is_ended(command: str, number: signal.Signals, tmp_path: Path) -> None:
    temporary, classroom = tmp_path / "temporary ü", tmp_path / "class"
    for folder in (temporary, classroom):
        folder.mkdir()
    file = classroom / "slow.py"
    file.write_text(SLOW)
    words = [{"FILE": str(file), "FOLDER": str(classroom)}.get(word, word) for word in COMMANDS[command]]
    environment = os.environ | {"TMPDIR": str(temporary)}
    process = subprocess.Popen(
        [sys.executable, "-m", "attention_lab", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert awaited(temporary, there=True, seconds=20)
    time.sleep(0.7)  # it is at work
    assert process.poll() is None
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert b"Traceback" not in said
    assert awaited(temporary, there=False, seconds=10), below(temporary)
