"""Each rule of the package has one home: what two parts of it must agree on stands in one place."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from attention_lab import telling_sizes, weights
from attention_lab.breaks import BREAKS
from attention_lab.check import references
from attention_lab.check import weights as check_weights
from attention_lab.check.calls import outline
from attention_lab.check.file_context import WITH_HEADS
from attention_lab.check.holders import PARTS
from attention_lab.check.inputs import ProbeSizes
from attention_lab.check.layouts import CONVENTIONS, LAYOUTS
from attention_lab.check.plans import THREEFOLD
from attention_lab.check.recognition import BY_NAME_ONLY, HOLDING
from attention_lab.check.references import LAYERS
from attention_lab.check.roles import ROLES
from attention_lab.check.weight_containers import PATTERNS
from attention_lab.check.weight_paths import LAYER_WEIGHTS
from attention_lab.csv_cells import guard_cell
from attention_lab.errors import BadInput, BadPatch, CannotWrite
from attention_lab.grade import marks
from attention_lab.grade.csv_form import csv_text
from attention_lab.grade.marks import Grades
from attention_lab.kept_files import keep_json, write_file
from attention_lab.lesson.classbook import AnswerRow, append_rows, read_rows
from attention_lab.source_text import calls_in, function_texts, functions_in, reachable, skeleton
from attention_lab.text import escape_controls, escaped, spell_out_controls
from attention_lab.train.gradient import healthy_functions, unchanged_functions
from attention_lab.variants import Patch, healthy, model_source, own_source, record_calls
from attention_lab.vitals.record import Setting
from attention_lab.weights import NORM_EPS

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "attention_lab").rglob("*.py"))


def constants_in(tree: ast.AST) -> Iterator[object]:
    """Every constant of a file, docstrings included."""
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))


def files_with(value: object) -> list[str]:
    """The files of the package in which this constant is written."""
    return [
        str(path.relative_to(ROOT))
        for path in FILES
        if any(type(constant) is type(value) and constant == value for constant in constants_in(tree_of(path)))
    ]


def files_that_mention(name: str) -> list[str]:
    """The files of the package whose code names this, as a name or as an attribute."""
    return [
        str(path.relative_to(ROOT))
        for path in FILES
        if any(getattr(node, "id", getattr(node, "attr", "")) == name for node in ast.walk(tree_of(path)))
    ]


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


# ---- layouts and masks ----

FEATURES_FIRST = """import numpy as np

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def attention(query, key, value, mask=None):
    scores = query.swapaxes(-1, -2) @ key / np.sqrt(query.shape[-2])
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return (weights @ value.swapaxes(-1, -2)).swapaxes(-1, -2), weights
"""
MASK_PER_SAMPLE = """import numpy as np

def multi_head(x, w_query, w_key, w_value, w_out, h, mask=None):
    B, T, d = x.shape
    split = lambda w: (x @ w).reshape(B, T, h, -1).swapaxes(1, 2)
    query, key, value = split(w_query), split(w_key), split(w_value)
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    if mask is not None:
        scores = np.where(mask[:, None], scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True) @ value).swapaxes(1, 2).reshape(B, T, -1) @ w_out
