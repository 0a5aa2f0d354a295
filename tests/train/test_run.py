"""Training: what a healthy model learns, what each fault costs, and how a run ends that does not go well."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np
import pytest

from attention_lab.breaks import BREAKS
from attention_lab.train.adam import adam_step, initial_moments, warmed_up_rate
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.run import WORK, Config, Scores, TrainingRun, examples_of, mean_entropy, train_model
from attention_lab.train.tasks import PRONOUN, REVERSE, TASKS, find_task
from attention_lab.train.train_page import ending_notes, step_of_rise
from attention_lab.train.tree import weight_leaves
from attention_lab.variants import Patch, Source, source

BY_NAME = {one.name: one for one in BREAKS}
SHORT = Config(NetworkSizes(T=5), 300)
TINY = Config(NetworkSizes(d_model=8, heads=2, T=3), 4, batch=4)


def trained(name: str = "", config: Config = SHORT) -> TrainingRun:
    text = source(*BY_NAME[name].patches) if name else source()
    return train_model(text, f"transformer.py with {name}", REVERSE, config)


def edited(old: str, new: str, config: Config = TINY) -> TrainingRun:
    return train_model(source(Patch(old, new)), "edited", REVERSE, config)


# ---- what it costs ----


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(5))
def test_the_healthy_model_learns_to_reverse(seed: int):
    run = trained(config=Config(NetworkSizes(T=4), 300, seed=seed))
    assert run.scores.generated is not None
    assert run.scores.generated >= 0.97
    assert run.diverged is run.stopped is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mask-flip", "mask-zero"])
def test_a_leaking_mask_shows_only_when_the_model_writes(name: str):
    scores = trained(name).scores
    assert scores.accuracy > 0.95
    assert scores.generated is not None
    assert scores.generated < 0.5


@pytest.mark.slow
def test_the_language_model_writes_words_long_before_its_last_step():
    task = find_task("language")
    run = train_model(source(), "healthy", task, Config(task.sizes, 200, task.defaults.rate, batch=task.defaults.batch))
    assert run.scores.generated is not None
    assert run.scores.generated > 0.6


def test_without_positions_nothing_is_learned_about_order():
    scores = trained("no-position", Config(NetworkSizes(T=6), 120)).scores
    assert scores.generated is not None
    assert scores.generated < 0.4


@pytest.mark.slow
def test_without_scale_one_head_of_128_learns_nothing():
    wide = Config(NetworkSizes(d_model=128, heads=1, T=5), 70, 2e-3)
    healthy, broken = trained(config=wide).scores, trained("no-scale", wide).scores
    assert broken.generated is not None
    assert healthy.generated is not None
    assert broken.generated < 0.4
    assert healthy.accuracy > broken.accuracy + 0.1
    assert healthy.entropy is not None
    assert broken.entropy is not None
    assert broken.entropy < healthy.entropy / 2


# ---- how runs go, and end ----


def test_the_same_seed_gives_the_same_run_and_another_does_not():
    one, two, three = (trained(config=Config(TINY.sizes, 4, batch=4, seed=seed)) for seed in (3, 3, 4))
    assert one.losses == two.losses
    assert all(
        (a == b).all() for (_, a), (_, b) in zip(weight_leaves(one.weights), weight_leaves(two.weights), strict=True)
    )
    assert one.losses != three.losses


def test_healthy_and_broken_start_from_the_same_weights_and_see_the_same_batches():
    same = edited(
        "scores = scores / query.shape[-1] ** 0.5  # scale", "scores = scores / (query.shape[-1] ** 0.5)  # scale"
    )
    np.testing.assert_allclose(same.losses, trained(config=TINY).losses, rtol=1e-5)


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_weights_stay_float32(dropout: float):
    run = trained(config=Config(TINY.sizes, 2, batch=4, dropout=dropout))
    assert {array.dtype for _, array in weight_leaves(run.weights)} == {np.dtype(np.float32)}


def test_dropout_is_off_in_evaluation():
    config = Config(TINY.sizes, 0, batch=4)
    without, with_it = trained(config=config), trained(config=Config(TINY.sizes, 0, batch=4, dropout=0.5))
    assert without.scores == with_it.scores


def test_a_loss_that_is_nan_from_the_first_step_is_a_result():
    run = edited(
        "exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))", "exponentials = np.exp(logits * np.nan)"
    )
    assert run.diverged == 1
    assert len(run.losses) == 1
    assert not run.refused
    assert all(np.isfinite(array).all() for _, array in weight_leaves(run.weights))


def test_a_rate_that_is_too_large_is_a_result_with_the_step():
    run = trained(config=Config(TINY.sizes, 60, rate=10, batch=4))
    (note,) = ending_notes([("healthy", run)])
    step = int(note.text.split()[3])
    assert run.losses[step - 2] <= run.losses[0] < min(run.losses[step - 1 :])
    assert list(ending_notes([("healthy", trained(config=Config(TINY.sizes, 60, batch=4)))])) == []


@pytest.mark.parametrize(
    ("losses", "step"),
    [
        ([3.0, *[4.0] * 20], 2),
        ([3.0, *[4.0] * 19], None),
        ([3.0, *[4.0] * 20, 2.0], None),
        ([3.0] * 30, None),
        ([], None),
    ],
)
def test_the_step_from_which_on_the_loss_is_higher(losses: list[float], step: int | None):
    assert step_of_rise(losses) == step


def test_a_loss_whose_perplexity_no_float_holds():
    assert Scores(1e4, 0.0, None, None).perplexity == np.inf


def test_a_model_that_raises_is_a_result():
    run = edited("return np.tril(np.ones((Tq, Tk), dtype=bool), k=Tk - Tq)", "return np.zeros((Tq, Tk), dtype=bool)")
    assert "may attend to nothing" in run.refused
    assert run.losses == ()


def test_a_loss_that_is_no_number_is_told():
    run = edited("return -((log_probabilities * wanted)", "return 0 * labels - ((log_probabilities * wanted)")
    assert "real scalar-output" in run.refused


def test_an_interruption_leaves_what_there_is():
    def progress(step: int, loss: float, accuracy: float) -> None:
        assert loss > 0
        assert 0 <= accuracy <= 1
        if step == 3:
            raise KeyboardInterrupt

    run = train_model(source(), "healthy", REVERSE, TINY, progress)
    assert run.stopped == 3
    assert len(run.losses) == len(run.norms) == len(run.accuracies) == 3
    assert np.isfinite(run.scores.loss)


def test_an_interruption_of_the_scores_leaves_those_that_cost_little():
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    told: list[int] = []
    run = train_model(source(), "healthy", replace(REVERSE, says=interrupted), TINY, ending=told.append)
    assert told == [run.scores.count] == [256]
    assert run.stopped == len(run.losses) == TINY.steps
    assert np.isfinite(run.scores.loss)
    assert run.scores.entropy is not None
    assert run.scores.generated is None
    assert run.maps
    (note,) = ending_notes([("healthy", run)])
    assert note.text.endswith("interrupted after 4 of 4 steps, and before it had written its examples.")


@pytest.mark.parametrize("error", [SystemExit, MemoryError, RecursionError, OSError])
def test_whatever_the_writing_raises_is_a_result(error: type[BaseException]):
    def raising(*_: object) -> NoReturn:
        raise error("oh")

    run = train_model(source(), "healthy", replace(REVERSE, says=raising), TINY)
    assert f"raised {error.__name__}: oh" in run.refused
    assert np.isfinite(run.scores.loss)


def work(sizes: NetworkSizes) -> int:
    """Multiplications by a weight, and weights of attention, until all examples are written."""
    tokens = sum(range(1, sizes.T + 1))
    return examples_of(sizes) * sizes.layers * tokens * (sizes.d_model**2 + 4 * sizes.heads * sizes.T)


@pytest.mark.parametrize(
    "sizes", [NetworkSizes(), NetworkSizes(T=64), NetworkSizes(d_model=128, heads=1), find_task("language").sizes]
)
def test_usual_sizes_are_scored_on_256_examples(sizes: NetworkSizes):
    assert examples_of(sizes) == 256


@pytest.mark.parametrize("layers", [1, 24])
@pytest.mark.parametrize("d_model", [32, 1024])
@pytest.mark.parametrize("T", [2, 8, 32, 128, 512])
def test_no_size_is_written_for_minutes(T: int, d_model: int, layers: int):
    sizes = NetworkSizes(d_model, 4, layers, T)
    assert 2 <= examples_of(sizes) <= 256
    assert work(sizes) < WORK or examples_of(sizes) == 2


def test_attention_that_returns_no_weights_is_trained_without_a_map():
    own = "def multi_head(x, source, w_query, w_key, w_value, w_out, h, mask=None):\n    return x @ w_out\n"
    run = train_model(Source(source().model, own, "mine.py"), "mine", REVERSE, TINY)
    assert run.maps == ()
    assert run.scores.entropy is None
    assert np.isfinite(run.losses).all()


# ---- tasks ----


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_trains_a_few_steps_and_says_something(task):
    run = train_model(source(), "healthy", task, Config(task.sizes, 3, batch=4))
    assert not run.refused
    assert run.losses[-1] < run.losses[0] + 1
    assert len(run.scores.examples) == 3
    assert run.maps
    for one in run.maps:
        assert one.weights.shape == (len(one.rows), len(one.columns))


@pytest.mark.parametrize(
    ("name", "given", "wanted"), [("reverse", "CAB", "BAC"), ("copy", "CAB", "CAB"), ("sort", "CAB", "ABC")]
)
def test_what_is_asked(name: str, given: str, wanted: str):
    task = find_task(name)
    batch = task.batch(np.random.default_rng(0), 50, 3)
    change = {"reverse": lambda ids: ids[::-1], "copy": list, "sort": sorted}[name]
    for source_ids, target in zip(batch.source.tolist(), batch.target.tolist(), strict=True):
        assert target == [1, *change(source_ids)]
    assert "".join(change(given)) == wanted


def test_it_is_the_animal_when_it_is_tired_and_the_street_when_it_is_wide():
    batch = PRONOUN.batch(np.random.default_rng(0), 200, 12)
    meant = {}
    for ids, target in zip(batch.source, batch.target, strict=True):
        words = [PRONOUN.vocabulary[number] for number in ids]
        noun = PRONOUN.vocabulary[target.max()]
        assert (target != 0).sum() == 1
        meant.setdefault(words[-1], set()).add("animal" if noun == words[1] else "place")
    assert meant["tired"] == {"animal"}
    assert meant["wide"] == {"place"}
    assert all(len(which) == 1 for which in meant.values())


def test_the_end_of_a_text_is_never_trained_on():
    text = "ab" * 500 + "cd" * 60
    task = find_task("language", text)
    rng = np.random.default_rng(0)
    seen = {task.vocabulary[one] for one in np.unique(task.batch(rng, 100, 8).target)}
    kept = {task.vocabulary[one] for one in np.unique(task.kept(rng, 100, 8).target)}
    assert seen <= {"a", "b", "c", "d"}
    assert kept == {"c", "d"}


# ---- Adam ----


def test_adam_against_its_definition():
    rng = np.random.default_rng(0)
    vector, moments = rng.standard_normal(5), initial_moments(np.zeros(5))
    mean = square = np.zeros(5)
    expected = vector
    for step in range(1, 6):
        gradient = rng.standard_normal(5)
        vector, moments = adam_step(vector, gradient, moments, 0.01)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.98 * square + 0.02 * gradient**2
        expected = expected - 0.01 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.98**step)) + 1e-9)
        np.testing.assert_allclose(vector, expected, rtol=1e-12)


def test_adam_leaves_its_inputs_alone_and_keeps_float32():
    vector, gradient = np.ones(3, np.float32), np.ones(3, np.float32)
    after, moments = adam_step(vector, gradient, initial_moments(vector), 0.1)
    assert (vector == 1).all()
    assert after.dtype == moments.mean.dtype == moments.square.dtype == np.float32


def test_the_rate_rises_and_falls_as_in_the_paper():
    rates = [warmed_up_rate(1.0, step, 40) for step in (1, 20, 40, 160)]
    assert rates == pytest.approx([1 / 40, 0.5, 1.0, 0.5])


def test_entropy_of_equal_weights():
    assert mean_entropy([np.full((2, 3, 4), 0.25)]) == pytest.approx(np.log(4))
    assert mean_entropy([np.eye(3)]) == 0
