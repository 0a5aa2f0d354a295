"""What may happen at a terminal while one reads: keys that are none, signals, and a terminal that goes away."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminals import Terminal, terminal

from attention_lab.show.keyboard import Keyboard, cbreak_mode

LESSON = (
    "# T\n\nWords.\n\n## Two\n\n```predict\nQ?\n\n- A.\n  when: spread/512/largest weight < 0.5\n  idea: No.\n- B.\n\
  when: spread/512/largest weight > 0.5\n```\n\n```run\nattn-lab demo scaling\n```\n"
)
FOOT = r"(step \d of 3[^\n]*|Answer a-[^\n]*|No such key[^\n]*)$"


@pytest.fixture
def file(tmp_path) -> str:
    (tmp_path / "small.md").write_text(LESSON, encoding="utf-8")
    return str(tmp_path / "small.md")


# ---- keys, one by one ----


@pytest.fixture
def pair() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal that tells each key at once: ours, and the keyboard's."""
    parent, child = os.openpty()
    with cbreak_mode(child):
        yield parent, child
    os.close(parent)
    os.close(child)


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        (b"a", ["a"]),
        (b"ab", ["a", "b"]),
        (b"\x1b[C", ["\x1b[C"]),
        (b"\x1b[6~x", ["\x1b[6~", "x"]),
        (b"\x1bOP", ["\x1bOP"]),
        (b"\x1b[1;5Cb", ["\x1b[1;5C", "b"]),  # Ctrl and an arrow
        (b"\x1b[[A", ["\x1b[[A"]),  # F1 of a console without windows
        (b"\x1b[<0;10;5M", ["\x1b[<0;10;5M"]),  # a mouse
        (b"\x1b[97;5u", ["\x1b[97;5u"]),
        (b"\x1bb", ["\x1bb"]),  # Alt and b
        (b"\x1b\x1b[C", ["\x1b", "\x1b[C"]),
        (b"\x1b", ["\x1b"]),
        (b"\x1b[", ["\x1b["]),
        ("é猫🎉".encode(), ["é", "猫", "🎉"]),
        (b"\xe9b", ["\N{REPLACEMENT CHARACTER}", "b"]),  # é of Latin-1
        (b"\xff\x00", ["\N{REPLACEMENT CHARACTER}", "\x00"]),
        (b"\x1a\x1c", ["\x1a", "\x1c"]),  # Ctrl-Z and Ctrl-\
        (b"\x04", ["\x04"]),
    ],
    ids=repr,
)
def test_a_key_is_all_that_it_sends(pair: tuple[int, int], typed: bytes, keys: list[str]):
    parent, child = pair
    keyboard = Keyboard(child, "utf-8")
    os.write(parent, typed)
    assert keyboard.read_more(5)
    found = []
    while keyboard.typed:
        found.append(keyboard.next_key())
    assert found == keys


def test_a_key_may_come_in_pieces(pair: tuple[int, int]):
    parent, child = pair
    keyboard = Keyboard(child, "utf-8")
    os.write(parent, b"\x1b")
    assert keyboard.read_more(5)
    os.write(parent, b"[C")
    assert keyboard.next_key() == "\x1b[C"


def test_what_is_pressed_while_nobody_waits_is_forgotten(pair: tuple[int, int]):
    parent, child = pair
    os.write(parent, b"nnn")
    assert select.select([child], [], [], 5)[0]
    keyboard = Keyboard(child, "utf-8")
    threading.Timer(0.2, os.write, (parent, b"b")).start()
    assert keyboard.next_key() == "b"


def test_a_terminal_that_is_gone_is_the_end():
    parent, child = os.openpty()
    with cbreak_mode(child):
        os.close(parent)
        with pytest.raises(EOFError):
            Keyboard(child, "utf-8").next_key()
    os.close(child)


# ---- in a walk ----


def press(it: Terminal, *keys: bytes) -> str:
    """Press keys at the pace of a person; what appears until `?` is answered, which is pressed last."""
    it.raw = ""
    for key in keys:
        os.write(it.parent, key)
        time.sleep(0.1)
    text = it.press("?", "Any key")
    it.press("x", FOOT)
    return text


