from __future__ import annotations

import pytest

from attention_lab.errors import BadInput, TooLarge

SCALE = "scores = scores / query.shape[-1] ** 0.5  # scale"
EXPECTED = {"one-draw": False, "on-average": True, "one-winner": True, "assumptions": True}


def test_the_digits_of_d0(run_demo):
    rows = run_demo("scaling")["spread"].rows
    shown = [(d_k, f"{raw:.2f}", f"{largest:.4f}", f"{scaled:.2f}") for d_k, raw, largest, scaled, *_ in rows]
    assert shown == [(4, "1.24", "0.6125", "0.62"), (64, "5.73", "0.8319", "0.72"), (512, "25.12", "1.0000", "1.11")]
    assert [f"{row[-1]:.2f}" for row in rows] == ["1.00", "1.00", "1.00"]


@pytest.mark.parametrize("seed", range(8))
def test_one_draw_turns_no_verdict_that_is_true(run_demo, verdicts, seed):
    assert verdicts(run_demo("scaling", seed=seed)) == EXPECTED


@pytest.mark.parametrize("options", [{"d_k": (2, 3)}, {"d_k": (512, 4), "keys": 2}, {"d_k": (4, 256), "keys": 300}])
def test_sizes_of_ones_own(run_demo, verdicts, options):
    held = verdicts(run_demo("scaling", **options))
    assert held == EXPECTED | {"one-draw": held["one-draw"]}


@pytest.mark.parametrize(
    ("new", "turned"),
    [
        ("pass", {"on-average", "one-winner"}),
        ("scores = scores / query.shape[-1]", {"on-average", "assumptions"}),
        ("scores = scores / scores.std()", {"assumptions"}),
    ],
    ids=["no-scale", "by-d-k", "standardised"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, new, turned):
    held = verdicts(run_demo("scaling", patched(SCALE, new)))
    assert {name for name in EXPECTED if EXPECTED[name] and not held[name]} == turned


def test_a_model_that_standardises_is_said_to_do_so_in_one_draw(run_demo, verdicts, patched):
    assert verdicts(run_demo("scaling", patched(SCALE, "scores = scores / scores.std()")))["one-draw"]


def test_nonsense_is_refused(run_demo):
    with pytest.raises(BadInput, match=r"--keys is 1\. It must be at least 2"):
        run_demo("scaling", keys=1)
    with pytest.raises(BadInput, match=r"--d-k is 8 twice\. Give each value once"):
        run_demo("scaling", d_k=(8, 8))
    with pytest.raises(TooLarge, match="--d-k 1000000 with --keys 1000000 needs"):
        run_demo("scaling", d_k=(10**6,), keys=10**6)
