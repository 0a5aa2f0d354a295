"""A lesson that is run: numbers in its prose, parts that are shown, answers that are right; what no longer holds."""

from __future__ import annotations

import pytest
from lessons import RESULT, RUN, lesson, perform, performed

from attention_lab.breaks import BREAKS
from attention_lab.commands.results import result_of
from attention_lab.errors import BadInput, CannotWrite, UnknownName
from attention_lab.lesson.lesson import BadLesson, Prose
from attention_lab.lesson.perform import Performance, break_signature, moved_signs, runs_needed, symptoms
from attention_lab.lesson.result_paths import NoSuchPlace
from attention_lab.lesson.scene import ResultItem, solution_items
from attention_lab.lesson.verify import verify_lesson
from attention_lab.result import Diff, Note, Sign, Signs


def test_each_command_is_run_once():
    ran = []
    performance = performed(RUN, RUN, "[1](result:largest)")

    def counted(words: tuple[str, ...]):
        ran.append(words)
        return perform(words)

    performance.perform = counted
    assert not verify_lesson(performance.lesson, performance, lambda _: None)
    assert ran == [("demo", "small")]


def test_prose_holds_what_was_measured():
    performance = performed(RUN, "So [9.9](result:largest), [9 %](result:grid/a/x), [9.99](result:largest).")
    (prose,) = (block for block in performance.lesson.blocks if isinstance(block, Prose))
    assert performance.filled_prose(prose) == "So 0.6, 61 %, 0.61."


def test_only_the_parts_that_are_asked_for_are_shown_in_that_order():
    performance = performed(RUN[:-3] + "show: small, largest\n```", RUN)
    first, second = performance.lesson.runs
    assert [part.name for part in performance.visible_result(first).parts] == ["small", "largest"]
    assert performance.visible_result(first).question == ""
    assert performance.visible_result(second) is RESULT


def answered(*whens: str) -> list[bool]:
    choices = "\n".join(f"- Answer {number}.\n  when: {when}" for number, when in enumerate(whens))
    performance = performed(f"```predict\nQ?\n{choices}\n```", RUN)
    (question,) = performance.lesson.questions
    return [performance.is_right(question, choice) for choice in question.choices]


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("largest > 0.5", "largest > 0.7"),
        ("largest >= 0.61249", "largest >= 0.62"),
        ("largest < 0.7", "largest < 0.5"),
        ("largest <= 0.61249", "largest <= 0.5"),
        ("largest = 0.61249", "largest = 0.61"),
        ("largest != 0.61", "largest != 0.61249"),
        ("0.5 < largest", "0.7 < largest"),
        ("largest > small", "small > largest"),
        ('rows/a/b/ok = "yes"', 'rows/a/b/ok = "no"'),
        ('rows/a/b/word = "yes"', 'rows/a/b/word != "yes"'),
        ('moved/future-mass/moved = "up"', 'moved/future-mass/moved = "down"'),
        ("largest holds", "largest fails"),
        ("small fails", "small holds"),
    ],
)
def test_a_condition_is_met_or_not(yes: str, no: str):
    assert answered(yes, no) == [True, False]


def test_every_condition_of_an_answer_must_be_met():
    assert answered("largest > 0.5\n  when: largest holds", "largest > 0.5\n  when: small holds") == [True, False]


def test_symptoms_do_not_tell_the_fault():
    shown = symptoms(RESULT)
    assert not {part.name for part in shown.parts} & {"diff", "cost", "next", "hidden"}
    assert not any(isinstance(part, Diff) for part in shown.parts)
    assert (shown.demo, shown.command, shown.question, shown.title) == ("", "", "", "")


