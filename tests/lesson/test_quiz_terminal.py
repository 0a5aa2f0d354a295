"""`attn-lab quiz` at a terminal: keys, pages, the foot, and how it is left."""

from __future__ import annotations

import pytest
from terminals import terminal

from attention_lab.breaks import BREAKS
from attention_lab.lesson.perform import Performance
from attention_lab.quiz.draw import draw

LINE = r"question 1[^\n]*$"


@pytest.mark.sample(1)
@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (40, 20)])
def test_a_quiz_by_keys(columns: int, lines: int):
    (one, *_) = draw(1, 2, 4).questions
    right = next(place for place, choice in enumerate(one.choices) if not choice.idea)
    hints = next(fault for fault in BREAKS if fault.name == one.choices[right].text).hints
    with terminal("quiz", "--seed", "4", "--questions", "2", columns=columns, lines=lines) as it:
        shown = it.wait(LINE)
        assert "Enter: on" in shown
        for _ in range(20):
            if "a-d: answer" in shown:
                break
            shown = it.press("\r", LINE)
        assert "a-d: answer   h: hint" in shown
        shown = it.press("h", LINE)
        assert " ".join(shown.split()).startswith(f"Hint 1 of 3: {hints[0]}")
        assert "a-d: answer   h: hint" in shown
        assert it.press("abcd"[right], LINE).startswith(f"Right: {'abcd'[right]})")
        if "What was changed" not in it.text:  # it is on the next page
            assert "What was changed" in it.press("\r", LINE)
        it.press("q", r"of 1 point")
        assert it.left() == 0
        assert "0.5 of 1 point" in it.text
        assert max(map(len, it.text.splitlines())) <= columns
        assert it.echoes()


def test_ctrl_c_leaves_at_once():
    with terminal("quiz", "--seed", "4") as it:
        it.wait(LINE)
        it.press("\x03", "")
        assert it.left() == 130
        assert "point" not in it.text
        assert it.echoes()


def test_what_is_told_at_the_terminal_was_measured():
    """The other tests take for right what has no idea against it: that is what the run says."""
    from attention_lab.commands.results import result_of

    lesson = draw(1, 1, 4)
    (one,) = lesson.questions
    assert Performance(lesson, result_of).right_choice(one).idea == ""
