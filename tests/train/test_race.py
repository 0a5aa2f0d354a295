"""A fair race: the verdict of every kind of grid, drawn from numbers made up for it, and a small race that is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from attention_lab.train.fair import LADDER, SEEDS, Entry, promising, run_race
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.race import (
    AS_GOOD,
    BETTER,
    LARGER,
    SLOW,
    SMALLER,
    UNCLEAR,
    WORSE,
    Finish,
    Lane,
    Race,
    needs_overtime,
    verdict,
)
from attention_lab.train.race_page import race_parts
from attention_lab.train.run import Config
from attention_lab.variants import Patch, source

Command = Callable[..., tuple[int, str, str]]
FLAT, RISING = (0.5,) * 20, tuple(step / 20 for step in range(20))


def lane(name: str, grid: dict[float, tuple[float, ...]], reached: int | None = 100, curve=FLAT) -> Lane:
    finishes = [
        Finish(rate, seed, share, share, reached if share >= 0.9 else None, curve)
        for rate, shares in grid.items()
        for seed, share in enumerate(shares)
    ]
    return Lane(name, tuple(finishes))


HEALTHY = lane("healthy", {0.001: (0.6,), 0.003: (0.97, 0.98, 0.96), 0.01: (0.2,)})


def told(broken: Lane, healthy: Lane = HEALTHY) -> tuple[str, str]:
    said = verdict(Race(healthy, broken, "made up", 400))
    return said.kind, said.sentence


@pytest.mark.parametrize(
    ("grid", "kind"),
    [
        ({0.001: (0.3,), 0.003: (0.5, 0.52, 0.48), 0.01: (0.2,)}, WORSE),
        ({0.001: (0.96, 0.97, 0.96), 0.003: (0.2,), 0.01: (0.2,)}, SMALLER),
        ({0.001: (0.2,), 0.003: (0.3,), 0.01: (0.97, 0.96, 0.97)}, LARGER),
        ({0.001: (0.6,), 0.003: (0.96, 0.97, 0.98), 0.01: (0.3,)}, AS_GOOD),
        ({0.003: (0.97, 0.6, 0.97)}, UNCLEAR),
        ({0.003: (float("nan"),) * 3}, WORSE),
    ],
)
def test_each_kind_of_verdict_follows_from_its_grid(grid: dict[float, tuple[float, ...]], kind: str):
    assert told(lane("broken", grid))[0] == kind


def test_one_rate_does_not_decide():
    """At the healthy model's rate alone the broken one has 0.2; its own best rate is as good."""
    kind, sentence = told(lane("broken", {0.001: (0.96, 0.97, 0.96), 0.003: (0.2, 0.2, 0.2)}))
    assert kind == SMALLER
    assert "0.20 right at rate 0.003" in sentence
    assert "0.96 right at rate 0.001" in sentence


def test_one_seed_does_not_decide():
    """Whichever seed of three is the bad one, the verdict does not call the fault harmful, nor harmless."""
    for place in range(3):
        shares = [0.97] * 3
        shares[place] = 0.7
        assert told(lane("broken", {0.003: tuple(shares)}))[0] == UNCLEAR


def test_slower_names_both_numbers_of_steps():
    kind, sentence = told(lane("broken", {0.003: (0.97, 0.98, 0.96)}, reached=200))
    assert kind == SLOW
    assert "0.9 after 200 steps in place of 100" in sentence


def test_one_number_of_steps_does_not_decide():
    """A variant that is behind and still learning gets more steps; what it has then, decides."""
    behind = lane("broken", {0.003: (0.6, 0.62, 0.58)}, curve=RISING)
    assert needs_overtime(Race(HEALTHY, behind, "made up", 400))
    assert not needs_overtime(Race(HEALTHY, lane("broken", {0.003: (0.6, 0.62, 0.58)}), "made up", 400))
    assert not needs_overtime(Race(HEALTHY, HEALTHY, "made up", 400))
    done = replace(behind, overtime=lane("broken", {0.003: (0.96, 0.97, 0.97)}).finishes)
    assert told(done)[0] == SLOW
    still = replace(behind, overtime=lane("broken", {0.003: (0.7, 0.72, 0.71)}).finishes)
    kind, sentence = told(still)
    assert kind == WORSE
    assert "with 2 times the steps 0.71" in sentence