@pytest.mark.parametrize("name", ["mask-flip", "norm-by-reciprocal"])
def test_symptoms_and_what_is_revealed_are_the_page_and_nothing_stands_in_both(name: str):
    performance = Performance(
        lesson(f"```diagnose\nattn-lab break {name} --size 5\n\n- mask-flip\n- nothing is broken\n```"), result_of
    )
    (question,) = performance.lesson.questions
    (shown,) = solution_items(performance, question)
    assert isinstance(shown, ResultItem)
    assert shown.command == f"attn-lab break {name} --size 5"
    page = performance.run_result(0)
    before, after = ({part.name for part in one.parts} for one in (symptoms(page), shown.result))
    assert {"diff", "cost"} <= after
    assert not before & after
    assert (before | after) - {"unmoved"} == {part.name for part in page.parts}


def test_no_page_of_the_catalogue_gives_its_fault_away():
    """The page of a break as it is, and what is left of it as symptoms."""
    result = result_of(("break", "mask-flip", "--size", "5"))
    assert "mask-flip" in str(result)
    assert "mask-flip" not in str(symptoms(result))


def test_what_moved_and_what_a_break_moves():
    assert moved_signs(RESULT) == {("future-mass", "up"), ("norm-mean", "lost")}
    for one in BREAKS[:3]:
        assert {name for name, _ in break_signature(one.name)} == {*one.up, *one.down, *one.lost}
    with pytest.raises(NoSuchPlace, match="no break 'nothing'"):
        break_signature("nothing")


def test_a_fault_is_named_by_its_signature():
    performance = performed("```diagnose\nbreak mask-flip --size 5\n- mask-flip\n- mask-zero\n  idea: No.\n```")
    performance.perform = result_of
    (question,) = performance.lesson.questions
    assert performance.right_choice(question).text == "mask-flip"


@pytest.mark.parametrize(("name", "right"), [("norm-by-reciprocal", "nothing is broken"), ("mask-flip", "mask-flip")])
def test_that_nothing_is_broken_is_an_answer_like_the_others(name: str, right: str):
    performance = performed(f"```diagnose\nbreak {name}\n- nothing is broken\n- mask-flip\n```")
    performance.perform = result_of
    (question,) = performance.lesson.questions
    assert performance.right_choice(question).text == right


def test_symptoms_of_what_moves_nothing_say_so():
    for name, matrices in (
        ("norm-by-reciprocal", "No matrix differs"),
        ("positions-from-1", "The matrices above differ"),
    ):
        notes = [part for part in symptoms(result_of(("break", name))).parts if isinstance(part, Note)]
        assert [note.text for note in notes] == [f"{matrices}; no vital sign left its healthy range."]


def test_a_step_needs_what_it_shows_what_it_refers_to_and_what_judges_its_question():
    performance = performed(
        RUN[:-3] + "name: one\n```",
        "## Two",
        "[1](result:one#largest)",
        "```predict\nQ?\n- A.\n  when: largest > one#small\n- B.\n  when: largest < 1\n```",
        RUN,
        "```diagnose\nbreak a\n- a\n- b\n```",
    )
    assert [runs_needed(step) for step in performance.lesson.steps] == [[0], [0, 1], [1, 2]]


# ---- what no longer holds ----

