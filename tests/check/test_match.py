"""Every fault in strangers' spellings is named, and right code in any spelling is not called wrong."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from check.bodies import BODIES, HARMLESS, HEADS, HOLDING, MASKS, SCALES, SOFTMAX
from check.inprocess import InProcess
from check.spellings import BY_NAME, SPELLINGS, Fault, Spelling, faults, fits, shown, wrapped

from attention_lab.breaks import BREAKS
from attention_lab.check.match import Finding
from attention_lab.check.survey import Asked, Benches, survey

TWINS = {one.name: {one.name, *one.same_as} for one in BREAKS}
EACH = 2  # spellings of every fault here; `benchmarks/checks.py` tries all


@cache
def benches() -> Benches:
    """The inputs, and what the references compute on them, for all tests of this process."""
    return Benches(5)


def judged(text: str, **asked: str) -> tuple[Finding, ...]:
    with np.errstate(all="ignore"):
        return survey(InProcess(text), 5, Asked(**asked), benches()).findings


def named(findings: tuple[Finding, ...]) -> set[str]:
    return {name for one in findings for name in (*one.breaks, *one.otherwise)}


def spellings_of(place: int, fault: Fault) -> list[Spelling]:
    """A few of those that make sense for a fault, other ones for each."""
    fitting = [one for one in SPELLINGS if fits(one, BY_NAME[fault.home])]
    return [fitting[(place * EACH + step) % len(fitting)] for step in range(EACH)]


CASES = [(fault, one) for place, fault in enumerate(faults()) for one in spellings_of(place, fault)]


@pytest.mark.parametrize(
    ("fault", "spelling"), CASES, ids=lambda it: "+".join(it.names) if isinstance(it, Fault) else it.name
)
def test_every_fault_is_named_and_nothing_harmless_is(fault: Fault, spelling: Spelling):
    findings = judged(wrapped(fault, spelling))
    assert findings, "nothing was found"
    visible = () if fault.harmless else shown(fault, spelling)
    if not visible:
        assert not any(one.alarming for one in findings), findings
    for name in visible:
        assert TWINS[name] & named(findings), named(findings)


def test_another_fault_is_not_named():
    fault = next(one for one in faults() if one.names == ("no-scale",))
    assert named(judged(wrapped(fault, SPELLINGS[1]))) == {"no-scale", "scale-integer-half"}


# ---- bodies by hand ----

SOFT = f"import numpy as np\n\n\ndef _soft(s):\n    {SOFTMAX['right']}\n"
RIGHT = {"right", "half power", "minus 1e9", "added"}


def body(form: str, scale: str, softmax: str, mask: str) -> str:
    """A file with one public function."""
    text = BODIES[form].replace("{scale_query}", SCALES[scale].replace("q.", "Q.").replace("k.", "K."))
    text = text.replace("{scale}", SCALES[scale]).replace("{mask_row}", MASKS[mask].replace("mask", "mask_row"))
    text = text.replace("{mask}", MASKS[mask])
    return f"import numpy as np\n\ndef _soft(s):\n    {SOFTMAX[softmax]}\n{text.replace('soft(', '_soft(')}"


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
    assert judged(text, layout="(d, T)")[0].verdict == "right"
    assert judged(text, layout="(…, T, d)")[0].alarming


# ---- where weights are ----


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
