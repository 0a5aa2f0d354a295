"""Every function of the model is checked in people's files, is broken by a break, and is looked at by a vital sign.

The exceptions are listed with their reasons. A list may only shrink: an exception that is none any more fails, too.
"""

from __future__ import annotations

import pytest

from attention_lab.breaks import BREAKS
from attention_lab.breaks.reach import called_by, changed, functions, moves
from attention_lab.check.roles import ROLES
from attention_lab.variants import healthy
from attention_lab.vitals import VITALS

FUNCTIONS = set(functions(healthy()))

WITHOUT_A_ROLE = {
    "checked": "It refuses a mask under which no softmax exists; others have no such function.",
    "attend_in_tiles": "It is a step of tiled_attention, which has a role.",
    "cached_block": "It is a step of decode_next, which has a role.",
    "empty_cache": "An empty cache has a form of its own in each code base; decode_next, which fills it, has a role.",
}
WITHOUT_A_BREAK = {
    "checked": "It only refuses masks, and vital signs take numbers: none asks whether an error is raised.",
    "attend_in_tiles": "No break of tiled attention is written yet.",
    "cached_block": "It has the lines of pre_norm_block, whose breaks are in the catalogue.",
    "encoder_decoder": "It is one line that calls encode and decode.",
}
WITHOUT_A_VITAL_SIGN: dict[str, str] = {}


def functions_with_a_break() -> set[str]:
    """Functions that a fault of the catalogue changes, where some vital sign moves."""
    faults = [fault for fault in BREAKS if not fault.harmless and moves(fault)]
    return {name for fault in faults for name in changed(fault.load())}


def functions_with_a_vital_sign() -> set[str]:
    """Functions that some vital sign calls."""
    return {name for vital in VITALS for name in called_by(vital)}


def test_every_function_has_a_role():
    assert FUNCTIONS - {role.name for role in ROLES} == WITHOUT_A_ROLE.keys()


@pytest.mark.slow
def test_every_function_has_a_break():
    assert FUNCTIONS - functions_with_a_break() == WITHOUT_A_BREAK.keys()


def test_every_function_has_a_vital_sign():
    assert FUNCTIONS - functions_with_a_vital_sign() == WITHOUT_A_VITAL_SIGN.keys()


def test_every_role_is_a_function_of_the_model():
    assert {role.name for role in ROLES} <= FUNCTIONS
