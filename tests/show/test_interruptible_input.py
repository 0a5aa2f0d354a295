"""Keys that are looked for while something else goes on: of a terminal, of a pipe, and of a console of Windows."""

from __future__ import annotations

import os
import sys
import time
from types import SimpleNamespace

import pytest

from attention_lab.show import interruptible_input
from attention_lab.show.interruptible_input import LineInput, NoInput, WindowsInput


class Pressed:
    """A console in which these keys have been pressed, as `msvcrt` has it."""

    def __init__(self, keys: str) -> None:
        self.keys = list(keys)

    def kbhit(self) -> bool:
        return bool(self.keys)

    def getwch(self) -> str:
        return self.keys.pop(0)


def test_a_console_of_windows_tells_its_keys_one_by_one():
    console = WindowsInput(Pressed("H?\xe0Mq\x00;"))
    assert [console.next_within(1) for _ in range(5)] == ["h", "?", "\xe0M", "q", "\x00;"]


def test_a_console_in_which_nothing_is_pressed_is_left_after_a_while():
    began = time.monotonic()
    assert WindowsInput(Pressed("")).next_within(0.1) is None
    assert 0.1 <= time.monotonic() - began < 2


@pytest.mark.parametrize(("key", "error"), [("\x03", KeyboardInterrupt), ("\x04", EOFError), ("\x1a", EOFError)])
def test_a_console_ends_by_the_keys_that_end_things(key: str, error: type[BaseException]):
    with pytest.raises(error):
        WindowsInput(Pressed(key)).next_within(1)


@pytest.mark.parametrize(("terminal", "kind"), [(True, WindowsInput), (False, NoInput)])
def test_on_windows_a_console_is_heard_and_a_pipe_is_not(terminal: bool, kind: type, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(interruptible_input, "WINDOWS", True)
    monkeypatch.setattr(interruptible_input, "import_module", lambda name: Pressed(name[:0]))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: terminal))
    with interruptible_input.open_timed_input() as keys:
        assert type(keys) is kind
        assert keys.next_within(0) is None


def test_lines_of_a_pipe_come_one_by_one_until_it_is_closed():
    back, to = os.pipe()
    try:
        os.write(to, b" H \nq\nha")
        typed = LineInput(back)
        assert [typed.next_within(1) for _ in range(3)] == ["h", "q", None]
        os.close(to)
        with pytest.raises(EOFError):
            typed.next_within(1)
    finally:
        os.close(back)
