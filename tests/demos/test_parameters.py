from __future__ import annotations

import numpy as np
import pytest

from attention_lab import weights
from attention_lab.demos import parameters
from attention_lab.errors import BadInput, TooLarge
from attention_lab.variants import healthy


def counts(result) -> dict[str, int]:
    return {row[0]: row[3] for row in result["count"].rows}


def test_every_number_of_the_documents(run_demo):
    result = run_demo("parameters")
    assert counts(result) == {
        "attention, encoder": 6_291_456,
        "attention, decoder": 12_582_912,
        "feed-forward, matrices": 25_165_824,
        "feed-forward, biases": 30_720,
        "norms": 30_720,
        "embedding": 18_944_000,
        "together": 63_045_632,
    }
    assert "Attention has 18,874,368" in result["more-in-feed-forward"].measured
    assert "together 44,040,192" in result["more-in-feed-forward"].measured
    sublayers = {row[0]: row[1:3] for row in result["count"].rows}
    assert sublayers["attention, encoder"] == (6, 1_048_576)
    assert sublayers["attention, decoder"] == (12, 1_048_576)
    assert sublayers["feed-forward, matrices"] == (12, 2 * 512 * 2048)
    *parts, (_, _, _, whole, share) = result["count"].rows
    assert (sum(row[3] for row in parts), sum(row[4] for row in parts)) == (whole, pytest.approx(share))
    assert "8 heads of 64" in result["count"].title


def test_what_holds_and_what_does_not(run_demo, verdicts):
    result = run_demo("parameters")
    assert verdicts(result) == {
        "reaches-the-paper": False,
        "more-in-feed-forward": True,
        "only-projections": False,
        "all-have-a-say": True,
        "paper": None,
    }
    assert "63.05 million: 1.95 million less, as much as 3,817 words" in result["reaches-the-paper"].measured
    assert "14,155,776 of 63,045,632 parameters, 22.5 %" in result["only-projections"].measured
    assert "22 of the 22 other arrays" in result["only-projections"].measured
    assert "31 of 31 arrays" in result["all-have-a-say"].measured


def test_the_count_is_that_of_weights_really_drawn(run_demo):
    drawn = weights.encoder_decoder(np.random.default_rng(0), vocabulary=11, d_model=12, d_ff=7, layers=2)
    size = sum(array.size for _, array in parameters.named_arrays(drawn))
    sizes = {"vocabulary": 11, "d_model": 12, "d_ff": 7, "layers": 2, "heads": 3}
    assert counts(run_demo("parameters", **sizes))["together"] == size


def test_four_thousand_words_more_reach_the_paper(run_demo):
    reached = run_demo("parameters", vocabulary=41_000)["reaches-the-paper"]
    assert reached.holds is True
    assert "0.09 million more" in reached.measured


def test_only_the_base_model_is_held_against_the_paper(run_demo, verdicts):
    assert "reaches-the-paper" not in verdicts(run_demo("parameters", layers=2))


def test_a_narrow_feed_forward_has_less_than_attention(run_demo, verdicts):
    assert verdicts(run_demo("parameters", d_ff=512))["more-in-feed-forward"] is False


def test_a_model_larger_than_any_memory_is_counted(run_demo):
    sizes = {"d_model": 12_288, "d_ff": 49_152, "layers": 96, "heads": 64}
    assert counts(run_demo("parameters", **sizes))["together"] > 400e9


@pytest.mark.parametrize("heads", [1, 2, 64])
def test_every_array_has_a_say_with_any_number_of_heads(run_demo, verdicts, heads):
    assert verdicts(run_demo("parameters", heads=heads))["all-have-a-say"] is True


BLEND_ONLY = (
    'return layer_norm(x + feed_forward(x, **layer["feed_forward"]), **layer["norm_3"])',
    "return x",
)


@pytest.mark.parametrize(
    ("old", "new", "silent"),
    [
        ("return hidden @ w_out + b_out", "return hidden @ w_out", "encoder.0.feed_forward.b_out"),
        (*BLEND_ONLY, "decoder.0.norm_3.gain"),
        ("return merge_heads(heads) @ w_out\n\n\n# ---- the rest", "return merge_heads(heads)\n\n\n# ----", "w_out"),
    ],
    ids=["no-bias", "no-feed-forward", "no-w-o"],
)
def test_an_array_that_a_broken_model_does_not_use(run_demo, patched, old, new, silent):
    said = run_demo("parameters", patched(old, new))["all-have-a-say"]
    assert said.holds is False
    assert silent in said.measured


def test_if_only_the_projections_were_used_the_verdict_would_turn(monkeypatch, run_demo):
    moved = {"encoder.0.attention.w_query": 1.0, "encoder.0.attention.w_out": 0.0}
    monkeypatch.setattr("attention_lab.demos.parameters.nudge_effects", lambda *_: moved)
    assert run_demo("parameters")["only-projections"].holds is True


def test_nudged_weights_are_put_back():
    rng = np.random.default_rng(0)
    assert parameters.nudge_effects(healthy(), rng, 2) != parameters.nudge_effects(healthy(), rng, 2)
    same = [parameters.nudge_effects(healthy(), np.random.default_rng(1), 2) for _ in range(2)]
    assert same[0] == same[1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"d_model": 0}, "--d-model is 0"),
        ({"layers": 0}, "--layers is 0"),
        ({"vocabulary": 0}, "--vocabulary is 0"),
        ({"heads": 65}, "--heads is 65"),
        ({"heads": 7}, "d_model = 512 does not divide into 7 heads"),
    ],
)
def test_bad_input(run_demo, options, says):
    with pytest.raises(BadInput, match=says):
        run_demo("parameters", **options)


def test_more_memory_than_there_is(run_demo, monkeypatch):
    monkeypatch.setattr("attention_lab.machine.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(TooLarge, match="--layers 1000 --d-model 512 --d-ff 2048 needs"):
        run_demo("parameters", layers=1000)
