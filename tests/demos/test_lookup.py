from __future__ import annotations

import numpy as np
import pytest

from attention_lab.errors import BadInput


def test_shares_blend_the_values(run_demo):
    rows = run_demo("lookup")["shares"].rows
    animals, blend = rows[:-1], rows[-1]
    shares = np.array([row[2] for row in animals]) / 100
    assert shares.sum() == pytest.approx(1)
    for column in (3, 4):
        assert blend[column] == pytest.approx(shares @ [row[column] for row in animals])


def test_a_dog_is_in_no_dict_and_gets_an_answer_all_the_same(run_demo):
    result = run_demo("lookup")
    assert "KeyError" in result["always-answers"].measured
    assert 2 < result["blend"].value < 4


def test_an_animal_that_is_in_the_dict(run_demo):
    result = run_demo("lookup", query=(-1.0, -1.0, 1.0, 1.0))
    assert "returns eagle" in result["always-answers"].measured
    assert max(result["shares"].rows[:-1], key=lambda row: row[2])[0] == "eagle"


def test_sharpened_it_is_the_dict_and_only_keys_of_one_length_promise_that(run_demo, verdicts):
    result = run_demo("lookup")
    assert result["dict-in-the-limit"].value == pytest.approx(1)
    assert verdicts(result) == {
        "always-answers": True,
        "blend": True,
        "dict-in-the-limit": True,
        "any-keys": False,
        "one-length": True,
    }


@pytest.mark.parametrize("seed", range(5))
def test_the_verdicts_do_not_depend_on_the_seed(run_demo, verdicts, seed):
    assert verdicts(run_demo("lookup", seed=seed)) == verdicts(run_demo("lookup"))


@pytest.mark.parametrize("query", [(100.0, 100.0, 100.0, -100.0), (0.0, 0.0, 0.0, 0.0), (-100.0, 100.0, -100.0, 100.0)])
def test_extreme_queries_are_answered_too(run_demo, verdicts, query):
    assert verdicts(run_demo("lookup", query=query))["always-answers"]


@pytest.mark.parametrize(
    ("old", "new", "turned"),
    [
        ("return exponentials / exponentials.sum(axis=-1, keepdims=True)", "return exponentials", "always-answers"),
        ("return exponentials / exponentials.sum(axis=-1, keepdims=True)", "return exponentials * 2", "blend"),
        ("return weights @ value, weights  # blend", "return weights @ value / 2, weights", "dict-in-the-limit"),
        ("weights = softmax(scores)  # normalise", "weights = softmax(np.zeros(scores.shape))", "one-length"),
    ],
)
def test_a_broken_model_turns_a_verdict(run_demo, verdicts, patched, old, new, turned):
    assert verdicts(run_demo("lookup"))[turned]
    assert not verdicts(run_demo("lookup", patched(old, new)))[turned]


def test_keys_of_any_length_would_do_for_a_model_that_ignores_length(run_demo, verdicts, patched):
    old = "scores = query @ np.swapaxes(key, -1, -2)"
    new = "key = key / np.linalg.norm(key, axis=-1, keepdims=True); " + old
    assert verdicts(run_demo("lookup", patched(old, new)))["any-keys"]


def test_an_answer_that_is_no_value_is_said_so(run_demo, patched):
    result = run_demo("lookup", patched("return weights @ value, weights  # blend", "return weights @ key, weights"))
    assert result["blend"].holds is False
    assert result["blend"].measured == "It has 4 numbers, and a value has 2."


def test_sets_that_the_model_cannot_take_at_once_are_no_reason_to_stop(run_demo, verdicts, patched):
    result = run_demo("lookup", patched("/ exponentials.sum(axis=-1, keepdims=True)", "/ exponentials.sum(axis=-1)"))
    assert not verdicts(result)["one-length"]
    assert "the model stops with" in result["one-length"].measured


@pytest.mark.parametrize("query", [(1.0,), (1.0, 1.0, 1.0, 1.0, 1.0)])
def test_a_query_of_another_width_is_refused(run_demo, query):
    with pytest.raises(BadInput, match=f"--query is given {len(query)} times. Give it 4 times: fur, tame"):
        run_demo("lookup", query=query)


@pytest.mark.parametrize("number", [101.0, float("nan"), float("-inf")])
def test_a_query_without_a_sensible_number_is_refused(run_demo, number):
    with pytest.raises(BadInput, match="--query is"):
        run_demo("lookup", query=(1.0, 1.0, 1.0, number))
