"""`python -m attention_lab.dev break`: the record that is printed is the one that was measured."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break, becomes
from attention_lab.dev.__main__ import TEXTS, run_dev
from attention_lab.dev.measured_break import PARTS, measured_break
from attention_lab.dev.record_text import WIDTH, catalogue_file, record_text
from attention_lab.variants import Patch

SCALED = "scores = scores / query.shape[-1] ** 0.5  # scale"
HIDDEN = "hidden = np.maximum(x @ w_in + b_in, 0)"
CENTRED = "centred = x - x.mean(axis=-1, keepdims=True)"
BY_NAME = {entry.name: entry for entry in BREAKS}


def read(text: str) -> Break:
    """The record that a text is, pasted into a file of the catalogue."""
    (record,) = eval(f"({text})", {"Break": Break, "Patch": Patch, "becomes": becomes})  # noqa: S307 (our own text)
    assert isinstance(record, Break)
    return record


# ---- the text of a record ----


@pytest.mark.parametrize("part", PARTS)
def test_the_text_of_every_record_reads_as_that_record(part: str):
    for entry in (entry for entry in BREAKS if entry.part == part):
        assert read(record_text(entry)) == entry


def test_the_text_is_laid_out_as_the_repository_asks():
    texts = {field: ("", "", "") if field == "hints" else "" for field, _ in TEXTS}
    records = "".join(record_text(replace(entry, **texts)) for entry in BREAKS)
    assert max(map(len, records.splitlines())) <= WIDTH
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(WIDTH), "--check", "-"]
    result = subprocess.run(command, input=f"BREAKS = (\n{records})\n", capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_each_part_has_a_file_and_a_tuple_to_paste_into():
    assert catalogue_file("block") == ("attention_lab/breaks/block.py", "BLOCK")
    assert catalogue_file("mask value") == ("attention_lab/breaks/mask_value.py", "MASK_VALUE")
    assert len({catalogue_file(part) for part in PARTS}) == len(PARTS)


# ---- what is measured ----


def test_a_known_fault_is_measured_as_it_is_declared():
    record, known = measured_break([Patch(SCALED, "pass")], "scale-forgotten"), BY_NAME["no-scale"]
    assert (record.part, record.demo) == (known.part, known.demo)
    assert (record.up, record.down, record.lost) == (known.up, known.down, known.lost)
    assert set(record.same_as) == {"no-scale", *known.same_as}
    assert record.still
    assert not set(record.still) & {*record.up, *record.down, *record.lost}


def test_a_harmless_change_moves_nothing_and_has_a_part_of_its_own():
    renamed = "mean = x.mean(axis=-1, keepdims=True)\ncentred = x - mean"
    record = measured_break([Patch(CENTRED, renamed)], "mean-named", harmless=True)
    assert record.part == "harmless"
    assert record.harmless
    assert record.signature == frozenset()


def test_several_changes_and_a_part_of_ones_own(capsys: pytest.CaptureFixture[str]):
    words = ("break", HIDDEN, "hidden = x @ w_in + b_in", "--also", SCALED, "pass", "--name", "two-at-once")
    assert run_dev([*words, "--part", "norm"]) == 0
    out, err = capsys.readouterr()
    record = read(out)
    assert record.patches == (Patch(HIDDEN, "hidden = x @ w_in + b_in"), Patch(SCALED, "pass"))
    assert record.part == "norm"
    assert "NORM in attention_lab/breaks/norm.py" in err


def test_texts_are_left_empty_and_the_author_is_told_what_they_say(capsys: pytest.CaptureFixture[str]):
    assert run_dev(["break", SCALED, "pass", "--name", "scale-forgotten"]) == 0
    out, err = capsys.readouterr()
    record = read(out)
    assert [getattr(record, field) for field, _ in TEXTS] == ["", "", "", "", ("", "", "")]
    assert all(f"  {field}: {content}" in err for field, content in TEXTS)
    assert "It computes the same as no-scale and scale-integer-half: add its name to same_as there, too." in err
    assert "refuses" in err


# ---- input that no record can be made of ----


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("nowhere", "pass"), "error: No line of the model holds 'nowhere'."),
        (("scores", "pass"), "error: 'scores' stands in 10 places, and a patch must name one."),
        ((SCALED, "pass", "--also", SCALED, "pass"), "error: No line of the model holds"),
        ((HIDDEN, "hidden = = 1"), "error: With NEW the model is not valid Python (invalid syntax: 'hidden = = 1')."),
        (("def softmax(logits):", "def softmax(logits, axis=nothing):"), "error: With NEW the model cannot be loaded"),
        ((HIDDEN, "while True: pass"), "did not end within 1 s."),
        ((HIDDEN, HIDDEN), "error: This change moves none of the"),
        ((SCALED, "pass", "--harmless"), "error: This change is not harmless: it moves sharpness, "),
        ((SCALED, "pass", "--part", "nowhere"), "error: There is no part 'nowhere'."),
        ((SCALED, "pass", "--name", "no-scale"), "error: There is a break 'no-scale' already."),
        ((SCALED, "pass", "--name", "row-sums"), "error: There is a vital sign 'row-sums' already."),
        ((SCALED, "pass", "--name", "scaling"), "error: There is a demo 'scaling' already."),
        ((SCALED, "pass", "--name", "No Scale"), "error: --name 'No Scale' is no name of a break."),
    ],
)
def test_nonsense_gets_one_sentence_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], what: str
):
    assert run_dev(["break", "--name", "made-up", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert what in err
    assert err.count("error: ") == 1


def test_the_command_runs_as_a_module_and_is_no_part_of_the_learners_help(attn_lab):
    command = [sys.executable, "-m", "attention_lab.dev", "break", "nowhere", "x", "--name", "made-up"]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: No line of the model holds 'nowhere'.")
    assert "attention_lab.dev" not in attn_lab("--help")[1]
    assert attn_lab("dev")[0] == 2
