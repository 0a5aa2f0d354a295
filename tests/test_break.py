"""`attn-lab break`, `explain` and `new` from outside: pages, own edits, files, and every kind of nonsense."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from attention_lab.breaks import BREAKS
from attention_lab.show.jsonview import SCHEMA
from attention_lab.variants import model_source
from attention_lab.vitals import VITALS

Run = Callable[..., tuple[int, str, str]]
SCALE = "scores = scores / query.shape[-1] ** 0.5"


def page(attn_lab: Run, *words: str) -> dict:
    code, out, err = attn_lab("break", *words, "--json")
    assert (code, err) == (0, ""), err
    result = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA).validate(result)
    return result


# ---- pages ----


@pytest.mark.sample(12)
@pytest.mark.parametrize("one", BREAKS, ids=lambda one: one.name)
def test_every_break_has_a_page(attn_lab: Run, one):
    result = page(attn_lab, one.name)
    assert {line["sign"] for line in result["diff"]} >= {"-", "+"} or {line["sign"] for line in result["diff"]} >= {"+"}
    moved = {sign["name"] for sign in result["vitals"] if sign["moved"]}
    assert moved == {*one.up, *one.down, *one.lost}
    assert one.consequence in result["notes"][-2]["text"] or one.consequence in result["notes"][-1]["text"]
    assert result["command"] == f"attn-lab break {one.name}"


def test_the_diff_is_the_code_that_ran(attn_lab: Run):
    result = page(attn_lab, "mask-zero")
    lines = model_source().splitlines()
    for line in result["diff"]:
        assert (lines[line["number"] - 1] == line["text"]) == (line["sign"] != "+")


def test_what_one_would_expect_to_move_and_did_not_is_told(attn_lab: Run):
    _, out, _ = attn_lab("break", "no-scale")
    assert "Still healthy: a test that checks only these passes" in out
    assert "row-sums" in out.split("Still healthy")[1]


def test_the_parts_stand_in_the_order_of_the_page(attn_lab: Run):
    order = page(attn_lab, "mask-zero")["order"]
    assert order[0] == "diff"
    assert order[-4:] == ["moved", "still", "cost", "next"]


def test_faults_come_in_pairs(attn_lab: Run):
    result = page(attn_lab, "no-scale", "mask-zero")
    moved = {sign["name"] for sign in result["vitals"] if sign["moved"]}
    assert {"sharpness", "future-mass"} <= moved
    assert len([line for line in result["diff"] if line["sign"] == "+"]) == 2


def test_a_demo_runs_on_a_pair(attn_lab: Run):
    code, out, _ = attn_lab("demo", "causal", "--break", "mask-flip", "--break", "no-scale", "--json")
    assert code == 0
    assert json.loads(out)["command"] == "attn-lab demo causal --break mask-flip --break no-scale"
    assert not all(statement["holds"] for statement in json.loads(out)["statements"])


def test_a_harmless_change_says_so(attn_lab: Run):
    harmless = next(one for one in BREAKS if one.harmless)
    result = page(attn_lab, harmless.name)
    assert not [sign for sign in result["vitals"] if sign["moved"]]


@pytest.mark.parametrize(
    ("name", "sizes"), [("scale-by-d-model", ("--heads", "1")), ("scale-by-length", ("--size", "6", "--d-k", "6"))]
)
def test_sizes_that_hide_a_fault_say_that_they_do(attn_lab: Run, name: str, sizes: tuple[str, ...]):
    usual = page(attn_lab, name)
    assert not [note for note in usual["notes"] if note["name"] == "hidden"]
    small = page(attn_lab, name, *sizes)
    moved_usually = {sign["name"] for sign in usual["vitals"] if sign["moved"]}
    moved_here = {sign["name"] for sign in small["vitals"] if sign["moved"]}
    assert moved_here < moved_usually
    if not moved_here:
        (hidden,) = [note["text"] for note in small["notes"] if note["name"] == "hidden"]
        assert "these sizes hide the fault" in hidden


def test_own_words_label_the_matrices(attn_lab: Run):
    result = page(attn_lab, "mask-zero", "--text", "we like quiet cats")
    assert result["matrices"][0]["columns"] == ["we", "like", "quiet", "cats"]


def test_same_seed_same_page(attn_lab: Run):
    assert page(attn_lab, "mask-flip", "--seed", "4") == page(attn_lab, "mask-flip", "--seed", "4")
    assert page(attn_lab, "mask-flip", "--seed", "4")["matrices"] != page(attn_lab, "mask-flip")["matrices"]


# ---- own edits ----


def test_an_edit_is_examined_like_a_break(attn_lab: Run):
    ours, theirs = page(attn_lab, "--edit", f"{SCALE}  # scale", "pass  # no scale"), page(attn_lab, "no-scale")
    assert ours["diff"] == theirs["diff"]
    assert [s for s in ours["vitals"] if s["moved"]] == [s for s in theirs["vitals"] if s["moved"]]


def test_the_command_of_a_page_gives_it_again(attn_lab: Run):
    first = page(attn_lab, "--edit", SCALE, "scores = scores * 2", "--size", "5")
    assert page(attn_lab, *shlex.split(first["command"])[2:]) == first


@pytest.mark.parametrize(
    ("edit", "code", "what"),
    [
        (("nowhere", ""), 2, "No line of the model holds 'nowhere'."),
        (("scores", ""), 2, "'scores' stands in "),
        (("", "x"), 2, "No line of the model holds ''."),
        ((SCALE, SCALE), 2, "The edit changes nothing"),
        ((SCALE, "exit()"), 1, "SystemExit"),
        ((SCALE, "scores = = 1"), 1, "is not valid Python: invalid syntax."),
        ((SCALE, "scores = nowhere"), 1, "NameError: name 'nowhere' is not defined (line "),
        ((SCALE, "scores = scores[0, 0]"), 1, "vital signs could not be taken: "),
    ],
)
def test_an_edit_that_cannot_work_says_why(attn_lab: Run, edit: tuple[str, str], code: int, what: str):
    left, _, err = attn_lab("break", "--edit", *edit)
    assert left == code
    assert err.startswith("error: ")
    assert what in " ".join(err.split())


def test_an_edit_that_raises_still_shows_what_could_be_taken(attn_lab: Run):
    code, out, err = attn_lab("break", "--edit", "variance = (centred**2)", "variance = (centred**nowhere)")
    assert code == 1
    assert "norm-deviation" in out
    assert "cannot be taken" not in err
    assert "vital signs could not be taken: NameError" in err
    code, out, err = attn_lab("break", "--edit", "variance = (centred**2)", "variance = (centred**nowhere)", "--json")
    assert code == 1
    assert [sign for sign in json.loads(out)["vitals"] if "NameError" in sign["reason"]]
    assert err.startswith("error: ")


@pytest.mark.slow
def test_an_edit_that_does_not_end_is_stopped(attn_lab: Run):
    code, out, err = attn_lab("break", "--edit", SCALE, "while True: pass")
    assert code == 1
    assert "did not end within 1 s (line " in " ".join(err.split())
    assert "What was changed" in out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("break", "mask-zer"), "There is no break 'mask-zer'. Did you mean mask-zero"),
        (("break", "mask-zero", "mask-zero"), "The break 'mask-zero' is named twice."),
        (("break", "mask-zero", "--matrix"), "--matrix and --verify are of the whole catalogue."),
        (("break", "no-scale", "--size", "1"), "--size is 1. It must be at least 2 and at most 64."),
        (("break", "no-scale", "--size", "1000"), "--size is 1000. It must be at least 2 and at most 64."),
        (("break", "no-scale", "--d-k", "0"), "--d-k is 0. It must be at least 2 and at most 256."),
        (("break", "no-scale", "--d-k", "99999999"), "--d-k is 99999999. It must be at least 2 and at most 256."),
        (("break", "no-scale", "--heads", "0"), "--heads is 0. It must be at least 1 and at most 16."),
        (("break", "no-scale", "--text", "word"), "--text 'word' has 1 word."),
        (("break", "--edit", "one"), "expected 2 arguments"),
        (("break", "--with", "nowhere.py"), "Cannot read nowhere.py"),
        (("explain", "nothing"), "There is no break, vital sign or demo 'nothing'."),
        (("explain",), "the following arguments are required: NAME"),
        (("demo", "causal", "--break", "nothing"), "There is no break 'nothing'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_nonsense_gets_one_sentence_and_exit_code_2(attn_lab: Run, words: tuple[str, ...], what: str):
    code, out, err = attn_lab(*words)
    assert (code, out) == (2, "")
    assert what.lower() in " ".join(err.split()).lower()
    code, out, _ = attn_lab(*words, "--json")
    assert code == 2
    assert json.loads(out)["schema"] == "attention-lab/error/1"


# ---- the catalogue ----


def test_the_list_names_every_break_by_part(attn_lab: Run):
    _, out, _ = attn_lab("break", "--plain")
    for one in BREAKS:
        assert one.name in out


@pytest.mark.slow
def test_the_matrix_tells_what_catches_what(attn_lab: Run):
    code, out, _ = attn_lab("break", "--matrix", "--json")
    result = json.loads(out)
    assert code == 0
    (checks,) = result["tables"]
    caught = {row[0]: row[2:] for row in checks["rows"]}
    faults = [one for one in BREAKS if not one.harmless]
    for vital in VITALS:
        sees = sum(vital.name in (*one.up, *one.down, *one.lost) for one in faults)
        assert caught[vital.name] == [sees, len(faults) - sees]


@pytest.mark.parametrize("name", ["mask-zero", "row-sums", "causal"])
def test_explain_tells_from_the_record(attn_lab: Run, name: str):
    code, out, _ = attn_lab("explain", name, "--plain")
    assert code == 0
    assert name in out
    if name == "row-sums":
        assert "moved by" in out


# ---- files to work on ----


def test_a_solved_file_is_the_model_and_healthy(attn_lab: Run, tmp_path: Path):
    file = tmp_path / "model.py"
    assert attn_lab("new", str(file), "--solved")[0] == 0
    assert file.read_text(encoding="utf-8") == model_source()
    code, out, _ = attn_lab("break", "--with", str(file))
    assert code == 0
    assert "nothing is broken" in out


def test_a_skeleton_has_signatures_and_shapes_and_no_bodies(attn_lab: Run, tmp_path: Path):
    file = tmp_path / "skeleton.py"
    attn_lab("new", str(file))
    text = file.read_text(encoding="utf-8")
    signatures = [line for line in model_source().splitlines() if line.startswith("def ")]
    assert [line for line in text.splitlines() if line.startswith("def ")] == signatures
    assert text.count("    ...\n") == len(signatures)
    assert "np." not in text
    code, _, err = attn_lab("break", "--with", str(file))
    assert code == 2
    assert "still to be written" in err
    file.write_text(text.replace("every row sums to 1\n    ...", "sums to 1\n    return np.ones_like(logits)"), "utf-8")
    code, out, _ = attn_lab("break", "--with", str(file), "--json")
    assert code == 0
    assert "row-sums" in {sign["name"] for sign in json.loads(out)["vitals"] if sign["moved"]}


def test_a_broken_file_is_the_break(attn_lab: Run, tmp_path: Path):
    file = tmp_path / "broken.py"
    attn_lab("new", str(file), "--broken", "mask-flip")
    code, out, _ = attn_lab("demo", "causal", "--with", str(file), "--json")
    assert code == 0
    ours = json.loads(out)["statements"]
    _, out, _ = attn_lab("demo", "causal", "--break", "mask-flip", "--json")
    assert ours == json.loads(out)["statements"]


@pytest.mark.parametrize("faults", [1, 2, 3])
def test_a_mystery_is_fixed_by_its_seed_and_gives_nothing_away(attn_lab: Run, tmp_path: Path, faults: int):
    files = [tmp_path / f"{i}.py" for i in range(3)]
    for file, seed in zip(files, (42, 42, 37), strict=True):
        assert attn_lab("new", str(file), "--mystery", str(seed), "--faults", str(faults))[0] == 0
    one, again, other = (file.read_text(encoding="utf-8") for file in files)
    assert one == again
    assert one != other
    for name in (name for entry in BREAKS for name in (entry.name, *entry.hints)):
        assert name not in one
    bodies = [line for line in one.splitlines() if line.startswith(" ")]
    assert not [line for line in bodies if "#" in line]
    _, out, _ = attn_lab("break", "--with", str(files[0]), "--json")
    assert json.loads(out)["diff"] == []


@pytest.mark.parametrize("words", [("--mystery", "7"), ("--broken", "mask-flip"), ("--solved",), ()])
def test_every_file_comes_with_the_command_that_checks_it(attn_lab: Run, tmp_path: Path, words: tuple[str, ...]):
    file = tmp_path / "mine.py"
    _, out, _ = attn_lab("new", str(file), *words, "--json")
    assert f"attn-lab check {shlex.quote(str(file))}" in json.loads(out)["notes"][-1]["text"]


@pytest.mark.slow
def test_every_mystery_of_one_fault_moves_something(attn_lab: Run, tmp_path: Path):
    file = tmp_path / "m.py"
    for seed in range(12):
        attn_lab("new", str(file), "--mystery", str(seed), "--force")
        _, out, _ = attn_lab("break", "--with", str(file), "--json")
        assert [sign for sign in json.loads(out)["vitals"] if sign["moved"]], seed


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--mystery", "-1"), "--mystery is -1. It must be at least 0."),
        (("--mystery", "1", "--faults", "9"), "--faults is 9. It must be at least 1 and at most 3."),
        (("--faults", "2"), "--faults is for a mystery. Add --mystery SEED."),
        (("--broken", "nothing"), "There is no break 'nothing'."),
        (("--solved", "--mystery", "1"), "--mystery does not go with --solved."),
    ],
)
def test_new_refuses_nonsense_and_writes_nothing(attn_lab: Run, tmp_path: Path, words: tuple[str, ...], what: str):
    file = tmp_path / "x.py"
    code, _, err = attn_lab("new", str(file), *words)
    assert code == 2
    assert what in " ".join(err.split())
    assert not file.exists()


def test_new_never_overwrites_unless_told_to(attn_lab: Run, tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text("precious")
    code, _, err = attn_lab("new", str(file))
    assert code == 2
    assert "exists already. Name another file, or overwrite it with --force." in " ".join(err.split())
    assert file.read_text() == "precious"
    assert attn_lab("new", str(file), "--force")[0] == 0
    assert attn_lab("new", str(tmp_path / "no" / "x.py"))[0] == 1
