from __future__ import annotations

import pytest

from attention_lab.variants import Patch, load

SCORED = "scores = query @ np.swapaxes(key, -1, -2)  # score: row i, column j is how well query i matches key j"


def test_the_digits_of_d3(run_demo):
    steps = run_demo("worked")["steps"].rows
    assert [row[1] for row in steps] == [1, 0, 1]
    assert [f"{row[2]:.3f}" for row in steps] == ["0.707", "0.000", "0.707"]
    assert [f"{row[3]:.4f}" for row in steps] == ["0.4011", "0.1978", "0.4011"]
    assert [(row[0], row[4]) for row in steps] == [("[1, 0]", "[2, 0]"), ("[0, 1]", "[0, 2]"), ("[1, 1]", "[2, 2]")]


def test_the_output_of_d3(run_demo):
    assert "[1.6044, 1.1978], a pencil to [1.6044, 1.1978]" in run_demo("worked")["by-pencil"].measured


def test_the_variations(run_demo):
    result = run_demo("worked")
    assert "output [1.3333, 1.3333]" in result["equal-scores"].measured
    assert result["block-one"].value == 0
    assert "[0.6698, 0.3302, 0.0000]" in result["block-one"].measured
    distances = [row[-1] for row in result["raised"].rows]
    assert distances == sorted(distances, reverse=True)
    assert result["raised"].rows[-1][2] == "[0.0001, 2.0000]"
    assert distances[-1] == pytest.approx(0.0001, abs=5e-5)


def test_the_stages_with_their_shapes(run_demo):
    assert [row[1:] for row in run_demo("worked")["stages"].rows] == [
        ("n × d_k", "1 × 2"),
        ("n × m", "1 × 3"),
        ("n × m", "1 × 3"),
        ("n × m", "1 × 3"),
        ("n × d_v", "1 × 2"),
    ]


def test_columns_need_not_sum_to_one(run_demo):
    assert "the columns to [0.8471, 0.8471, 1.3057]" in run_demo("worked")["rows-not-columns"].measured


def test_a_model_that_writes_into_its_query_does_not_spoil_the_next_run(run_demo, verdicts):
    run_demo("worked", load(Patch(SCORED, f"query /= query.shape[-1] ** 0.5\n{SCORED}")))
    assert all(verdicts(run_demo("worked")).values())


@pytest.mark.parametrize("seed", range(3))
def test_everything_holds(run_demo, verdicts, seed):
    held = verdicts(run_demo("worked", seed=seed))
    assert len(held) == 6
    assert all(held.values())


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ("scores = scores / query.shape[-1] ** 0.5  # scale", "pass", "by-pencil"),
        ("weights = softmax(scores)  # normalise", "weights = softmax(9e9 * scores)", "no-score-no-exclusion"),
        ("weights = softmax(scores)  # normalise", "weights = softmax(scores) / 2", "rows-not-columns"),
        ("return weights @ value, weights  # blend", "return weights @ value + 1e-6, weights", "equal-scores"),
        ("weights = softmax(scores)  # normalise", "weights = softmax(np.zeros(scores.shape))", "raise-one"),
        ("np.where(checked(mask), scores, -np.inf)", "np.where(checked(mask), scores, 0)", "block-one"),
        ("weights = softmax(scores)  # normalise", "weights = softmax(scores) * (scores > -np.inf) / 2", "block-one"),
    ],
)
def test_a_broken_model_turns_a_verdict(run_demo, verdicts, patched, old, new, turned):
    assert not verdicts(run_demo("worked", patched(old, new)))[turned]