def test_no_byte_ends_the_walk_or_makes_it_deaf(file: str):
    meant = set(b"\x03\x04qQ")  # Ctrl-C, Ctrl-D
    frozen = set(b"\x11\x13")  # Ctrl-S stops the output of every terminal, until Ctrl-Q
    with terminal("walk", file) as it:
        it.wait(FOOT)
        os.write(it.parent, bytes(set(range(256)) - meant - frozen))
        time.sleep(0.2)
        press(it, b"\x1b", b"\xc3", b"(")
        it.press("q", "You left")
        assert it.left() == 0
        assert it.echoes()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "keys", [(b"\x1b", b"\x1b[A"), (b"\x1b[[A",), (b"\x1b[1;5A",), (b"\x1b[97;5u",), (b"\xe9",), (b"\x1ba",)], ids=repr
)
def test_no_key_answers_that_is_no_letter(file: str, keys: tuple[bytes, ...]):
    with terminal("walk", file, "--from", "2") as it:
        it.wait(FOOT)
        press(it, *keys)
        it.press("n", FOOT)
        it.press("q", "You left")
        assert it.left() == 0
    (place,) = Path(os.environ["HOME"]).rglob("positions/*.json")
    assert json.loads(place.read_text())["given"] == {}


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", [(), ("--present",)], ids=str)
def test_a_window_may_change_its_size(file: str, mode: tuple[str, ...]):
    with terminal("walk", file, *mode) as it:
        it.wait(FOOT)
        for lines, columns in ((5, 30), (1, 1), (2, 3), (60, 200)):
            fcntl.ioctl(it.parent, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            for key in (b"n", b"b", b"r", b"g", b"x"):
                os.write(it.parent, key)
                time.sleep(0.05)
        it.press("1\r", r"step 1 of 3[^\n]*$")
        it.press("q", "You left at step 1 of 3.")
        assert it.left() == 0


def test_help_says_what_a_key_does_on_each_of_its_pages(file: str):
    with terminal("walk", file, columns=30, lines=6) as it:
        it.wait(r"step 1 of[^\n]*$")
        it.press("?", r"Any key goes on\.$")
        while "Any key goes on." in it.text:
            it.press(" ", r"Any key goes [^\n]*[.…]$")
        assert "Any key goes back to the" in it.text
        it.press(" ", r"step 1 of[^\n]*$")
        it.press("q", "You left")


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", [(), ("--present",)], ids=str)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_walk_that_is_told_to_end_gives_the_terminal_back(file: str, number: signal.Signals, mode: tuple[str, ...]):
    with terminal("walk", file, *mode) as it:
        it.wait(FOOT)
        it.press("n", FOOT)
        it.process.send_signal(number)
        assert it.left() == 128 + number
        assert it.echoes()
        assert "Traceback" not in it.text
        assert it.raw.endswith("\x1b[?1049l") == bool(mode)
    with terminal("walk", file) as it:
        it.wait("Going on at step 2")


def test_a_walk_goes_on_after_a_stop(file: str):
    with terminal("walk", file) as it:
        it.wait(FOOT)
        it.process.send_signal(signal.SIGSTOP)
        modes = termios.tcgetattr(it.parent)
        modes[3] |= termios.ECHO | termios.ICANON  # as a shell does
        termios.tcsetattr(it.parent, termios.TCSANOW, modes)
        it.process.send_signal(signal.SIGCONT)
        while it.echoes():
            time.sleep(0.01)
        assert "Q?" in it.press("n", FOOT)
        it.press("q", "You left")
        assert it.left() == 0


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", [(), ("--present",)], ids=str)
@pytest.mark.parametrize("before", ["", "2\r", "g", "?"])
def test_ctrl_c_again_and_again_is_as_quiet_as_once(file: str, before: str, mode: tuple[str, ...]):
    with terminal("walk", file, *mode) as it:
        it.wait(FOOT)
        os.write(it.parent, before.encode())
        time.sleep(0.1)
        it.raw = ""
        while it.process.poll() is None:
            it.process.send_signal(signal.SIGINT)
            time.sleep(0.005)
        assert it.left() == 130
        assert it.echoes()
        for word in ("Traceback", "KeyboardInterrupt", "Exception"):
            assert word not in it.text
        assert ("\x1b[?1049l" in it.raw) == bool(mode)


def test_who_leaves_does_not_wait_for_what_is_computed_ahead(tmp_path: Path):
    slow = "# T\n\nWords.\n\n## Two\n\n```run\nattn-lab demo slow\n```\n"
    (tmp_path / "slow.md").write_text(slow, encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text(
        "import time, attention_lab.commands.demo as it\nit.run_demo = lambda *_: time.sleep(60)\n"
        "import attention_lab.commands.walking as it\nit.beside = lambda words: True\n"
    )
    with terminal("walk", str(tmp_path / "slow.md"), PYTHONPATH=str(tmp_path)) as it:
        it.wait("step 1 of 2")
        time.sleep(0.5)
        began = time.monotonic()
        it.press("q", "You left")
        assert it.left() == 0
        assert time.monotonic() - began < 20


@pytest.mark.sample(1)
@pytest.mark.parametrize("words", [("walk", "quick"), ("quiz",)], ids=str)
def test_a_standard_input_that_is_closed_is_one_without_lines(words: tuple[str, ...]):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "attention_lab", *words],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert " 1 " in done.stdout


def test_a_line_that_is_no_text_takes_no_other_with_it(file: str):
    done = subprocess.run(
        [sys.executable, "-m", "attention_lab", "walk", file], input=b"n\n\xff\n\xc3\nb\nq\n", capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"You left at step 2 of 3." in done.stdout
    assert b"Right: b) B." in done.stdout
