"""A quiz: what is drawn can be answered, in one way; and what the command asks, tells and counts."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from fixtures import Run

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.commands.results import result_of
from attention_lab.lesson.answers import Answers, single_vote
from attention_lab.lesson.lesson import BadLesson, Diagnose, Lesson
from attention_lab.lesson.library import shipped_lessons
from attention_lab.lesson.perform import NOTHING, Performance, break_signature
from attention_lab.lesson.read import parse_lesson, read_lesson
from attention_lab.lesson.verify import verify_lesson
from attention_lab.quiz import draw as quiz
from attention_lab.quiz.score import lesson_command, quiz_score
from attention_lab.result import Note, Result, Sign, Signs
from attention_lab.show.walkjson import SCHEMA

BY_NAME = {one.name: one for one in BREAKS}
SEEDS = range(25)


def page(words: tuple[str, ...]) -> Result:
    """The vital signs that a break moves, as its record declares; that they do is what the doctor measures."""
    ways = break_signature(words[1])
    signs = tuple(Sign(name, "", "", 0, 0, 0, 0, way) for name, way in sorted(ways))
    return Result((Note("cost", "."), *([Signs("moved", "", signs)] if signs else [])))


def questions(lesson: Lesson) -> Iterator[Diagnose]:
    yield from (question for question in lesson.questions if isinstance(question, Diagnose))


def names(question: Diagnose) -> list[str]:
    return [choice.text for choice in question.choices]


@pytest.fixture(scope="module")
def drawn() -> dict[tuple[int, int], Lesson]:
    """Long quizzes of every level, by level and seed."""
    return {(level, seed): quiz.draw(level, quiz.MOST, seed) for level in quiz.LEVELS for seed in SEEDS}


# ---- what is drawn ----


@pytest.mark.slow
def test_every_question_has_one_right_answer_and_tells_what_is_wrong_with_the_others(drawn):
    for lesson in drawn.values():
        assert len(lesson.questions) == quiz.MOST
        performance = Performance(lesson, page)
        for question in questions(lesson):
            one = BY_NAME[question.run.words[1]]
            right = performance.right_choice(question)
            assert right.text == (NOTHING if one.harmless else one.name)
            assert [choice for choice in question.choices if not choice.idea] == [right]


def test_no_two_choices_look_or_compute_the_same(drawn):
    for lesson in drawn.values():
        for question in questions(lesson):
            assert len({break_signature(name) for name in names(question)}) == len(question.choices)
            for name in set(names(question)) - {NOTHING}:
                assert break_signature(name)
                assert not set(BY_NAME[name].same_as) & set(names(question))


def test_a_quiz_asks_for_each_look_once(drawn):
    for lesson in drawn.values():
        faults = [BY_NAME[question.run.words[1]] for question in questions(lesson)]
        looks = [break_signature(one.name) for one in faults if not one.harmless]
        assert len(set(looks)) == len(looks)
        assert len({one.name for one in faults}) == len(faults)


def test_the_levels_are_what_they_say(drawn):
    for (level, _), lesson in drawn.items():
        for question in questions(lesson):
            chosen = [BY_NAME[name] for name in names(question) if name != NOTHING]
            parts = {one.part for one in chosen}
            if level == 1:
                assert (len(chosen), len(parts)) == (4, 4)
                signs = [sign for one in chosen for sign in quiz.signs(one)]
                assert len(set(signs)) == len(signs)
            elif level == 2:
                assert (len(chosen), len(parts)) == (4, 1)
            else:
                assert names(question)[-1] == NOTHING
                assert len(question.choices) == 6  # also where nothing is broken: their number tells nothing


def test_at_level_3_something_is_broken_in_most_questions_but_not_in_all(drawn):
    runs = [question.run.words[1] for (level, _), one in drawn.items() if level == 3 for question in questions(one)]
    assert 0.1 < sum(BY_NAME[name].harmless for name in runs) / len(runs) < 0.3


def test_neighbours_share_more_symptoms_than_others_do():
    def shared(choose: quiz.Distractors, one: Break) -> float:
        faults = [fault for fault in BREAKS if not fault.harmless]
        others = choose(one, faults)[:4]
        return sum(len(break_signature(one.name) & break_signature(other.name)) for other in others)

    many = [one for one in BREAKS if len(break_signature(one.name)) > 3]
    assert all(shared(quiz.nearest_faults, one) >= shared(quiz.distinct, one) for one in many)
    assert all(shared(quiz.unrelated_faults, one) == 0 for one in many)


@pytest.mark.parametrize("level", quiz.LEVELS)
def test_every_break_is_a_candidate_and_harmless_ones_at_the_last_level_only(level: int):
    for share in (0.0, 1.0):  # whether the question is one in which nothing is broken
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(quiz, "HARMLESS", share)
            asked = quiz.candidates(level, ("any",))
        harmless = [entry for entry in asked if entry.harmless]
        assert len(asked) == len(set(asked))
        assert {entry for entry in BREAKS if not entry.harmless} == set(asked) - set(harmless)
        assert bool(harmless) == (level == max(quiz.LEVELS) and share == 1.0)
        assert asked[: len(harmless)] == harmless


def test_every_break_has_distractors_at_some_level():
    alone = [one.name for one in BREAKS if not any(quiz.distractors(one, level, ("any",)) for level in quiz.LEVELS)]
    assert alone == []


def test_the_right_answer_has_no_place_of_its_own(drawn):
    for level, places in ((1, 4), (2, 4), (3, 5)):
        lessons = [lesson for (one, _), lesson in drawn.items() if one == level]
        found = [
            names(q).index(q.run.words[1]) for one in lessons for q in questions(one) if q.run.words[1] in names(q)
        ]
        share = np.bincount(found, minlength=places) / len(found)
        assert share.min() > 0.6 / places
        assert share.max() < 1.4 / places


def test_the_same_seed_is_the_same_quiz_and_a_short_one_begins_a_long_one():
    assert quiz.draw(2, 5, 7) == quiz.draw(2, 5, 7)
    assert quiz.draw(2, 3, 7).questions == quiz.draw(2, 5, 7).questions[:3]
    assert quiz.draw(2, 5, 7).digest != quiz.draw(2, 5, 8).digest


def test_a_drawing_that_is_wrong_is_caught():
    lesson = quiz.draw(1, 1, 0)
    (question,) = questions(lesson)
    twins = replace(question.choices[0], text="no-scale"), replace(question.choices[0], text="scale-multiplied")
    run = replace(question.run, words=("break", "no-scale"))
    others = tuple(choice for choice in question.choices if break_signature(choice.text) != break_signature("no-scale"))
    for choices, what in ((twins, "2 answers are right"), (others, "none of the answers is right")):
        wrong = replace(question, run=run, choices=choices)
        step = replace(lesson.steps[0], blocks=(wrong,))
        performance = Performance(replace(lesson, steps=(step,)), page)
        with pytest.raises(BadLesson, match=what):
            performance.right_choice(wrong)


@pytest.mark.parametrize("level", quiz.LEVELS)
def test_what_is_measured_agrees(level: int):
    lesson = quiz.draw(level, 3, 11)
    assert not verify_lesson(lesson, Performance(lesson, result_of), lambda _: None)


def test_what_tells_two_faults_apart():
    flip = BY_NAME["mask-flip"]
    assert quiz.difference(flip, flip) == ""
    said = quiz.difference(flip, BY_NAME["no-scale"])
    assert said == "With no-scale, sharpness (Scores are q · k / √d_k: sharpness 1) would rise; here it stays."
    assert quiz.difference(flip, None).startswith("Where nothing is broken, future-mass (")
    assert quiz.difference(flip, None).endswith("would stay; here it rises.")


# ---- marks ----


def marks(lesson: Lesson, given: dict[int, str], hints: dict[int, int], seen: int) -> dict[str, str]:
    answers = Answers()
    for number, name in given.items():
        question = lesson.questions[number]
        answers.give(number, single_vote(question, [choice.text for choice in question.choices].index(name)))
    result = quiz_score(Performance(lesson, page), answers, hints, seen, [])
    return {part.name: part.text for part in result.parts if isinstance(part, Note)}


def test_points_hints_and_what_to_study():
    lesson = quiz.draw(1, 4, 0)
    rights = [question.run.words[1] for question in questions(lesson)]
    wrong = next(name for name in names(lesson.questions[2]) if name != rights[2])
    told = marks(lesson, {0: rights[0], 1: rights[1], 2: wrong}, {1: 2, 2: 1}, 3)
    assert told["score"] == "1.5 of 3 points: 2 right, 1 of them after a hint, for 0.5 points each. Not asked: 1."
    assert set(told) == {"score", "study-3", "again"}
    missed = BY_NAME[rights[2]]
    assert told["study-3"] == (
        f"Question 3 was {missed.name}; you chose: {wrong}. Study:\n'attn-lab explain {missed.name}'\n"
        f"'attn-lab demo {missed.demo} --break {missed.name}'"
    )
    assert told["again"] == "The same questions again: 'attn-lab quiz --level 1 --questions 4 --seed 0'."
    assert "study-4" in marks(lesson, {}, {}, 4)
    assert marks(lesson, dict(enumerate(rights)), {}, 4)["study"].startswith("You missed nothing.")


def test_a_fault_is_studied_in_the_lesson_that_shows_it():
    lesson = parse_lesson("# L\n\n## A\n\n```run\ndemo causal\n```\n\n## B\n\n```run\nbreak mask-flip\n```\n", "l.md")
    assert lesson_command(BY_NAME["mask-flip"], [lesson]) == "attn-lab walk l --from 2"
    assert lesson_command(replace(BY_NAME["no-scale"], demo="causal"), [lesson]) == "attn-lab walk l --from 1"
    assert lesson_command(BY_NAME["no-scale"], [lesson]) == ""
    assert lesson_command(BY_NAME["no-scale"], [replace(lesson, name="d0")]) == "attn-lab walk d0"


def test_every_break_is_taught_in_some_lesson():
    lessons = [read_lesson(file) for file in shipped_lessons().values()]
    assert [one.name for one in BREAKS if not lesson_command(one, lessons)] == []


# ---- the command ----


def right_letter(lesson: Lesson, number: int) -> str:
    question = lesson.questions[number]
    return "abcdef"[question.choices.index(Performance(lesson, page).right_choice(question))]


def test_the_questions_do_not_tell_the_answers(attn_lab: Run):
    for level in quiz.LEVELS:
        _, out, _ = attn_lab("quiz", "--level", str(level), "--questions", "2", "--seed", "5", "--plain", typed="")
        first = quiz.draw(level, 2, 5).questions[0].run.words[1]
        assert out.count(first) == (0 if BY_NAME[first].harmless else 1)  # among the choices
        assert "attn-lab break" not in out


def test_answers_a_hint_and_the_score_by_lines_of_a_pipe(attn_lab: Run):
    lesson = quiz.draw(1, 2, 4)
    one, other = (right_letter(lesson, number) for number in (0, 1))
    wrong = "a" if other != "a" else "b"
    lines = f"h\n{one}\n\n{wrong}\n\n"
    code, out, err = attn_lab("quiz", "--questions", "2", "--seed", "4", "--plain", typed=lines)
    assert (code, err) == (0, "")
    hints = BY_NAME[lesson.questions[0].run.words[1]].hints
    assert f"Hint 1 of 3: {hints[0]}" in out
    assert hints[1] not in out
    assert f"Right: {one})" in out
    assert f"Not {wrong})" in out
    assert "0.5 of 2 points: 1 right, 1 of them after a hint" in out
    assert f"attn-lab explain {lesson.questions[1].run.words[1]}" in out
    assert "attn-lab walk " in out
    assert "What it costs" in out


def test_hints_end_and_none_is_given_after_the_answer(attn_lab: Run):
    _, out, _ = attn_lab("quiz", "--questions", "1", "--seed", "4", "--plain", typed="h\nh\nh\nh\na\nh\n")
    assert re.findall(r"Hint (\d)", out) == ["1", "2", "3"]
    assert "There are no more hints." in out
    assert "No such key" in out


def test_back_from_a_hint_are_the_symptoms(attn_lab: Run):
    _, out, _ = attn_lab("quiz", "--questions", "1", "--seed", "4", "--plain", typed="h\nback\n")
    assert out.count("Vital signs that moved") == 2


def test_quitting_tells_the_score_so_far(attn_lab: Run):
    lesson = quiz.draw(1, 3, 4)
    typed = f"{right_letter(lesson, 0)}\nq\n"
    _, out, _ = attn_lab("quiz", "--questions", "3", "--seed", "4", "--plain", typed=typed)
    assert "1 of 1 point: 1 right. Not asked: 2." in out
    assert "points" not in attn_lab("quiz", "--seed", "4", "--plain", typed="q\n")[1].partition("?: help")[2]


def test_without_a_seed_each_quiz_is_another_and_says_how_to_have_it_again(attn_lab: Run):
    seen = [attn_lab("quiz", "--questions", "1", "--plain", typed="")[1] for _ in range(3)]
    commands = {re.search(r"again: (attn-lab quiz .*)", out)[1] for out in seen}
    assert len(commands) > 1
    assert attn_lab(*commands.pop().split()[1:], "--plain", typed="")[1] in seen


@pytest.mark.parametrize("view", [(), ("--plain",)])
def test_a_page_to_hand_out_has_all_answers_at_its_end(attn_lab: Run, monkeypatch: pytest.MonkeyPatch, view):
    monkeypatch.setenv("COLUMNS", "40")
    words = ("quiz", "--level", "3", "--questions", "3", "--seed", "2", "--no-pause", *view)
    code, out, err = attn_lab(*words)
    assert (code, err) == (0, "")
    asked, answers = out.split("\nAnswers\n")
    lesson = quiz.draw(3, 3, 2)
    for number in range(3):
        assert f"Question {number + 1} of 3" in asked
        assert f"Answer: {right_letter(lesson, number)})" in answers
    assert "What was changed" not in asked
    assert "Answer:" not in asked
    assert view or max(map(len, out.splitlines())) <= 40
    assert attn_lab(*words)[1] == out


def test_as_json(attn_lab: Run):
    code, out, err = attn_lab("quiz", "--level", "2", "--questions", "2", "--seed", "3", "--json")
    assert (code, err) == (0, "")
    body = json.loads(out)
    jsonschema.validate(body, SCHEMA)
    assert body["lesson"]["path"] == "attn-lab quiz --level 2 --questions 2 --seed 3"
    asked = [block for step in body["steps"] for block in step["blocks"] if block["kind"] == "diagnose"]
    assert [sum(choice["right"] for choice in block["choices"]) for block in asked] == [1, 1]


def test_a_class_can_be_recorded(attn_lab: Run, tmp_path: Path):
    file = tmp_path / "class.csv"
    for answer in ("a", "b"):
        attn_lab("quiz", "--questions", "1", "--seed", "4", "--record", str(file), typed=f"{answer}\n")
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert [row["lesson"] for row in rows] == ["quiz-1-4", "quiz-1-4"]
    assert [row["choice"] for row in rows] == names(quiz.draw(1, 1, 4).questions[0])[:2]
    assert attn_lab("walk", "--record", str(file))[0] == 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--questions", "0"), "--questions is 0. It must be at least 1 and at most 20."),
        (("--questions", "21"), "--questions is 21."),
        (("--level", "4"), "--level is 4. It must be 1, 2 or 3."),
        (("--seed", "-1"), "--seed is -1. It must be at least 0."),
        (("--record", "a.csv", "--no-pause"), "--record does not go with --no-pause."),
        (("--record", "a.csv", "--json"), "--record does not go with --json."),
        (("mask-flip",), "Unrecognized arguments: mask-flip."),
    ],
)
def test_nonsense_gets_one_sentence(attn_lab: Run, words: tuple[str, ...], what: str):
    code, out, err = attn_lab("quiz", *words)
    assert code == 2
    assert what in " ".join((out + err).split())
