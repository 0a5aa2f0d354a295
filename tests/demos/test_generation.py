from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from attention_lab.errors import BadInput
from attention_lab.machine.timing import fastest_seconds
from attention_lab.variants import Patch, load

MASK = "causal_mask(query.shape[-2], key.shape[-2])"
IN_PLACE = (
    """longer = []
    for layer, past in zip(weights["blocks"], cache, strict=True):
        x, past = cached_block(x, layer, h, past)
        longer.append(past)
    return x @ weights["embedding"].T, longer""",
    """for i, layer in enumerate(weights["blocks"]):
    x, cache[i] = cached_block(x, layer, h, cache[i])
return x @ weights["embedding"].T, cache""",
)
KEPT = 'return [(nothing, nothing) for _ in weights["blocks"]]'


@pytest.mark.parametrize("options", [{}, {"text": "a b", "new": 2}, {"text": "so it is what it is", "new": 20}])
@pytest.mark.parametrize("seed", [0, 1])
def test_everything_holds(run_demo, verdicts, options, seed):
    held = verdicts(run_demo("generation", seed=seed, **options))
    assert list(held) == ["same-tokens", "each-token-once", "any-pieces", "nothing-left-over", "price", "time-saved"]
    assert all(held.values())


def test_the_work_is_counted(run_demo):
    rows = run_demo("generation", text="one two three", new=4)["work"].rows
    blocks, heads = 2, 4
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    assert [row[1] for row in rows] == [blocks * T for T in (3, 4, 5, 6)]
    assert [row[2] for row in rows] == [blocks * new for new in (3, 1, 1, 1)]
    assert [row[3] for row in rows] == [blocks * heads * T**2 for T in (3, 4, 5, 6)]
    assert [row[4] for row in rows] == [blocks * heads * T for T in (9, 4, 5, 6)]


READS_ALL = "start = cache[0][0].shape[-2]", "start = cache[0][0].shape[-2]\ndecoder_only(ids, weights, h)"
REBUILDS = (  # the cache holds what it should, and each step computes all of it once more
    "x, past = cached_block(x, layer, h, past)",
    """whole = np.zeros((1, past[0].shape[-2] + x.shape[-2], x.shape[-1]))
cached_block(whole, layer, h, [kept[..., :0, :] for kept in past])
x, past = cached_block(x, layer, h, past)""",
)


def turned(held: dict[str, bool | None]) -> set[str]:
    return {name for name, holds in held.items() if not holds}


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that is the scores that attention computes, and a little for each step: quick, and the same in every run."""

    def seconds(work: partial) -> float:
        ticks, namespace = [0], work.func.__globals__
        attention = namespace["attention"]

        def counting(*arguments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            output, shares = attention(*arguments)
            ticks.append(shares.size)
            return output, shares

        monkeypatch.setitem(namespace, "attention", counting)
        work()
        monkeypatch.setitem(namespace, "attention", attention)
        return 1e-6 * (100 + sum(ticks))

    monkeypatch.setattr(
        "attention_lab.demos.generation.fastest_seconds", lambda *works, **_: [seconds(one) for one in works]
    )


def test_the_curves_and_the_sentence_tell_the_same_times(run_demo):
    result = run_demo("generation")
    again, cached = (line.values for line in result["seconds"].lines)
    blocks, heads = 2, 4
    assert again == pytest.approx([1e-3 * (100 + blocks * heads * T**2) for T in (16, 32, 64, 128, 256)])
    assert cached == pytest.approx([1e-3 * (100 + blocks * heads * T) for T in (16, 32, 64, 128, 256)])
    assert result["time-saved"].value == pytest.approx(again[-1] / cached[-1])
    assert "Of 256 tokens the last one takes 520 and 2.1 ms" in result["time-saved"].measured


@pytest.mark.sample(1)
@pytest.mark.parametrize("clock", ["counted", "measured"])
def test_a_cache_that_saves_nothing_turns_the_verdict_on_time(run_demo, verdicts, monkeypatch, clock):
    if clock == "measured":
        monkeypatch.setattr("attention_lab.demos.generation.fastest_seconds", fastest_seconds)
    assert verdicts(run_demo("generation"))["time-saved"] is True
    assert turned(verdicts(run_demo("generation", load(Patch(*REBUILDS))))) == {"each-token-once", "time-saved"}


@pytest.mark.parametrize(
    ("patches", "expected"),
    [
        (((f"attention(query, key, value, {MASK})", "attention(query, key, value)"),), {"same-tokens", "any-pieces"}),
        (
            ((MASK, "causal_mask(key.shape[-2])[: query.shape[-2]]"),),
            {"same-tokens", "any-pieces"},
        ),
        ((("[start : start + ids.shape[-1]]", "[: ids.shape[-1]]"),), {"same-tokens", "any-pieces"}),
        ((("[past[1], split_heads", "[past[0], split_heads"),), {"same-tokens", "any-pieces"}),
        ((IN_PLACE,), {"nothing-left-over"}),
        (
            (
                ("[past[0], split_heads(x @ w_key, h)]", "[split_heads(x @ w_key, h)]"),
                ("[past[1], split_heads(x @ w_value, h)]", "[split_heads(x @ w_value, h)]"),
            ),
            {"same-tokens", "any-pieces", "price"},
        ),
    ],
    ids=["no-mask", "mask-from-0", "positions", "key-for-value", "in-place", "overwritten"],
)
def test_a_broken_model_turns_verdicts(run_demo, verdicts, patches, expected):
    model = load(*(Patch(*patch) for patch in patches))
    assert turned(verdicts(run_demo("generation", model))) == expected


def test_a_cache_kept_with_the_model_is_left_over(run_demo, verdicts):
    kept = KEPT.replace("return [", 'return weights.setdefault("cache", [') + ")"
    held = verdicts(run_demo("generation", load(Patch(KEPT, kept), Patch(*IN_PLACE))))
    assert "nothing-left-over" in turned(held)
    assert held["same-tokens"], "the first text of all is right"


def test_reading_everything_again_is_seen(run_demo, verdicts):
    assert turned(verdicts(run_demo("generation", load(Patch(*READS_ALL))))) == {"each-token-once"}


def test_a_mask_that_does_not_fit_is_said_in_a_sentence(run_demo, patched):
    with pytest.raises(BadInput, match="cannot run"):
        run_demo("generation", patched(MASK, "causal_mask(query.shape[-2])"))


def test_a_prompt_of_one_word_is_refused(run_demo):
    with pytest.raises(BadInput, match="Give at least 2 words"):
        run_demo("generation", text="alone")


def test_random_state_stays_alone(run_demo):
    before = np.random.get_state()[1].copy()
    run_demo("generation", new=2)
    assert np.array_equal(np.random.get_state()[1], before)