"""


@pytest.mark.parametrize(
    ("flag", "known"),
    [("--layout", [layout.option for layout in LAYOUTS]), ("--mask", [convention.name for convention in CONVENTIONS])],
)
def test_the_command_line_offers_every_layout_and_mask_that_check_tries(attn_lab, flag: str, known: list[str]):
    _, _, err = attn_lab("check", "mine.py", flag, "none-of-them")
    assert re.findall(r"[A-Za-z][\w-]*", err.partition("It must be")[2].replace(" or ", ", ")) == known


@pytest.mark.slow
def test_the_name_of_each_layout_and_mask_is_written_once():
    for name in (*(layout.option for layout in LAYOUTS), *(layout.name for layout in LAYOUTS)):
        assert files_with(name) == ["attention_lab/check/layouts.py"], name


@pytest.mark.parametrize(
    ("text", "fitting"),
    [(FEATURES_FIRST, "d-T"), (MASK_PER_SAMPLE, "B-T-d")],
    ids=["features first", "mask per sample"],
)
def test_the_layout_that_is_asked_for_is_the_only_layout_that_is_tried(attn_lab, tmp_path, text: str, fitting: str):
    file = tmp_path / "mine.py"
    file.write_text(text)
    assert attn_lab("check", str(file), "--layout", fitting)[0] == 0
    assert attn_lab("check", str(file), "--layout", "T-d")[0] == 1


def test_the_names_of_layouts_are_there_without_numpy():
    code = "import sys, attention_lab.check.layouts; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- what is still to be written, and which function calls which ----

EMPTY_BODIES = (
    "...",
    "pass",
    '"""Words."""',
    '"""Words."""\n    ...',
    '"""Words."""\n    pass',
    "raise NotImplementedError",
    "raise NotImplementedError('softmax')",
    '"""Words."""\n    raise NotImplementedError("softmax")',
    "pass\n    ...",
)
WRITTEN_MASK = "def causal_mask(Tq, Tk=None):\n    return np.tri(Tq, Tk or Tq, dtype=bool)\n"
MASK = np.ones((3, 3), dtype=bool)
STILL = "Still to be written"


@pytest.mark.parametrize("body", EMPTY_BODIES)
def test_every_command_agrees_on_what_is_still_to_be_written(attn_lab, tmp_path, body: str):
    file = tmp_path / "mine.py"
    file.write_text(f"import numpy as np\n\ndef softmax(logits):\n    {body}\n")
    assert outline(file.read_text()).unwritten == ("softmax",)
    for words in (("break", "--with", str(file)), ("demo", "scaling", "--with", str(file))):
        code, out, err = attn_lab(*words)
        assert (code, out) == (2, "")
        assert f"Every function of {file} is still to be written: softmax." in " ".join(err.split())
    file.write_text(file.read_text() + WRITTEN_MASK)
    source = own_source(file)
    assert source.unwritten == ("softmax",)
    assert np.allclose(source.load("mine").softmax(np.zeros((1, 2))), 0.5)
    assert "softmax" in unchanged_functions(source)


@pytest.mark.parametrize("words", [("break",), ("demo", "scaling")])
def test_a_page_on_the_model_with_a_file_says_what_the_file_still_has_to_write(attn_lab, tmp_path, words):
    file = tmp_path / "mine.py"
    file.write_text(f"import numpy as np\n\ndef softmax(logits):\n    pass\n\ndef attention(q): ...\n\n{WRITTEN_MASK}")
    code, out, _ = attn_lab(*words, "--with", str(file), "--plain")
    assert code == 0
    said = f"{STILL} in {file}: softmax and attention. The model's own take their places."
    assert said in " ".join(out.split())
    file.write_text(WRITTEN_MASK.replace("np.", "__import__('numpy')."))
    assert STILL not in attn_lab(*words, "--with", str(file), "--plain")[1]


def test_a_helper_of_ones_own_with_an_empty_body_stays(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def log(*_):\n    pass\n\ndef softmax(logits):\n    log(logits)\n    return logits\n")
    assert own_source(file).load("mine").softmax(3) == 3


def test_nothing_of_a_skeleton_counts_as_written_anywhere(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(skeleton(model_source()))
    assert outline(file.read_text()).unwritten == tuple(function_texts(model_source()))
    with pytest.raises(BadInput, match="is still to be written: softmax, "):
        own_source(file)


def test_source_text_is_the_only_file_that_looks_for_empty_bodies_and_for_the_lines_of_functions():
    assert files_with("NotImplementedError") == ["attention_lab/source_text.py"]
    assert files_that_mention("Pass") == ["attention_lab/source_text.py"]
    assert not [path for path in FILES if re.search(r"\^def|\\bdef", path.read_text(encoding="utf-8"))]


def test_what_the_text_calls_is_what_runs():
    calls = calls_in(functions_in(ast.parse(model_source())))
    for name, (_, reached) in healthy_functions().items():
        assert reached == reachable(name, calls) == references.reached(name) - ({name} - reached)
    layer = weights.encoder_layer(np.random.default_rng(0), d_model=4, d_ff=8)
    _, seen = record_calls(healthy(), tuple(calls), lambda twin: twin.encoder_layer(np.ones((3, 4)), layer, 2, MASK))
    assert {call.function for call in seen} - {"encoder_layer"} == reachable("encoder_layer", calls)


# ---- breaks ----

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
NO_BREAKS = {"does-not-run", "by-head", "utf-8", "1e-05"}  # verdicts, parts and codecs that are written like breaks


def test_every_break_that_check_names_is_in_the_catalogue():
    known = {fault.name for fault in BREAKS} | NO_BREAKS
    for path in sorted((ROOT / "attention_lab/check").glob("*.py")):
        texts = {text for text in constants_in(tree_of(path)) if isinstance(text, str) and KEBAB.fullmatch(text)}
        assert texts <= known, path


def test_every_patch_of_a_reference_fits_the_model_and_changes_it():
    for reference in references.catalogue():
        assert reference.changed or reference is references.HEALTHY, reference.names
        if reference.order < 3:
            assert reference.text != model_source() or reference is references.HEALTHY


def test_a_patch_of_a_reference_that_no_longer_fits_is_an_error(monkeypatch):
    moved = (("softmax-one-total", Patch("a line that the model no longer has", "x")),)
    monkeypatch.setattr(references, "FAULT_CONSTANTS", moved)
    with pytest.raises(BadPatch, match="a line that the model no longer has"):
        references.references.__wrapped__("softmax")


# ---- texts in CSV files ----

CELLS = ("=1+1", "'=1", "''-2", "+3", "-4", "@SUM(A1)", "\t=1", "\n=1", "＝1", "'tis", "a=1", "'", "", "softmax")


def test_texts_in_both_csv_files_are_guarded_alike_and_come_back(tmp_path):
    file = tmp_path / "class.csv"
    rows = [AnswerRow("2026-01-01", cell, "", 1, cell, cell, "yes", cell, 1) for cell in CELLS]
    append_rows(str(file), rows)
    assert read_rows(str(file)) == rows
    grades = Grades(tuple(marks.Row(cell, "", (), reason=cell) for cell in CELLS), (), "", 0, "")
    in_class, in_grades = (
        [cells[column] for cells in csv.reader(io.StringIO(text, newline=""))]
        for text, column in ((file.read_bytes().decode(), 1), (csv_text(grades), 0))
    )
    assert in_grades[1:] == [guard_cell(cell) for cell in CELLS]
    assert in_class[1:] == in_grades[1:]


def test_csv_cells_is_the_only_file_that_knows_how_a_formula_begins():
    assert files_with("＝") == files_with("@") == ["attention_lab/csv_cells.py"]
    writers = files_that_mention("writer")  # csv.writer
    assert writers == ["attention_lab/grade/csv_form.py", "attention_lab/lesson/classbook.py"]
    assert files_that_mention("guard_cell") == writers


# ---- files that are written and kept ----


WRITING = re.compile(r"""open\([^)]*["'][wx]["']|\.write_text\(|\.replace\(file\)|fsencode""")
OTHER_WRITERS = {  # no file that a person asked for, or that is kept
    "attention_lab/cli.py",  # /dev/null in place of a closed stream
    "attention_lab/sandbox/doctor.py",
    "attention_lab/sandbox/isolation.py",
    "attention_lab/sandbox/parent.py",
    "attention_lab/sandbox/pytest_run.py",
}


def test_kept_files_is_the_only_file_that_writes_texts_replaces_files_and_hashes_paths():
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in FILES}
    writers = {path for path, text in texts.items() if WRITING.search(text)}
    assert writers - OTHER_WRITERS == {"attention_lab/kept_files.py"}