PREDICT = "```predict\nQ?\n- A.\n  when: {}\n- B.\n  when: {}\n  idea: No.\n```\n\n" + RUN
STALE = {  # blocks, line, what is wrong, advice
    "number": (
        f"{RUN}\n\nIt is\n[0.62](result:largest).",
        8,
        "'0.62' stands where '0.61' was measured.",
        "Write [0.61]",
    ),
    "digits": (f"{RUN}\n\n[0.612](result:small).", 7, "'0.612' stands where '0.200' was measured", "Write [0.200]"),
    "place": (f"{RUN}\n\n[0.62](result:nowhere).", 7, "no part 'nowhere'", "Correct the address"),
    "part": (f"{RUN[:-3]}show: grid, nowhere\n```", 3, "'demo small' has no part 'nowhere'", "Its parts are intro"),
    "none": (PREDICT.format("largest > 1", "largest < 0"), 3, "none of the answers is right", "Change the conditions"),
    "two": (PREDICT.format("largest > 0", "largest < 1"), 3, "2 answers are right", "Change the conditions"),
    "idea": (PREDICT.format("largest < 0", "largest > 0"), 5, "'A.' does not say what it reveals", "'idea: …'"),
    "no cell": (PREDICT.format("grid/z/x > 0", "largest < 0"), 6, "no cell 'z/x'", "Correct the address"),
    "no order": (PREDICT.format('rows/a/b/word > "a"', "largest < 0"), 6, "'yes' and 'a' have no order", "= or !="),
    "no verdict": (PREDICT.format("grid holds", "largest < 0"), 6, "'grid' is no statement", "Name a statement"),
    "no break": ("```diagnose\nbreak a\n- mask-zro\n- no-scale\n```", 5, "no break 'mask-zro'", "'attn-lab break'"),
    "no fault": ("```diagnose\nbreak a\n- mask-flip\n- no-scale\n```", 3, "none of the answers", "Change the"),
    "fails": ("```run\nattn-lab demo nowhere\n```", 3, "'demo nowhere' fails: There is no demo", "Write another."),
}


@pytest.mark.parametrize(("blocks", "line", "what", "advice"), STALE.values(), ids=STALE)
def test_what_no_longer_holds_is_found(blocks: str, line: int, what: str, advice: str):
    performance = performed(blocks)
    (error, *_) = verify_lesson(performance.lesson, performance, lambda _: None)
    assert (error.path, error.line) == ("a.md", line)
    assert what in error.problem
    assert advice in error.advice


def test_a_lesson_that_holds_has_no_fault():
    performance = performed(
        RUN, "[0.61](result:largest), [...](result:small), […](result:small)", PREDICT.format("1 > small", "1 < small")
    )
    told: list[str] = []
    assert verify_lesson(performance.lesson, performance, told.append) == []
    assert told == ["demo small", "demo small"]


def test_all_faults_are_found_in_the_order_of_the_lines():
    performance = performed(
        RUN, "[0.1](result:largest)", PREDICT.format("largest > 1", "largest < 0"), "[0.3](result:no)"
    )
    assert [error.line for error in verify_lesson(performance.lesson, performance, lambda _: None)] == [7, 9, 22]


def test_a_command_that_fails_is_told_at_its_line_when_its_result_is_needed():
    performance = performed(RUN, "```run\nattn-lab demo nowhere\n```")
    with pytest.raises(
        BadLesson, match=r"a\.md, line 7: 'demo nowhere' fails: There is no demo 'nowhere'\. Write another\."
    ):
        performance.run_result(1)


@pytest.mark.parametrize("words", [("demo", "scaling", "--help"), ("break", "-h")])
def test_help_is_no_result(words: tuple[str, ...], capsys):
    with pytest.raises(BadInput, match="shows help, and no result"):
        result_of(words)
    assert capsys.readouterr().out == ""


def test_a_command_that_shows_nothing_says_why():
    with pytest.raises(CannotWrite, match="nowhere"):
        result_of(("demo", "scaling", "--html", "/nowhere/page.html"))


def test_only_commands_with_a_result_are_run():
    with pytest.raises(UnknownName, match="no command with a result 'walk'"):
        result_of(("walk", "quick"))


def test_the_samples_are_what_a_break_shows():
    """The synthetic result has the parts that the real page of a break has, under the same names."""
    real = {part.name for part in result_of(("break", "mask-flip", "--size", "5")).parts}
    assert {"diff", "moved", "cost", "next"} <= real
    assert isinstance(RESULT["moved"], Signs)
    assert all(isinstance(sign, Sign) for sign in RESULT["moved"].signs)


def test_performance_takes_any_way_to_run_a_command():
    performance = Performance(performed(RUN).lesson, lambda _: RESULT)
    assert performance.run_result(0) is RESULT
