from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput

ENLARGED = "return x * kept.astype(x.dtype) / (1 - rate)"


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_everything_holds(run_demo, verdicts, rate, seed):
    held = verdicts(run_demo("dropout", rate=rate, seed=seed))
    assert list(held) == ["share", "enlarged", "fresh", "off"]
    assert all(held.values())


def test_the_picture_shows_factors(run_demo):
    factors = np.array(run_demo("dropout", rate=0.5)["dropped"].values)
    assert set(factors.round(12).ravel()) == {0.0, 2.0}


def test_the_table_has_each_call(run_demo):
    rows = {row[0]: row[1:] for row in run_demo("dropout")["calls"].rows}
    assert rows["evaluation"] == rows["evaluation again"] == (0, 1)
    assert rows["training"][0] == pytest.approx(0.1, abs=0.01)
    assert rows["training"][1] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("patch", "turned"),
    [
        (("if not training:", "if rate == 0:"), {"off"}),
        ((ENLARGED, "return x * kept.astype(x.dtype)"), {"enlarged"}),
        ((ENLARGED, "return x * kept.astype(x.dtype) / rate"), {"enlarged"}),
        (("rng.random(x.shape) >= rate", "rng.random(x.shape) < rate"), {"share", "enlarged"}),
        (("rng.random(x.shape) >= rate", "np.random.default_rng(99).random(x.shape) >= rate"), {"fresh"}),
    ],
    ids=["in-evaluation", "not-enlarged", "divided-by-rate", "keeps-rate", "same-each-time"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patched, patch, turned):
    held = verdicts(run_demo("dropout", patched(*patch)))
    assert {name for name, holds in held.items() if not holds} == turned


@pytest.mark.parametrize("rate", [0, 0.95, 1, -0.1])
def test_a_rate_that_drops_nothing_or_nearly_all_is_refused(run_demo, rate):
    with pytest.raises(BadInput, match="--rate is"):
        run_demo("dropout", rate=rate)
