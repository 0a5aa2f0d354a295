"""The model against the oracle's loops, in sizes that are all different: T = d_k, h = 1, B = 1 or K = V hide faults."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab import transformer as model
from attention_lab import weights as init

B, h, Tq, Tk, d_k, d_v, d_model, d_ff, V = 2, 3, 5, 7, 4, 6, 12, 10, 11


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20170612)


def lists(tree: Any) -> Any:
    """Nested weights with every array as lists, as the oracle takes them."""
    if isinstance(tree, dict):
        return {name: lists(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return [lists(value) for value in tree]
    return tree.tolist()


def shaken(weights: Any, rng: np.random.Generator) -> Any:
    """The same weights with gains and biases that are not one and zero, so that leaving one out shows."""
    if isinstance(weights, dict):
        return {name: shaken(value, rng) for name, value in weights.items()}
    if isinstance(weights, list):
        return [shaken(value, rng) for value in weights]
    return weights + 0.3 * rng.standard_normal(weights.shape).astype(weights.dtype)


def draw(rng: np.random.Generator, *lead: int, dtype: Any = float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    shapes = ((*lead, Tq, d_k), (*lead, Tk, d_k), (*lead, Tk, d_v))
    query, key, value = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    return query, key, value


# ---- attention ----


def test_attention_is_the_oracles_for_every_batch_and_head(rng):
    query, key, value = draw(rng, B, h)
    mask = rng.random((B, h, Tq, Tk)) < 0.6
    mask[..., 0] = True
    output, weights = model.attention(query, key, value, mask)
    assert output.shape == (B, h, Tq, d_v)
    assert weights.shape == (B, h, Tq, Tk)
    for b in range(B):
        for i in range(h):
            at = (b, i)
            expected, expected_weights = oracle.attention(*(x[at].tolist() for x in (query, key, value, mask)))
            np.testing.assert_allclose(output[at], expected, rtol=1e-12, atol=1e-14)
            np.testing.assert_allclose(weights[at], expected_weights, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("fault", "spoil"),
    [
        ("no scale", lambda q, k, v: (q * d_k**0.5, k, v)),
        ("scaled by d_k", lambda q, k, v: (q / d_k**0.5, k, v)),
        ("key and value exchanged", lambda q, k, v: (q, v[..., :d_k], np.concatenate([k, k], -1)[..., :d_v])),
        ("one key moved", lambda q, k, v: (q, np.roll(k, 1, axis=-2), v)),
    ],
)
def test_the_comparison_with_the_oracle_can_fail(rng, fault, spoil):
    query, key, value = draw(rng)
    output, _ = model.attention(*spoil(query, key, value))
    expected, _ = oracle.attention(query.tolist(), key.tolist(), value.tolist())
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        np.testing.assert_allclose(output, expected, rtol=1e-6, err_msg=fault)


@pytest.mark.parametrize("lead", [(), (B,), (B, h), (2, 3, 4)])
def test_any_leading_axes(rng, lead):
    query, key, value = draw(rng, *lead)
    output, weights = model.attention(query, key, value)
    assert output.shape == (*lead, Tq, d_v)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)


def test_keys_shared_by_all_heads_broadcast(rng):
    query, key, value = draw(rng, B, h)
    shared, _ = model.attention(query, key[:, :1], value[:, :1])
    last, _ = model.attention(query[:, 2], key[:, 0], value[:, 0])
    np.testing.assert_allclose(shared[:, 2], last)


@pytest.mark.parametrize("logits", [1e4, -1e4, 1e300])
def test_softmax_survives_huge_logits(logits):
    weights = model.softmax(np.array([[logits, 0.0, logits]]))
    np.testing.assert_allclose(weights.sum(), 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9), st.floats(0, 50))
def test_rows_sum_to_one_and_forbidden_weights_are_exactly_zero(seed, rows, keys, spread):
    rng = np.random.default_rng(seed)
    query, key, value = rng.normal(0, spread, (rows, 3)), rng.normal(0, 1, (keys, 3)), rng.normal(0, 1, (keys, 2))
    mask = rng.random((rows, keys)) < 0.5
    mask[np.arange(rows), rng.integers(0, keys, rows)] = True
    _, weights = model.attention(query, key, value, mask)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    assert (weights[~mask] == 0).all()
    assert (weights >= 0).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_reordering_the_tokens_reorders_the_output(seed, tokens):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((tokens, 4))
    order = rng.permutation(tokens)
    straight, _ = model.attention(x, x, x)
    shuffled, _ = model.attention(x[order], x[order], x[order])
    np.testing.assert_allclose(shuffled, straight[order], rtol=1e-10, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40), st.integers(1, 9), st.integers(1, 9))
def test_tiled_attention_is_attention(seed, rows, keys, height, width):
    rng = np.random.default_rng(seed)
    query, key, value = rng.normal(0, 4, (2, rows, 3)), rng.normal(0, 4, (2, keys, 3)), rng.normal(0, 1, (2, keys, 5))
    whole, _ = model.attention(query, key, value)
    tiled = model.tiled_attention(query, key, value, height, width)
    np.testing.assert_allclose(tiled, whole, rtol=1e-9, atol=1e-12)


# ---- masks ----


@pytest.mark.parametrize(("rows", "keys"), [(Tq, Tq), (Tq, Tk), (1, Tk), (1, 1)])
def test_causal_mask_is_aligned_to_the_end(rows, keys):
    assert model.causal_mask(rows, keys).tolist() == oracle.causal_mask(rows, keys)


def test_causal_mask_of_one_length_is_square():
    assert model.causal_mask(Tq).tolist() == oracle.causal_mask(Tq, Tq)


def test_masks_have_the_documents_shapes():
    ids = np.array([[5, 3, 0, 0], [4, 6, 2, 0]])
    padding = model.padding_mask(ids)
    assert padding.shape == (2, 1, 1, 4)
    assert padding[:, 0, 0].tolist() == [[True, True, False, False], [True, True, True, False]]
    both = model.decoder_mask(ids)
    assert both.shape == (2, 1, 4, 4)
    expected = [[[j <= i and ids[b, j] != 0 for j in range(4)] for i in range(4)] for b in range(2)]
    assert both[:, 0].tolist() == expected


def test_another_pad_id():
    assert model.padding_mask(np.array([[1, 9]]), pad=9).tolist() == [[[[True, False]]]]


def test_a_query_without_any_key_is_rejected_by_its_row(rng):
    query, key, value = draw(rng, B)
    mask = np.ones((B, Tq, Tk), dtype=bool)
    mask[1, 3] = False
    with pytest.raises(ValueError, match=r"mask row \[1, 3\] may attend to nothing"):
        model.attention(query, key, value, mask)


def test_more_queries_than_keys_leave_the_first_without_a_past(rng):
    query, key, value = draw(rng)
    with pytest.raises(ValueError, match=r"mask row \[0\] may attend to nothing"):
        model.attention(query, key[:3], value[:3], model.causal_mask(Tq, 3))


@pytest.mark.parametrize("mask", [np.ones((Tq, Tk)), np.zeros((Tq, Tk)), np.ones((Tq, Tk), dtype=int)])
def test_a_mask_of_numbers_is_rejected(rng, mask):
    with pytest.raises(TypeError, match=r"True = may attend; this one holds (float|int)64"):
        model.attention(*draw(rng), mask)


# ---- positions ----


@pytest.mark.parametrize("width", [1, 2, 7, 12])
def test_sinusoidal_positions(width):
    np.testing.assert_allclose(model.sinusoidal_positions(Tk, width), oracle.positions(Tk, width), atol=1e-12)


def test_rope_turns_pairs(rng):
    x = rng.standard_normal((Tq, 6))
    where = np.array([3, 0, 9, 4, 1])
    np.testing.assert_allclose(model.rope(x, where), oracle.rope(x.tolist(), where.tolist()), atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(0, 500), st.integers(0, 500), st.integers(0, 5000))
def test_rope_scores_depend_on_the_distance_only(seed, m, n, shift):
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((1, 8)), rng.standard_normal((1, 8))

    def score(at_query: int, at_key: int) -> float:
        return float((model.rope(query, np.array([at_query])) @ model.rope(key, np.array([at_key])).T).item())

    assert score(m, n) == pytest.approx(score(m + shift, n + shift), abs=1e-9)


def test_rope_refuses_an_odd_width():
    with pytest.raises(ValueError, match="d_k must be even; it is 5"):
        model.rope(np.ones((2, 5)), np.arange(2))


# ---- heads, norm, feed-forward ----


def test_splitting_and_merging_heads_are_inverse(rng):
    x = rng.standard_normal((B, Tq, d_model))
    split = model.split_heads(x, h)
    assert split.shape == (B, h, Tq, d_model // h)
    np.testing.assert_array_equal(split[:, 1], x[..., 4:8])
    np.testing.assert_array_equal(model.merge_heads(split), x)


def test_heads_must_divide_the_width():
    with pytest.raises(ValueError, match="12 does not divide into 5 heads of one width"):
        model.split_heads(np.ones((2, 12)), 5)


def test_multi_head_with_another_source_and_a_mask(rng):
    x, source = rng.standard_normal((B, Tq, d_model)), rng.standard_normal((B, Tk, d_model))
    weights = init.heads(rng, d_model)
    mask = rng.random((B, 1, Tq, Tk)) < 0.6
    mask[..., 2] = True
    output = model.multi_head(x, source, **weights, h=h, mask=mask)
    for b in range(B):
        expected = oracle.multi_head(x[b].tolist(), source[b].tolist(), lists(weights), h, mask[b, 0].tolist())
        np.testing.assert_allclose(output[b], expected, atol=1e-12)


def test_layer_norm(rng):
    x, gain, bias = rng.normal(3, 2, (B, Tq, d_model)), rng.standard_normal(d_model), rng.standard_normal(d_model)
    output = model.layer_norm(x, gain, bias)
    for b in range(B):
        np.testing.assert_allclose(
            output[b], oracle.layer_norm(x[b].tolist(), gain.tolist(), bias.tolist()), atol=1e-12
        )


def test_layer_norm_divides_by_the_biased_deviation():
    output = model.layer_norm(np.array([[1.0, 0.0, 0.0, 0.0]]), np.ones(4), np.zeros(4), eps=0)
    np.testing.assert_allclose(output[0, 0], 3**0.5)


def test_feed_forward(rng):
    x, weights = rng.standard_normal((Tq, d_model)), shaken(init.feed_forward(rng, d_model, d_ff), rng)
    np.testing.assert_allclose(
        model.feed_forward(x, **weights), oracle.feed_forward(x.tolist(), **lists(weights)), atol=1e-12
    )


# ---- layers and networks ----


def test_layers(rng):
    x, memory = rng.standard_normal((Tq, d_model)), rng.standard_normal((Tk, d_model))
    encoder = shaken(init.encoder_layer(rng, d_model, d_ff), rng)
    decoder = shaken(init.decoder_layer(rng, d_model, d_ff), rng)
    causal = model.causal_mask(Tq)
    cases = [
        (model.encoder_layer(x, encoder, h, causal), oracle.encoder_layer, (encoder, causal)),
        (model.pre_norm_block(x, encoder, h, causal), oracle.pre_norm_block, (encoder, causal)),
    ]
    for output, loops, (layer, mask) in cases:
        np.testing.assert_allclose(output, loops(x.tolist(), lists(layer), h, mask.tolist()), atol=1e-11)
    output = model.decoder_layer(x, memory, decoder, h, causal, np.ones((Tq, Tk), dtype=bool))
    everything = [[True] * Tk] * Tq
    expected = oracle.decoder_layer(x.tolist(), memory.tolist(), lists(decoder), h, causal.tolist(), everything)
    np.testing.assert_allclose(output, expected, atol=1e-11)


def test_encoder_decoder_with_padding_of_different_length(rng):
    weights = shaken(init.encoder_decoder(rng, V, d_model, d_ff, layers=2), rng)
    source = np.array([[3, 4, 2, 5, 6, 0, 0], [7, 8, 9, 10, 2, 1, 0]])
    target = np.array([[1, 8, 9, 2, 0], [1, 10, 4, 5, 2]])
    output = model.encoder_decoder(source, target, weights, h)
    assert output.shape == (B, Tq, V)
    for b in range(B):
        expected = oracle.encoder_decoder(source[b].tolist(), target[b].tolist(), lists(weights), h)
        np.testing.assert_allclose(output[b], expected, atol=1e-10)


def test_decoder_only(rng):
    weights = shaken(init.decoder_only(rng, V, d_model, d_ff, layers=2, T=9), rng)
    ids = np.array([[1, 5, 3, 9, 2], [4, 4, 10, 0, 7]])
    output = model.decoder_only(ids, weights, h)
    assert output.shape == (B, Tq, V)
    for b in range(B):
        np.testing.assert_allclose(output[b], oracle.decoder_only(ids[b].tolist(), lists(weights), h), atol=1e-10)


# ---- training and generation ----


def test_dropout_drops_a_share_and_keeps_the_mean(rng):
    x = np.ones((200, 300), dtype=np.float32)
    dropped = model.dropout(x, 0.25, rng, training=True)
    assert dropped.dtype == np.float32
    assert set(np.unique(dropped)) == {0, np.float32(1 / 0.75)}
    assert (dropped == 0).mean() == pytest.approx(0.25, abs=0.01)
    assert dropped.mean() == pytest.approx(1, abs=0.01)


def test_dropout_does_nothing_in_evaluation(rng):
    x = rng.standard_normal((Tq, d_model))
    np.testing.assert_array_equal(model.dropout(x, 0.5, rng, training=False), x)


def test_teacher_forcing_owes_the_next_token():
    read, owed = model.teacher_forcing(np.array([[1, 8, 9, 2, 0]]))
    assert read.tolist() == [[1, 8, 9, 2]]
    assert owed.tolist() == [[8, 9, 2, 0]]


def test_cross_entropy_leaves_padding_out(rng):
    logits, labels = rng.normal(0, 5, (B, Tq, V)), np.array([[3, 5, 10, 0, 0], [1, 2, 9, 4, 0]])
    expected = oracle.cross_entropy(logits.tolist(), labels.tolist())
    assert model.cross_entropy(logits, labels) == pytest.approx(expected, rel=1e-12)
    assert model.cross_entropy(logits * 1e5, labels) == pytest.approx(
        oracle.cross_entropy((logits * 1e5).tolist(), labels)
    )


@pytest.mark.parametrize("chunks", [(1, 1, 1, 1, 1, 1), (6,), (4, 1, 1), (1, 3, 2)])
def test_decoding_with_a_cache_is_decoding_without(rng, chunks):
    weights = shaken(init.decoder_only(rng, V, d_model, d_ff, layers=2, T=9), rng)
    ids = rng.integers(0, V, (B, 6))
    cache, pieces, start = model.empty_cache(weights, h, B), [], 0
    for length in chunks:
        logits, cache = model.decode_next(ids[:, start : start + length], weights, h, cache)
        pieces.append(logits)
        start += length
    np.testing.assert_allclose(np.concatenate(pieces, axis=1), model.decoder_only(ids, weights, h), atol=1e-12)


# ---- what the file promises ----


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_function_keeps_the_precision_it_is_given(rng, dtype):
    query, key, value = draw(rng, B, dtype=dtype)
    ids = np.array([[1, 2, 3, 0], [4, 5, 0, 0]])
    x = rng.standard_normal((B, Tq, d_model)).astype(dtype)
    tower = init.encoder_decoder(rng, V, d_model, d_ff, 1, dtype)
    gpt = init.decoder_only(rng, V, d_model, d_ff, 1, 4, dtype)
    output, weights = model.attention(query, key, value, model.causal_mask(Tq, Tk))
    outputs = [
        output,
        weights,
        model.rope(query, np.arange(Tq)),
        model.tiled_attention(query, key, value, 2, 3),
        model.layer_norm(x, **init.norm(d_model, dtype)),
        model.encoder_decoder(ids, ids, tower, h),
        model.decoder_only(ids, gpt, h),
        model.decode_next(ids, gpt, h, model.empty_cache(gpt, h, B))[0],
        model.cross_entropy(x, np.array([[1, 2, 3, 4, 0]] * B)),
    ]
    assert [array.dtype for array in outputs] == [dtype] * len(outputs)


def test_no_function_changes_its_inputs(rng):
    query, key, value = draw(rng)
    mask = model.causal_mask(Tq, Tk)
    before = [array.copy() for array in (query, key, value, mask)]
    model.attention(query, key, value, mask)
    model.tiled_attention(query, key, value, 2, 3)
    model.rope(query, np.arange(Tq))
    for array, copy in zip((query, key, value, mask), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def functions() -> list[ast.FunctionDef]:
    tree = ast.parse(inspect.getsource(model))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_functions_are_at_most_15_lines_with_shapes_on_the_signature_line():
    lines = inspect.getsource(model).splitlines()
    for function in functions():
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < 15, f"{function.name} is too long to read aloud"
        assert "# " in lines[function.lineno - 1], f"{function.name} says no shapes on its signature line"
        assert "->" in lines[function.lineno - 1].split("# ")[1], f"{function.name} does not say what comes out"


def test_each_function_uses_only_those_above_it():
    known: set[str] = set()
    every = {function.name for function in functions()}
    for function in functions():
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} & every
        assert used <= known | {function.name}, f"{function.name} uses {used - known}, which stands below it"
        known.add(function.name)


def test_the_file_holds_functions_and_the_import_of_numpy_and_nothing_else():
    kinds = {type(node) for node in ast.parse(inspect.getsource(model)).body[1:]}
    assert kinds == {ast.Import, ast.FunctionDef}