def test_better_is_said_and_a_healthy_model_that_has_not_learned_tells_nothing():
    weak = lane("healthy", {0.003: (0.6, 0.61, 0.6)})
    assert told(lane("broken", {0.003: (0.97, 0.96, 0.97)}), weak)[0] == BETTER
    assert told(HEALTHY, lane("healthy", {0.003: (0.2, 0.21, 0.2)}))[0] == UNCLEAR


def test_a_rate_that_is_far_behind_is_not_run_again_and_one_that_is_not_is():
    first = lane("any", {0.001: (0.75,), 0.003: (0.9,), 0.01: (0.69,)}).finishes
    assert promising(first) == (0.001, 0.003)


@pytest.mark.slow
def test_a_race_is_run_with_every_rate_and_every_seed_of_the_promising_ones():
    broken = source().patched(Patch("scores / query.shape[-1] ** 0.5", "scores / query.shape[-1]"))
    config = Config(NetworkSizes(8, 2, T=3), steps=4, batch=4)
    entries = Entry("healthy", source(), "transformer.py"), Entry("broken", broken, "broken")
    ran = run_race(*entries, "reverse", config, lambda _: None)
    for one in (ran.healthy, ran.broken):
        assert one.rates == LADDER
        assert {len(one.at(rate)) for rate in one.rates} <= {1, SEEDS}
        assert len(one.at(one.best_rate)) == SEEDS
    assert ran.when == "task reverse, d_model 8, 2 heads, 4 steps, rates 0.0003 to 0.03, 3 seeds"
    names = [part.name for part in race_parts(ran)]
    assert names[:2] == ["ladder", "rates"]
    assert names[-1] == "fair"
    assert run_race(*entries, "reverse", config, lambda _: None) == ran


def test_the_page_says_what_was_not_run_again():
    parts = race_parts(Race(HEALTHY, lane("broken", {0.003: (0.5, 0.5, 0.5)}), "made up", 400))
    rows = {row[0]: row[1:] for row in parts[1].rows}
    assert rows["0.003"][:2] == (pytest.approx(0.97), "3 (best)")
    assert rows["0.001"] == (0.6, "1", None, "0")
    assert "were not run with the others" in parts[0].text
    assert parts[-1].holds is True
    assert parts[-1].measured.endswith("Conditions: made up.")


def test_the_page_never_calls_a_race_won_that_cannot_be_told():
    parts = race_parts(Race(HEALTHY, lane("broken", {0.003: (0.97, 0.6, 0.97)}), "made up", 400))
    assert parts[-1].holds is None
    assert race_parts(Race(HEALTHY, HEALTHY, "made up", 400))[-1].holds is False


@pytest.mark.slow
def test_the_command_shows_the_line_the_ladder_and_the_verdict(attn_lab: Command, monkeypatch: pytest.MonkeyPatch):
    small = Config(NetworkSizes(8, 2, T=3), steps=4, batch=4)
    monkeypatch.setattr("attention_lab.commands.fair_break.race_config", lambda *_: small)
    code, out, err = attn_lab("break", "mask-flip", "--train", "--fair", "--plain")
    assert code == 0, err
    assert "comes: " in out
    assert "rate 0.003" in out
    assert "Conditions: task reverse, d_model 8, 2 heads, 4 steps, rates 0.0003 to 0.03, 3 seeds." in out
    assert "Command: attn-lab break mask-flip --train --fair" in out


def test_fair_without_train_and_a_change_that_no_task_calls_are_refused(attn_lab: Command):
    code, _, err = attn_lab("break", "mask-flip", "--fair")
    assert (code, "--fair needs --train." in err) == (2, True)
    code, _, err = attn_lab("break", "rope-other-base", "--train", "--fair")
    assert (code, "No task here calls what was changed." in err) == (2, True)
