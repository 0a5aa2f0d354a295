"""What --unnamed shows of a fault: vital signs, but none that is called by the fault's own name."""

from __future__ import annotations

import json

import pytest

from attention_lab.breaks import BREAKS
from attention_lab.check.roles import ROLES
from attention_lab.check.unnamed import quiet_signs, tells

FAULTS = [one for one in BREAKS if not one.harmless and (one.up or one.down or one.lost)]
NAMED = {role.name: role for role in ROLES}


@pytest.mark.parametrize("role", [NAMED["attention"], NAMED["layer_norm"]], ids=lambda role: role.name)
def test_a_sign_that_tells_the_name_of_a_fault_is_shown_only_where_there_is_no_other(role):
    told = 0
    for one in FAULTS:
        shown = quiet_signs([one], role)
        telling = {name for name in shown if tells(name, [one.name], role)}
        assert shown
        assert not telling or telling == shown == {*one.up, *one.down, *one.lost}
        told += bool(telling)
    assert told < len(FAULTS) / 4


@pytest.mark.parametrize(
    ("sign", "fault", "role", "expected"),
    [
        ("furthest-ahead", "one-step-ahead", "causal_mask", True),
        ("future-mass", "one-step-ahead", "causal_mask", False),
        ("norm-gain", "no-norm-gain", "layer_norm", True),
        ("norm-mean", "norm-not-centred", "layer_norm", False),
        ("sharpness", "no-scale", "attention", False),
    ],
)
def test_which_signs_tell(sign: str, fault: str, role: str, expected: bool):
    assert tells(sign, [fault], NAMED[role]) is expected


def test_the_page_of_a_mask_that_sees_one_step_ahead_does_not_say_ahead(tmp_path, attn_lab):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\ndef causal_mask(n):\n    return np.tri(n, n, 1, dtype=bool)\n"
    )
    code, out, _ = attn_lab("check", str(tmp_path / "mine.py"), "--unnamed", "--json")
    body = json.loads(out)
    assert code == 1
    assert body["vitals"]
    assert "ahead" not in {word for sign in body["vitals"] for word in sign["name"].split("-")}
    assert "one-step-ahead" not in out
