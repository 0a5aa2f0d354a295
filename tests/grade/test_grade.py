"""A class is graded: each submission a row, none spoiled by another; what the command takes, writes and leaves with."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partialmethod
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from grade.hand_ins import DIES, HANGS, HONEST, OVERFLOWS, PARTS, SEES_AHEAD, SHIFT, SOFTMAX_ONLY, hand_in
from grade.published import GRADESCOPE, PRAIRIELEARN, PRAIRIELEARN_LARGEST, annotation, junit_faults

from attention_lab.check.roles import ROLES
from attention_lab.grade import run
from attention_lab.grade.grade_page import grade_page
from attention_lab.grade.json_form import json_text
from attention_lab.grade.marks import Grades, Row
from attention_lab.grade.submissions import find_submissions
from attention_lab.sandbox import time_budget
from attention_lab.sandbox.parent import Child
from attention_lab.sandbox.records import LEVELS, Limits

SCHEMA = json.loads(files("attention_lab.grade").joinpath("grades.schema.json").read_text("utf-8"))
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs links, pipes and signals")
Run = Callable[..., tuple[int, str, str]]


def graded(folder: Path, *parts: str, seed: int = 3, jobs: int = 2, seconds: float = run.SECONDS) -> Grades:
    return run.grade_class(find_submissions(folder)[0], parts, seed=seed, jobs=jobs, seconds=seconds)


def by_name(grades: Grades) -> dict[str, Row]:
    return {row.name.removesuffix(".py"): row for row in grades.rows}


def verdicts(row: Row) -> list[str]:
    return [mark.verdict for mark in row.marks]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may take a second, and a function that hangs is given up at once."""
    monkeypatch.setattr(time_budget, "LIMITS", Limits(seconds=1))
    monkeypatch.setattr(time_budget, "STRIKES", 1)


# ---- rows ----


def test_points_and_faults_of_a_class(tmp_path: Path):
    grades = graded(hand_in(tmp_path, honest=HONEST, overflows=OVERFLOWS, ahead=SEES_AHEAD, little=SOFTMAX_ONLY))
    rows = by_name(grades)
    assert grades.parts == PARTS
    assert {name: row.points for name, row in rows.items()} == {"honest": 3, "overflows": 2.5, "ahead": 2, "little": 1}
    assert verdicts(rows["overflows"]) == ["edges", "inherited", "right"]
    assert verdicts(rows["little"]) == ["right", "missing", "missing"]
    assert rows["overflows"].marks[0].wrong == ("softmax-no-shift",)
    assert rows["ahead"].marks[2].line == 18
    assert dict(grades.faults)["missing"] == dict(grades.faults)["softmax-no-shift"] == 1
    assert [row.name for row in grades.rows] == sorted(row.name for row in grades.rows)


@pytest.mark.slow
@linux
def test_no_file_spoils_the_others(tmp_path: Path, impatient: None):  # noqa: ARG001
    folder = hand_in(tmp_path / "class", honest=HONEST, empty="", syntax="def softmax(:", hangs=HANGS, dies=DIES)
    (folder / "latin.py").write_bytes(b"# \xe9\n")
    (folder / "large.py").write_bytes(b"#" * 50_000_000)
    (folder / "null.py").write_bytes(b"x = 1\0")
    (folder / "link.py").symlink_to(folder / "honest.py")
    (folder / "loop.py").symlink_to("loop.py")
    os.mkfifo(folder / "pipe.py")
    (folder / "torn.ipynb").write_text("{")
    (folder / "raises.py").write_text("import surely_not_installed\n" + SOFTMAX_ONLY)
    (folder / "asks.py").write_text("input('your name? ')\nprint('x' * 10**6)\n" + HONEST)
    hand_in(folder / "student", main=SOFTMAX_ONLY, more=HONEST.replace("softmax(", "normalised("))
    rows = by_name(graded(folder, *PARTS))
    assert {name for name, row in rows.items() if row.points == 3} == {"honest", "asks", "student"}
    assert verdicts(rows["hangs"]) == verdicts(rows["dies"]) == ["right", "right", "does-not-run"]
    assert rows["raises"].points == 1
    reasons = {
        "empty": "nothing that can be checked",
        "syntax": "Line 1 .* is not valid Python",
        "latin": "utf-8",
        "large": "50,000,000 bytes",
        "null": "null bytes",
        "link": "symbolic link",
        "loop": "symbolic link",
        "pipe": "it is a pipe",
        "torn.ipynb": "it is no notebook",
        "raises": "Line 1 of raises.py raised ModuleNotFoundError",
    }
    for name, reason in reasons.items():
        assert re.search(reason, rows[name].reason), name
        assert "\n" not in rows[name].reason
    unreadable = {name for name, row in rows.items() if row.unreadable}
    assert unreadable == {"syntax", "latin", "large", "null", "link", "loop", "pipe", "torn.ipynb"}


