from __future__ import annotations

import numpy as np
import pytest

from attention_lab.demos.pronoun import KEPT, TOLD, Reading, all_sentences, split_task
from attention_lab.errors import BadInput
from attention_lab.result import Matrix, Result
from attention_lab.train.tasks import IT, PRONOUN, WORDS
from attention_lab.variants import Patch, load


@pytest.fixture(scope="module")
def one_network() -> Result:
    from attention_lab.demos.pronoun import run
    from attention_lab.variants import healthy

    return run(healthy(), seeds=1)


@pytest.mark.slow
def test_meaning_is_learned_and_the_map_need_not_show_it(one_network: Result, verdicts):
    assert verdicts(one_network) == {"learned": True, "one-word": True, "row-answers": True, "readable": False}


def test_the_row_is_that_of_it_and_sums_to_one(one_network: Result):
    for name in ("before", "after"):
        rows = one_network[name]
        assert isinstance(rows, Matrix)
        assert rows.rows == ("… tired", "… wide")
        assert rows.columns[IT] == "it"
        assert rows.columns[-1] == "tired/wide"
        np.testing.assert_allclose(np.sum(rows.values, axis=1), 1, atol=1e-5)


def test_the_table_says_what_the_matrix_shows(one_network: Result):
    after, row = one_network["after"], one_network["networks"].rows[0]
    for values, said in zip(after.values, row[2:4], strict=True):
        most = int(np.argmax(values))
        word, weight = said.split()
        assert word in after.columns[most].split("/")
        assert weight == f"{values[most]:.2f}"


def test_all_sentences_are_there_once_and_those_kept_are_never_trained_on():
    sentences = all_sentences()
    assert len(sentences) == len(set(sentences)) == 250
    task = split_task(np.random.default_rng(3))
    kept = task.kept(np.random.default_rng(0), 7, 12)
    assert len(kept.source) == KEPT
    assert [" ".join(WORDS[word] for word in row) for row in kept.source[:2]] == [said for said, _ in TOLD]
    batch = task.batch(np.random.default_rng(0), 4000, 12)
    trained = set(map(tuple, batch.source.tolist()))
    assert len(trained) == 250 - KEPT
    assert not trained & set(map(tuple, kept.source.tolist()))


def test_they_are_the_sentences_of_the_task_with_the_same_answers():
    ours = {(said, WORDS.index(meant)) for said, meant in all_sentences()}
    drawn = PRONOUN.batch(np.random.default_rng(0), 300, 12)
    for source, target in zip(drawn.source, drawn.target, strict=True):
        assert (" ".join(WORDS[word] for word in source), target[IT]) in ours


def test_a_map_reads_right_where_the_noun_meant_gets_most():
    source = np.array([[3, 4, 5], [3, 4, 5]])
    rows = np.array([[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])
    one = Reading(np.array([4, 4]), np.array([4, 5]), rows, source)
    assert (one.right, one.readable) == (0.5, 0.5)
    assert one.most_on.tolist() == [4, 3]


def test_readable_maps_make_the_statement_hold(run_demo, verdicts, monkeypatch):
    monkeypatch.setattr(Reading, "readable", property(lambda _: 1.0))
    monkeypatch.setattr(Reading, "right", property(lambda _: 1.0))
    assert verdicts(run_demo("pronoun", seeds=2, steps=1))["readable"]


def test_untrained_nothing_is_learned(run_demo, verdicts):
    result = run_demo("pronoun", seeds=2, steps=1)
    assert not any(verdicts(result).values())
    assert "0 of 2 networks" in result["learned"].measured


def test_a_model_whose_tokens_never_meet_learns_nothing(run_demo, verdicts):
    alone = load(Patch("return merge_heads(heads) @ w_out\n\n\n# ---- the rest", "return x\n\n\n# ---- the rest"))
    held = verdicts(run_demo("pronoun", alone, seeds=1, steps=100))
    assert not held["learned"]
    assert not held["one-word"]


def test_progress_names_seed_and_step():
    from attention_lab.demos.pronoun import run
    from attention_lab.variants import healthy

    said: list[str] = []
    run(healthy(), steps=50, seeds=1, seed=4, progress=said.append)
    assert len(said) == 1
    assert said[0].startswith("seed 4, step 50 of 50, loss ")


def test_an_attention_without_weights_is_refused(run_demo, patched):
    model = patched("return weights @ value, weights  # blend", "return weights @ value, None")
    with pytest.raises(BadInput, match="returns no weights"):
        run_demo("pronoun", model, seeds=1, steps=1)


@pytest.mark.parametrize("option", ["steps", "seeds"])
def test_bad_options_are_named(run_demo, option: str):
    with pytest.raises(BadInput, match=f"--{option} is 0"):
        run_demo("pronoun", **{option: 0})