def test_a_file_that_cannot_be_written_is_told_by_its_name(tmp_path):
    with pytest.raises(CannotWrite, match=r"Cannot write .*nowhere"):
        write_file(tmp_path / "nowhere" / "page.html", "text")
    write_file(tmp_path / "lines.csv", "a\r\nb\n")
    assert (tmp_path / "lines.csv").read_bytes() == b"a\r\nb\n"


def test_what_cannot_be_kept_leaves_what_was_kept_before(tmp_path):
    file = tmp_path / "kept" / "place.json"
    keep_json(file, {"step": 1})
    with pytest.raises(TypeError):
        keep_json(file, {"step": object()})
    assert json.loads(file.read_text()) == {"step": 1}
    assert [path.name for path in file.parent.iterdir()] == ["place.json"]


# ---- roles ----

NAMES = {role.name for role in ROLES}
TABLES = {  # tables keyed by names of roles, and what they must cover
    "layers": (LAYERS, {role.name for role in ROLES if "layer" in role.parameters}),
    "weights of layers": (LAYER_WEIGHTS, set(LAYERS)),
    "roles whose weights an instance holds": (HOLDING, {"multi_head", "layer_norm", "feed_forward", *LAYERS}),
    "parts of a holder": (PARTS, set(PARTS) & NAMES),
    "patterns of weights": (PATTERNS, set(PATTERNS) & NAMES),
    "roles with three projections": (THREEFOLD, set(THREEFOLD) & NAMES),
    "roles with heads": (WITH_HEADS, set(WITH_HEADS) & NAMES),
    "roles by name only": (BY_NAME_ONLY, set(BY_NAME_ONLY) & NAMES),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_keyed_by_roles_covers_exactly_the_roles_it_is_about(table: str):
    rows, roles = TABLES[table]
    assert set(rows) == roles


# ---- weights, sizes and the eps of a norm ----


def shapes(value: object) -> object:
    """The names of nested weights with the shapes of the arrays."""
    if isinstance(value, dict):
        return {name: shapes(part) for name, part in value.items()}
    return value.shape


def test_weights_that_hide_nothing_have_the_form_of_untrained_ones():
    rng = np.random.default_rng(0)
    assert shapes(check_weights.encoder(rng, 6)) == shapes(weights.encoder_layer(rng, 6, 13))
    assert shapes(check_weights.decoder(rng, 6)) == shapes(weights.decoder_layer(rng, 6, 13))


def test_vital_signs_and_checks_use_the_same_sizes_and_no_two_are_equal():
    vital, probe = Setting(), ProbeSizes()
    assert (probe.B, probe.h, probe.Tq, probe.Tk, probe.d_k, probe.d_v, probe.d_model) == (
        *(vital.B, vital.h, vital.Tq, vital.T, vital.d_k, vital.d_v, vital.d_model),
    )
    sizes = [value for name, value in vars(telling_sizes).items() if name.isupper()]
    assert sizes
    assert len({*sizes, probe.d_model}) == len(sizes) + 1


def test_the_eps_of_a_norm_is_written_in_the_model_only():
    bounds = {"attention_lab/check/fitted_constants.py", "attention_lab/vitals/attention.py"}  # of rounding
    assert set(files_with(1e-5)) - bounds == {"attention_lab/transformer.py"}
    assert not files_with("1e-05")
    assert NORM_EPS == 1e-5


# ---- time limits and characters that act ----


def test_one_file_sets_alarms_in_the_sandbox_and_one_interrupts_our_own_process():
    assert files_that_mention("setitimer") == ["attention_lab/sandbox/alarm.py"]
    assert files_that_mention("interrupt_main") == ["attention_lab/machine/time_limit.py"]
    defined = [node.name for path in FILES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    assert defined.count("OutOfTime") == defined.count("TookTooLong") == 1


def test_all_that_is_escaped_in_our_texts_is_escaped_in_a_strangers():
    assert files_that_mention("CONTROL") == files_that_mention("INVISIBLE") == ["attention_lab/text.py"]
    for character in map(chr, range(0x3000)):
        ours, theirs = escape_controls(character), spell_out_controls(character)
        assert theirs in (character, escaped(character))
        assert ours in (character, theirs) or character == "\t"