@pytest.mark.slow
def test_a_submission_has_so_much_time_and_what_was_seen_until_then_counts(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(time_budget, "STRIKES", 1000)
    began = time.monotonic()
    folder = hand_in(tmp_path, hangs=HANGS, honest=HONEST, loads="while True: pass\n" + SOFTMAX_ONLY)
    rows = by_name(graded(folder, *PARTS, jobs=3, seconds=12))
    assert time.monotonic() - began < 60
    assert rows["hangs"].reason == "It was ended after 12 s."
    assert verdicts(rows["hangs"])[0] == "right"
    assert rows["loads"].points == 1
    assert rows["honest"].right
    assert rows["honest"].seconds < rows["loads"].seconds < rows["hangs"].seconds  # none waits for another


@pytest.fixture
def copying(tmp_path: Path) -> Path:
    """A class with one who runs the file of another, if it can be found."""
    copies = f"""
import os
for root in ("..", ".", {str(tmp_path)!r}):
    for found, _, names in os.walk(root):
        for name in names:
            if name == "honest.py":
                exec(open(os.path.join(found, name)).read())
"""
    return hand_in(tmp_path, honest=HONEST, copies=copies)


def test_a_submission_sees_no_other(copying: Path):
    rows = by_name(graded(copying, *PARTS))
    assert rows["copies"].points == 0
    assert rows["honest"].right


@linux
def test_without_that_wall_it_would(copying: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Child, "__init__", partialmethod(Child.__init__, _without=("reading",)))
    grades = graded(copying, *PARTS)
    assert by_name(grades)["copies"].points == 3
    assert not next(one.held for one in grades.held if one.name == "reading")


def test_the_grade_says_what_the_check_says(tmp_path: Path, attn_lab: Run):
    unscaled = HONEST.replace(" / np.sqrt(query.shape[-1])", "")
    folder = hand_in(tmp_path, unscaled=unscaled, two=unscaled.replace("-np.inf", "0"))
    rows = by_name(graded(folder, "attention"))
    for name, row in rows.items():
        _, out, _ = attn_lab("check", str(folder / f"{name}.py:attention"), "--json", "--seed", "3")
        (said,) = [one["measured"] for one in json.loads(out)["statements"] if one["name"] == "attention"]
        assert row.marks[0].said.partition(", to ")[0] == said.partition(", to ")[0]
        assert all(fault in said for faults in row.marks[0].faults for fault in faults)
    assert rows["unscaled"].marks[0].wrong == ("no-scale or scale-integer-half",)
    assert rows["two"].marks[0].wrong == ("no-scale", "mask-zero")


def test_the_function_of_the_parts_name_counts(tmp_path: Path):
    better = "\n\n" + SOFTMAX_ONLY.replace("import numpy as np", "").replace("softmax", "softmax_stable")
    worse = better.replace("softmax_stable", "softmax_naive").replace(SHIFT, "x")
    rows = by_name(graded(hand_in(tmp_path, wrong=OVERFLOWS + better, right=HONEST + worse), "softmax"))
    assert (rows["wrong"].points, rows["right"].points) == (0.5, 1)


def test_what_is_still_to_be_written_is_missing_and_said_so(tmp_path: Path):
    stub = "\n\ndef attention(query, key, value, mask=None):\n    raise NotImplementedError\n"
    row = graded(hand_in(tmp_path, half=SOFTMAX_ONLY + stub), *PARTS).rows[0]
    assert verdicts(row) == ["right", "missing", "missing"]
    assert [mark.said for mark in row.marks[1:]] == ["It is still to be written.", "It is missing."]


def test_what_is_wrong_and_no_part_is_told_and_costs_nothing(tmp_path: Path):
    right = f"{SOFTMAX_ONLY}\n\ndef causal_mask{HONEST.partition('def causal_mask')[2]}"
    wrong = right.replace("np.tril", "np.triu")
    folder = hand_in(tmp_path, alice=SOFTMAX_ONLY, bob=SOFTMAX_ONLY, carol=wrong)
    grades = graded(folder)
    assert grades.parts == ("softmax",)
    assert [row.points for row in grades.rows] == [1, 1, 1]
    told = grade_page(grades, "")["beside"].text
    assert re.fullmatch(r"Wrong, but no part here: carol\.py: causal_mask \(.*mask-flip.*\)\.", told)
    found = json.loads(json_text(grades))
    jsonschema.validate(found, SCHEMA)
    assert [[one["function"] for one in row["beside"]] for row in found["submissions"]] == [[], [], ["causal_mask"]]
    assert not any(row.beside for row in graded(folder, "softmax").rows)  # nobody asked for it
    (folder / "carol.py").write_text(right)
    assert not any(part.name == "beside" for part in grade_page(graded(folder), "").parts)


def test_a_file_is_judged_as_a_whole_its_masks_say_one_thing(tmp_path: Path):
    reverse = HONEST.replace("np.where(mask, scores, -np.inf)", "np.where(mask == 1, -np.inf, scores)")
    alone = reverse.partition("\n\n\ndef causal_mask")[0]
    rows = by_name(graded(hand_in(tmp_path, reverse=reverse, alone=alone), *PARTS))
    assert (rows["reverse"].points, rows["alone"].points) == (2, 2)
    assert rows["reverse"].marks[1].faults == (("mask-inverted",),)
    assert rows["alone"].marks[1].verdict == "right"


def test_grades_do_not_depend_on_jobs_and_are_those_of_the_seed(tmp_path: Path):
    folder = hand_in(tmp_path, honest=HONEST, overflows=OVERFLOWS, ahead=SEES_AHEAD)
    one, three = (graded(folder, seed=11, jobs=jobs) for jobs in (1, 3))
    kept = [[(mark.part, mark.verdict, mark.faults, mark.said) for mark in row.marks] for row in one.rows]
    assert kept == [[(mark.part, mark.verdict, mark.faults, mark.said) for mark in row.marks] for row in three.rows]
    assert one.seed == 11


def test_the_seed_is_another_one_each_time(tmp_path: Path):
    folder = hand_in(tmp_path, empty="")
    seeds = {run.grade_class(find_submissions(folder)[0]).seed for _ in range(3)}
    assert len(seeds) == 3


def test_progress_counts_to_the_end(tmp_path: Path):
    heard: list[str] = []
    run.grade_class(find_submissions(hand_in(tmp_path, a="", b=""))[0], progress=heard.append)
    assert heard == ["1 of 2 submissions checked", "2 of 2 submissions checked"]


# ---- the command ----


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of two, one all right."""
    return hand_in(tmp_path_factory.mktemp("pair"), honest=HONEST, overflows=OVERFLOWS)


def test_exit_code_0_if_all_is_right(attn_lab: Run, tmp_path: Path):
    code, out, err = attn_lab("grade", str(hand_in(tmp_path, honest=HONEST)), "--plain", "--seed", "5")
    assert (code, err) == (0, "")
    assert "1 submission, 3 parts: all right" in out
    assert "--seed 5" in out


def test_exit_code_1_and_the_table_if_something_is_wrong(attn_lab: Run, pair: Path):
    code, out, err = attn_lab("grade", str(pair), "--plain")
    assert code == 1
    assert "attn-lab explain softmax-no-shift" in out
    assert "1 submission not all right" in err


@pytest.mark.parametrize(
    "words",
    [
        ("--parts", "softmax,attenton"),
        ("--parts", " , "),
        ("--jobs", "0"),
        ("--seed", "-1"),
        ("--format", "xml"),
        ("--format", "csv", "--json"),
        ("--format", "csv", "--html", "x.html"),
        ("--output", "x.txt", "--html", "x.html"),
        ("--format", "gradescope"),
        ("--require-sandbox", "all"),
    ],
)
def test_exit_code_2_before_anything_is_run(attn_lab: Run, pair: Path, words: tuple[str, ...], monkeypatch):
    monkeypatch.setattr(run.Marker, "__call__", lambda *_: pytest.fail("a submission was run"))
    code, _, _ = attn_lab("grade", str(pair), *words)
    assert code == 2


@pytest.mark.parametrize("part", ["attenton", "zzz"])
def test_of_a_part_that_does_not_exist_all_that_do_are_named(attn_lab: Run, pair: Path, part: str):
    _, _, err = attn_lab("grade", str(pair), "--parts", part)
    assert f"There is no part '{part}'." in err
    assert all(role.name in err for role in ROLES)


def test_exit_code_2_if_there_is_nothing(attn_lab: Run, tmp_path: Path):
    assert attn_lab("grade", str(tmp_path))[0] == 2
    assert attn_lab("grade", str(tmp_path / "none"))[0] == 2


def test_exit_code_3_if_the_grader_fails_and_the_others_are_graded(attn_lab: Run, pair: Path, monkeypatch):
    def survey(child, seed, asked, benches):
        if child.file.name == "overflows.py":
            raise ZeroDivisionError("a bug of ours")
        return healthy(child, seed, asked, benches)

    healthy = run.survey
    monkeypatch.setattr(run, "survey", survey)
    code, out, err = attn_lab("grade", str(pair), "--format", "csv", "--parts", "softmax")
    assert code == 3
    assert "overflows.py" in err
    assert [row[:2] for row in csv.reader(out.splitlines())][1:] == [["honest.py", "1"], ["overflows.py", ""]]
    assert "a bug of ours" in out


def test_exit_code_3_if_the_machine_does_not_protect_as_much_and_nothing_is_run(attn_lab: Run, pair: Path, monkeypatch):
    monkeypatch.setitem(LEVELS, "sealed", ("a moat",))
    monkeypatch.setattr(run.Marker, "__call__", lambda *_: pytest.fail("a submission was run"))
    code, out, err = attn_lab("grade", str(pair), "--require-sandbox", "sealed")
    assert (code, out) == (3, "")
    assert "a moat" in err


def test_require_sandbox_lets_through_what_is_met(attn_lab: Run, tmp_path: Path):
    words = ("--require-sandbox", "process") if sys.platform == "linux" else ()
    assert attn_lab("grade", str(hand_in(tmp_path, honest=HONEST)), *words)[0] == 0


@pytest.mark.slow
def test_formats_on_standard_output_and_in_a_file(attn_lab: Run, pair: Path, tmp_path: Path):
    texts = {}
    for form in ("csv", "json", "junit", "github"):
        code, out, _ = attn_lab("grade", str(pair), "--format", form, "--seed", "2")
        assert code == 1
        code, nothing, _ = attn_lab(
            "grade", str(pair), "--format", form, "--seed", "2", "--output", str(tmp_path / form)
        )
        assert (code, nothing) == (1, "")
        texts[form] = (tmp_path / form).read_bytes().decode()
        if form != "junit":  # which says how long it took
            assert texts[form].splitlines() == out.splitlines()
    assert junit_faults(texts["junit"]) == []
    assert [annotation(line)[0] for line in texts["github"].splitlines()] == ["warning", "notice"]
    assert texts["csv"].count("\r\n") == texts["csv"].count("\n") == 3
    assert [row["points"] for row in json.loads(texts["json"])["submissions"]] == [3, 2.5]


def test_one_submission_for_gradescope_and_prairielearn(attn_lab: Run, tmp_path: Path):
    folder = hand_in(tmp_path / "submission", main=SOFTMAX_ONLY, more=HONEST.replace("softmax(", "normalised("))
    file = tmp_path / "results.json"
    words = ("grade", str(folder), "--parts", "softmax, attention, multi_head", "--output", str(file))
    for form, schema, score in (("gradescope", GRADESCOPE, 2), ("prairielearn", PRAIRIELEARN, 2 / 3)):
        assert attn_lab(*words, "--format", form)[0] == 1
        found = json.loads(file.read_text())
        jsonschema.validate(found, schema)
        assert found["score"] == score
        assert [test["name"] for test in found["tests"]] == ["softmax", "attention", "multi_head"]


def test_of_a_submission_with_hundreds_of_bad_files_the_results_stay_small(attn_lab: Run, tmp_path: Path):
    names = (f"{number:03}" + "é" * 100 for number in range(300))
    folder = hand_in(tmp_path / "submission", ok=SOFTMAX_ONLY, **dict.fromkeys(names, "\0"))
    code, out, _ = attn_lab("grade", str(folder), "--parts", "softmax,attention", "--format", "prairielearn")
    found = json.loads(out)
    assert code == 1
    assert found["score"] == 0.5
    assert found["message"].count("it holds null bytes") == 3
    assert re.search(r"There is more to say of 003é+…,? 004é+…,? 005é+… and 294 more\.", found["message"])
    assert len(out) < PRAIRIELEARN_LARGEST / 10


def test_every_file_that_could_not_be_read_is_named(attn_lab: Run, tmp_path: Path):
    bad = {"a": "x = (", "b": "import surely_not_installed", "c": "x = 1\0", "d": "1 / 0"}
    folder = hand_in(tmp_path / "submission", ok=SOFTMAX_ONLY, **bad)
    _, out, _ = attn_lab("grade", str(folder), "--parts", "softmax,attention", "--format", "gradescope")
    said = json.loads(out)["output"]
    assert [f"{name}.py" in said for name in bad] == [True] * 4
    assert "There is more to say of d.py." in said


def test_a_file_for_each_submission_in_a_folder(attn_lab: Run, pair: Path, tmp_path: Path):
    out = tmp_path / "out"
    words = ("grade", str(pair), "--parts", "softmax", "--format", "gradescope", "--output", f"{out}/")
    assert attn_lab(*words)[0] == 1
    scores = {file.name: json.loads(file.read_text())["score"] for file in out.iterdir()}
    assert scores == {"honest.py.json": 1, "overflows.py.json": 0.5}


def test_what_cannot_be_written_is_said_before_the_work(attn_lab: Run, pair: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(run.Marker, "__call__", lambda *_: pytest.fail("a submission was run"))
    code, _, err = attn_lab("grade", str(pair), "--output", str(tmp_path / "none" / "grades.txt"))
    assert code == 1
    assert "there is no folder" in err


@linux
def test_nothing_that_a_submission_says_acts(attn_lab: Run, tmp_path: Path):
    evil = "raise RuntimeError('\\x1b]0;owned\\x07\\n::error::owned')\n" + SOFTMAX_ONLY
    hand_in(tmp_path, **{"\x1b[2J=1": evil, "honest": HONEST})
    for form in ("table", "csv", "json", "junit", "github"):
        _, out, err = attn_lab("grade", str(tmp_path), "--format", form)
        assert not set(out + err) & {"\x1b", "\x07"}
        assert "\n::error::owned" not in out


@pytest.mark.slow
@linux
def test_ctrl_c_ends_all_processes_soon(tmp_path: Path):
    hand_in(tmp_path, **{f"hangs{number}": HANGS for number in range(4)})
    words = [sys.executable, "-m", "attention_lab", "grade", str(tmp_path), "--jobs", "2"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(400):
        below = [line.split() for line in (task.read_text() for task in children.parent.parent.glob("*/children"))]
        if any(below):
            break
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert time.monotonic() - began < 10
    assert not [pid for pids in below for pid in pids if Path("/proc", pid).exists()]
