"""The doctor of the catalogue: content with ours, and each of its checks seen to fail on one that is slightly wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from fixtures import mark_slow

from attention_lab.breaks import BREAKS, verification
from attention_lab.breaks.record import Break, becomes
from attention_lab.breaks.verification import CHECKS, verify
from attention_lab.result import Statement
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Vital

BY_NAME = {one.name: one for one in BREAKS}
NO_SCALE, MASK_ZERO = BY_NAME["no-scale"], BY_NAME["mask-zero"]
PROBLEMS = {check.name: check.problems for check in CHECKS}


CHECKS_MARKED = mark_slow(CHECKS, "demos", "signatures", "vitals", "twins", "patches", name=lambda check: check.name)


@pytest.mark.parametrize("check", CHECKS_MARKED, ids=lambda check: check.name)
def test_our_catalogue_passes(check: verification.Check):
    """The work of `break --verify`, in parts that go side by side."""
    assert check.problems(BREAKS, VITALS) == []


def test_the_command_that_verifies_says_which_check_found_what(attn_lab, monkeypatch):
    monkeypatch.setattr(verification, "CHECKS", tuple(replace(one, problems=lambda *_: []) for one in CHECKS))
    code, out, err = attn_lab("break", "--verify")
    assert (code, err) == (0, "")
    assert all(one.claim in " ".join(out.split()) for one in CHECKS)
    monkeypatch.setattr(
        verification, "CHECKS", (replace(CHECKS[-1], problems=lambda *_: ["mask-zero is upside down"]),)
    )
    code, out, err = attn_lab("break", "--verify")
    assert code == 1
    assert "mask-zero is upside down" in out


def test_the_catalogue_is_large_and_holds_the_documents_four():
    assert sum(not one.harmless for one in BREAKS) >= 60
    assert {"no-scale", "no-position", "mask-flip", "mask-zero"} <= set(BY_NAME)
    assert sum(one.harmless for one in BREAKS) >= 8


def wrong(check: str, *breaks: Break, vitals: tuple[Vital, ...] = VITALS) -> str:
    return "; ".join(PROBLEMS[check](breaks, vitals))


def test_names():
    assert "no-scale names 2 things" in wrong("names", NO_SCALE, NO_SCALE)
    assert "scaling names 2 things" in wrong("names", replace(NO_SCALE, name="scaling"))


@pytest.mark.parametrize("field", ["name", "part", "why", "watch", "consequence", "source", "demo"])
def test_texts(field: str):
    assert f"has an empty {field}" in wrong("texts", replace(NO_SCALE, **{field: " "}))


def test_an_empty_hint():
    assert "no-scale has an empty hints" in wrong("texts", replace(NO_SCALE, hints=("one", "", "three")))


def test_patches_that_match_nothing_or_leave_no_python():
    assert "no-scale: No line of the model holds" in wrong("patches", replace(NO_SCALE, patches=becomes("nowhere", "")))
    scale = NO_SCALE.patches[0].old
    assert "no-scale: invalid syntax" in wrong("patches", replace(NO_SCALE, patches=becomes(scale, "scores = = 1")))


def test_ambiguous_patches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(verification, "load", lambda *_: None)  # a loader that takes anything
    assert wrong("ambiguous") == "a patch with several matches was applied"


def test_a_healthy_model_outside_a_range():
    shifted = tuple(replace(vital, low=5, high=6) if vital.name == "row-sums" else vital for vital in VITALS)
    assert wrong("healthy", vitals=shifted).startswith("row-sums of the healthy model is ")


def test_a_no_op_that_moves_something():
    restless = Vital("restless", "test", "units", 0, 0, "Never still.", lambda *_: 1.0)
    assert wrong("no-op", vitals=(restless,)) == "a no-op patch moves restless"


def test_signatures_that_are_not_what_is_measured():
    up, *others = NO_SCALE.up
    assert f"no-scale moves {up} up, undeclared" in wrong("signatures", replace(NO_SCALE, up=tuple(others)))
    assert "no-scale does not move nan lost" in wrong("signatures", replace(NO_SCALE, lost=("nan",)))
    assert f"no-scale moves {up}, declared still" in wrong("signatures", replace(NO_SCALE, still=(up,)))
    assert f"no-scale is harmless and moves {up}" in wrong("signatures", replace(NO_SCALE, harmless=True))
    line = NO_SCALE.patches[0].old
    nothing = replace(NO_SCALE, patches=becomes(line, line), up=(), down=(), lost=(), still=())
    assert wrong("signatures", nothing) == "no-scale moves nothing and is not declared harmless"


def test_vital_signs_that_nothing_moves():
    assert "no break moves row-sums" in wrong("vitals", NO_SCALE)


def test_twins():
    twin = replace(NO_SCALE, name="twin")
    assert wrong("twins", NO_SCALE, twin) == "no-scale and twin compute the same, undeclared"
    declared = replace(NO_SCALE, same_as=("mask-zero",)), replace(MASK_ZERO, same_as=("no-scale",))
    assert wrong("twins", *declared) == "no-scale and mask-zero do not compute the same, as declared"


def test_breaks_that_no_demo_shows():
    assert wrong("demos", replace(NO_SCALE, demo="nowhere")) == "no-scale names the demo nowhere, which does not exist"
    assert wrong("demos", replace(NO_SCALE, demo="positions")) == "no-scale does not show in the demo positions"


@pytest.mark.parametrize("demo", ["generation", "recurrence"])
def test_times_show_no_fault(demo: str):
    """The positions that rotate take no part in these demos: nothing but the seconds is another in each run."""
    quiet = replace(BY_NAME["rope-other-base"], demo=demo)
    assert wrong("demos", quiet) == f"rope-other-base does not show in the demo {demo}"


def statement(holds: bool, value: float, name: str = "s") -> Statement:
    return Statement(name, "All is well.", f"Seen {value}.", holds, value)


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ([statement(True, 1.0), statement(True, np.nan, "t")], False),
        ([statement(True, 1.5), statement(True, np.nan, "t")], False),  # a time
        ([statement(False, 1.0), statement(True, np.nan, "t")], True),
        ([statement(True, 1.0), statement(True, 2.0, "t")], True),
        ([statement(True, 1.0)], True),
    ],
    ids=["same", "time", "verdict", "number", "part"],
)
def test_a_page_differs_by_verdicts_numbers_or_parts_but_not_by_times(page: list[Statement], seen: bool):
    healthy, again = ([statement(True, time), statement(True, np.nan, "t")] for time in (1.0, 1.1))
    assert verification.differs(tuple(page), tuple(healthy), tuple(again)) is seen


def test_verify_counts_problems_and_does_not_hold():
    spoilt = verify((NO_SCALE, NO_SCALE), VITALS)["names"]
    assert isinstance(spoilt, Statement)
    assert spoilt.holds is False
    assert spoilt.measured == "1 problem: no-scale names 2 things."
