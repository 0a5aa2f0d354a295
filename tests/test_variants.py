"""Loading the model whole, patched or replaced: what is shown is what ran."""

from __future__ import annotations

import inspect
import traceback
from pathlib import Path

import numpy as np
import pytest

from attention_lab.errors import BadInput, BadPatch
from attention_lab.variants import (
    Patch,
    healthy,
    load,
    model_source,
    module_copy,
    own_source,
    patched,
    record_calls,
    source,
    source_of,
)

SCALE = "scores = scores / query.shape[-1] ** 0.5"
Q = np.random.default_rng(0).standard_normal((3, 4))


def test_a_patch_is_what_runs():
    broken = load(Patch(SCALE, "scores = scores * 0"))
    np.testing.assert_allclose(broken.attention(Q, Q, Q)[1], 1 / 3)
    assert not np.allclose(healthy().attention(Q, Q, Q)[1], 1 / 3)


def test_a_no_op_patch_changes_nothing():
    again = load(Patch(SCALE, SCALE))
    for ours, theirs in zip(healthy().attention(Q, Q, Q), again.attention(Q, Q, Q), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_several_patches_apply_in_order():
    both = load(Patch(SCALE, "scores = scores + 1"), Patch("scores + 1", "scores * 0"))
    np.testing.assert_allclose(both.attention(Q, Q, Q)[1], 1 / 3)


def test_further_lines_are_indented_like_the_first():
    text = patched("def f():\n    x = 1\n    return x\n", Patch("x = 1", "x = 2\nx = x + 1"))
    assert text == "def f():\n    x = 2\n    x = x + 1\n    return x\n"


def test_a_patch_that_matches_nothing_shows_the_nearest_line():
    with pytest.raises(BadPatch, match=r"No line of the model holds 'scores = scores / query.shape") as error:
        load(Patch("scores = scores / query.shape[-1]**0.5", ""))
    number = model_source().splitlines().index(f"    {SCALE}  # scale") + 1
    assert f"line {number}: {SCALE}  # scale" in error.value.advice


def test_a_patch_that_matches_several_lines_shows_them_all():
    with pytest.raises(BadPatch, match=r"'np.swapaxes' stands in . places, and a patch must name one") as error:
        load(Patch("np.swapaxes", "np.transpose"))
    assert error.value.advice.startswith("Take more of the line you mean:")
    assert error.value.advice.count("line ") == model_source().count("np.swapaxes") + 1


@pytest.mark.parametrize("old", ["", "   ", "\n"])
def test_an_empty_patch_is_refused(old: str):
    with pytest.raises(BadPatch, match="No line of the model holds"):
        load(Patch(old, "x"))


def test_a_patch_that_leaves_no_python_says_so():
    with pytest.raises(SyntaxError):
        load(Patch(SCALE, "scores = = scores"))


def test_a_traceback_shows_the_patched_line():
    broken = load(Patch(SCALE, "scores = scores / nowhere"))
    with pytest.raises(NameError) as error:
        broken.attention(Q, Q, Q)
    assert "scores = scores / nowhere" in "".join(traceback.format_exception(error.value))


def test_the_source_of_a_variant_can_be_inspected():
    assert "scores * 0" in inspect.getsource(load(Patch(SCALE, "scores = scores * 0")).attention)


def test_two_variants_do_not_share_functions():
    one, other = load(Patch(SCALE, "scores = scores * 0")), load()
    assert one.attention is not other.attention
    assert vars(one) is not vars(healthy())


def test_another_number_library_is_looked_up_by_every_function(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "other_numbers.py").write_text("from numpy import *\ndef exp(x):\n    return x * 0 + 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    flat = load(library="other_numbers")
    np.testing.assert_allclose(flat.attention(Q, Q, Q)[1], 1 / 3)


# ---- a person's own file ----


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text("import numpy as np\n\ndef softmax(logits):\n    return np.ones_like(logits) / logits.shape[-1]\n")
    return path


def test_ones_own_function_takes_the_models_place_everywhere(mine: Path):
    model = own_source(mine).load("mine")
    np.testing.assert_allclose(model.attention(Q, Q, Q)[1], 1 / 3)


def test_a_patch_goes_into_ones_own_file_if_the_line_is_there(mine: Path):
    text = own_source(mine).patched(Patch("np.ones_like(logits) / logits.shape[-1]", "np.ones_like(logits)"))
    assert "/ logits.shape[-1]" not in text.own
    assert text.model == model_source()
    assert own_source(mine).patched(Patch(SCALE, "pass")).own == own_source(mine).own


def test_a_function_that_is_still_to_be_written_comes_from_the_model(mine: Path):
    mine.write_text(mine.read_text() + "\ndef causal_mask(Tq, Tk=None):\n    ...\n")
    assert own_source(mine).load("mine").causal_mask(2).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("def soft_max(x): return x\ndef f(): ...\n", "none of the model's functions: it defines soft_max."),
        ("x = 1\n", "none of the model's functions: it defines no function."),
        ("def softmax(x:\n", "Line 1 of .*mine.py is not valid Python"),
        ("\0", "mine.py"),
    ],
)
def test_a_file_that_replaces_nothing_says_what_it_has(mine: Path, text: str, what: str):
    mine.write_text(text)
    with pytest.raises(BadInput, match=what):
        own_source(mine)


def test_a_file_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(BadInput, match=r"Cannot read .*nowhere.py"):
        own_source(tmp_path / "nowhere.py")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    with pytest.raises(BadInput, match=r"Cannot read .*latin.py"):
        own_source(tmp_path / "latin.py")


def test_a_model_knows_its_text_until_a_function_is_replaced(tmp_path: Path):
    own = tmp_path / "mine.py"
    own.write_text("def softmax(logits):\n    return logits\n")
    for text in (source(), source(Patch(SCALE, "")), own_source(own)):
        assert source_of(text.load("model")) == text
    assert source_of(healthy()) == source()
    for twin in (module_copy(healthy()), module_copy(source().load("model"))):
        with pytest.raises(BadInput, match="no text to train"):
            source_of(twin)


# ---- watching ----


def test_watching_sees_calls_inside_and_leaves_the_model_alone():
    model = healthy()
    before = dict(vars(model))
    result, calls = record_calls(model, ("softmax",), lambda twin: twin.attention(Q, Q, Q))
    assert [call.function for call in calls] == ["softmax"]
    np.testing.assert_allclose(calls[0].arguments["logits"], Q @ Q.T / 2)
    np.testing.assert_array_equal(calls[0].result, result[1])
    assert vars(model) == before


def test_a_copy_has_its_own_functions_and_the_same_numbers():
    twin = module_copy(source().load("twin"))
    np.testing.assert_array_equal(twin.attention(Q, Q, Q)[0], healthy().attention(Q, Q, Q)[0])
    twin.softmax = lambda logits: logits * 0
    assert (twin.attention(Q, Q, Q)[0] == 0).all()
