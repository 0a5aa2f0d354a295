"""Every fault in strangers' spellings is named, and right code in any spelling is not called wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from check.bodies import BODIES, HARMLESS, HEADS, HOLDING, MASKS, SCALES, SOFTMAX
from check.grid import TWINS, Cell, cell_of, complaint, judged, named, page_complaint, sample
from fixtures import Run


@pytest.mark.sample(12)
@pytest.mark.parametrize("cell", sample(), ids=lambda cell: cell.name)
def test_every_fault_is_named_and_nothing_harmless_is(cell: Cell):
    assert complaint(cell) == ""  # `benchmarks/checks.py` tries every spelling of each


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("fault", "spelling"),
    [
        ("no-scale", "features first"),
        ("mask-zero", "a class below another"),
        ("no-output-projection", "weights of an instance"),
        ("unbiased-deviation", "a script that prints and plots"),
        ("padding-along-queries", "nested lists"),
        ("no-residual", "all in one dictionary"),
        ("rope-in-halves", "in Spanish"),
    ],
)
def test_a_few_go_the_whole_way_through_the_walled_process(attn_lab: Run, tmp_path: Path, fault: str, spelling: str):
    cell, path = cell_of(fault, spelling), tmp_path / "mine.py"
    path.write_text(cell.text, encoding="utf-8")
    code, page, _ = attn_lab("check", str(path), "--json")
    assert code == bool(cell.visible)
    assert page_complaint(cell, code, page) == ""


def test_a_fault_that_is_not_told_is_seen_and_so_is_a_false_alarm():
    rows = [["attention", "scale-by-d-k"]]
    page = {"tables": [{"name": "functions", "rows": rows}], "statements": [], "notes": []}
    wrong, right = cell_of("no-scale", "einsum"), cell_of("nothing, attention", "einsum")
    assert "no-scale is not named" in page_complaint(wrong, 1, json.dumps(page))
    assert "called wrong" in page_complaint(right, 1, json.dumps(page))
    assert page_complaint(cell_of("scale-by-d-k", "einsum"), 1, json.dumps(page)) == ""


def test_another_fault_is_not_named():
    assert named(judged(cell_of("no-scale", "other names").text)) == {"no-scale", "scale-integer-half"}


# ---- bodies by hand ----

SOFT = f"import numpy as np\n\n\ndef _soft(s):\n    {SOFTMAX['right']}\n"
RIGHT = {"right", "half power", "minus 1e9", "added"}


def body(form: str, scale: str, softmax: str, mask: str) -> str:
    """A file with one public function."""
    text = BODIES[form].replace("{scale_query}", SCALES[scale].replace("q.", "Q.").replace("k.", "K."))
    text = text.replace("{scale}", SCALES[scale]).replace("{mask_row}", MASKS[mask].replace("mask", "mask_row"))
    text = text.replace("{mask}", MASKS[mask])
    return f"import numpy as np\n\ndef _soft(s):\n    {SOFTMAX[softmax]}\n{text.replace('soft(', '_soft(')}"


@pytest.mark.sample(8)
@pytest.mark.parametrize("form", BODIES)
@pytest.mark.parametrize(
    ("scale", "softmax", "mask"),
    [
        *((scale, "right", "right") for scale in SCALES),
        *(("right", softmax, "minus 1e9") for softmax in SOFTMAX if softmax != "right"),
        *(("half power", "right", mask) for mask in MASKS if mask != "right"),
        ("no-scale", "right", "mask-zero"),
        ("no-scale", "softmax-over-queries", "right"),
    ],
)
def test_bodies_written_by_hand(form: str, scale: str, softmax: str, mask: str):
    if form == "loops" and softmax in ("softmax-over-queries", "softmax-one-total"):
        pytest.skip("a loop over queries has one row at a time")
    findings = judged(body(form, scale, softmax, mask))
    wrong = {scale, softmax, mask} - RIGHT
    assert len(findings) == 1
    assert findings[0].alarming == bool(wrong), findings
    for name in wrong:
        assert TWINS[name] & named(findings), named(findings)


# ---- never called wrong ----


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_right_is_never_called_wrong(name: str):
    findings = judged(SOFT + HARMLESS[name])
    assert len(findings) == 1
    assert not findings[0].alarming, findings


# ---- conventions ----

BLOCKING = "import numpy as np\ndef causal_mask(n):\n    return np.triu(np.ones((n, n), dtype=bool), 1)\n"
ALLOWING = """
def attention(q, k, v, mask=None):
    s = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
"""


def test_a_mask_that_says_what_is_hidden_is_right_alone_and_wrong_beside_a_function_that_reads_it_the_other_way():
    alone = judged(BLOCKING)[0]
    assert not alone.alarming
    assert alone.otherwise == ("causal-inverted",)
    assert any("hidden" in told for told in alone.plan.assumed)
    beside = judged(BLOCKING + ALLOWING)
    assert [one.breaks for one in beside if one.alarming] == [("causal-inverted",)]
    both_hidden = judged(BLOCKING + ALLOWING.replace("np.where(mask, s, -np.inf)", "np.where(mask, -np.inf, s)"))
    assert not any(one.alarming for one in both_hidden)


def test_what_is_said_of_masks_and_layouts_is_taken_for_granted():
    assert judged(BLOCKING, mask="allowed")[0].breaks == ("causal-inverted",)
    assert judged(BLOCKING, mask="blocked")[0].verdict == "right"
    text = SOFT + HARMLESS["feature-major"]
    assert judged(text, layout="d-T")[0].verdict == "right"
    assert judged(text, layout="T-d")[0].alarming


# ---- where weights are ----


@pytest.mark.sample(4)
@pytest.mark.parametrize("holder", HOLDING)
@pytest.mark.parametrize(
    ("scale", "fault"), [("q[..., s].shape[-1]", ""), ("d", "scale-by-d-model"), ("1", "no-scale")]
)
def test_heads_whose_weights_are_anywhere(holder: str, scale: str, fault: str):
    if holder == "names of the file" and fault == "scale-by-d-model":
        pytest.skip("with one head the two are the same")
    text = "import numpy as np\n" + HOLDING[holder].replace("{heads}", HEADS.replace("{scale}", scale)) + "\n"
    findings = judged(text)
    assert [one.role.name for one in findings] == ["multi_head"]
    assert findings[0].alarming == bool(fault), findings
    assert not fault or fault in named(findings)
