"""Gradients against finite differences, fused against line by line, and what may not be fused."""

from __future__ import annotations

import numpy as np
import pytest
from autograd import core, grad
from autograd.extend import SparseObject
from autograd.test_util import check_grads

from attention_lab import weights as init
from attention_lab.breaks import BREAKS
from attention_lab.train import fused, numbers
from attention_lab.train.fused import FUSED
from attention_lab.train.gradient import trainable, unchanged_functions, unpack_traced, value_and_grad, with_dropout
from attention_lab.train.tree import pack_weights, unpack_weights, weight_leaves
from attention_lab.variants import Patch, Source, model_source, source

BY_NAME = {one.name: one for one in BREAKS}
B, TQ, TK, D, H, V = 2, 3, 4, 6, 2, 5
SCALED = "scores = scores / query.shape[-1] ** 0.5  # scale"
SOFTMAX = "return exponentials / exponentials.sum(axis=-1, keepdims=True)"


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


def broken(name: str) -> Source:
    return source(*BY_NAME[name].patches)


def gradient_of(text: Source, dtype=np.float64, fuse: bool = True, network: str = "encoder_decoder"):
    """Loss and packed gradient of a small network, with padding in its source."""
    model = trainable(text, "it", fuse)
    ids = np.random.default_rng(1).integers(1, V, (B, TK + 1))
    ids[0, -1] = 0
    if network == "encoder_decoder":
        weights = init.encoder_decoder(np.random.default_rng(0), V, D, 2 * D, 2, dtype)

        def loss(tree):
            read, owed = model.teacher_forcing(ids)
            return model.cross_entropy(model.encoder_decoder(ids[:, 1:], read, tree, H), owed)
    else:
        weights = init.decoder_only(np.random.default_rng(0), V, D, 2 * D, 2, 8, dtype)

        def loss(tree):
            read, owed = model.teacher_forcing(ids)
            return model.cross_entropy(model.decoder_only(read, tree, H), owed)

    return value_and_grad(loss, weights)(pack_weights(weights))


# ---- finite differences ----


def test_softmax():
    check_grads(fused.SOFTMAX, modes=["rev"], order=1)(normal(B, H, TQ, TK))


@pytest.mark.parametrize("mask", [None, np.tril(np.ones((TQ, TK), bool), 1), normal(B, 1, 1, TK) < 1])
def test_multi_head(mask: np.ndarray | None):
    arrays = [normal(B, TQ, D), normal(B, TK, D), *(normal(D, D, seed=seed) for seed in range(4))]
    check_grads(lambda *given: fused.MULTI_HEAD(*given, H, mask), modes=["rev"], order=1)(*arrays)


def test_layer_norm():
    check_grads(lambda *given: fused.LAYER_NORM(*given, 1e-5), modes=["rev"], order=1)(
        normal(B, TQ, D), normal(D), normal(D, seed=1)
    )


def test_feed_forward():
    arrays = [normal(B, TQ, D), normal(D, 2 * D), normal(2 * D), normal(2 * D, D), normal(D)]
    check_grads(fused.FEED_FORWARD, modes=["rev"], order=1)(*arrays)


def test_embed_and_look_up():
    ids = np.array([[1, 2, 2], [4, 0, 1]])
    for function in (fused.EMBED, fused.LOOK_UP):
        check_grads(lambda table, function=function: function(table, ids), modes=["rev"], order=1)(normal(V, D))


def test_cross_entropy_with_padding():
    labels = np.array([[1, 2, 0], [4, 0, 1]])
    check_grads(lambda logits: fused.CROSS_ENTROPY(logits, labels, 0), modes=["rev"], order=1)(normal(B, TQ, V))


def test_a_wrong_gradient_is_noticed():
    wrong = fused.differentiable(
        fused.softmax, lambda gradient, weights: (1.01 * fused.softmax_back(gradient, weights)[0],)
    )
    with pytest.raises(AssertionError):
        check_grads(wrong, modes=["rev"], order=1)(normal(TQ, TK))


def test_pieces_of_a_vector():
    weights = init.encoder_layer(np.random.default_rng(0), D, D)

    def some(vector):
        tree = unpack_traced(vector, weights)
        return (tree["attention"]["w_key"] ** 2).sum() + (tree["norm_2"]["gain"] * tree["norm_1"]["gain"]).sum()

    check_grads(some, modes=["rev"], order=1)(pack_weights(weights))


@pytest.mark.parametrize("name", ["", "no-scale", "mask-zero", "mask-flip", "no-position"])
def test_a_whole_network_against_finite_differences(name: str):
    text = broken(name) if name else source()
    model = trainable(text, "it")
    weights = init.encoder_decoder(np.random.default_rng(0), V, D, D, 1)
    ids = np.array([[1, 3, 4, 2], [1, 2, 2, 3]])

    def loss(vector):
        read, owed = model.teacher_forcing(ids)
        return model.cross_entropy(model.encoder_decoder(ids[:, 1:], read, unpack_traced(vector, weights), H), owed)

    check_grads(loss, modes=["rev"], order=1)(pack_weights(weights))


# ---- fused against line by line ----


@pytest.mark.parametrize("network", ["encoder_decoder", "decoder_only"])
@pytest.mark.parametrize("name", ["", "no-scale", "mask-flip", "mask-zero", "no-position"])
def test_fused_is_line_by_line(name: str, network: str):
    text = broken(name) if name else source()
    (loss, gradient), (same_loss, same_gradient) = (
        gradient_of(text, fuse=fuse, network=network) for fuse in (True, False)
    )
    assert loss == pytest.approx(same_loss, abs=1e-12)
    np.testing.assert_allclose(gradient, same_gradient, atol=1e-12)


def test_fused_functions_are_themselves_at_unusual_shapes():
    model = trainable(source(), "it")
    x, matrices = normal(TQ, D), [normal(D, D, seed=seed) for seed in range(4)]
    plain = source().load("it")
    np.testing.assert_allclose(model.multi_head(x, x, *matrices, H), plain.multi_head(x, x, *matrices, H))
    np.testing.assert_allclose(model.layer_norm(x, 1.0 + x, 0 * x), plain.layer_norm(x, 1.0 + x, 0 * x))
    with pytest.raises(ValueError, match="does not divide into 4 heads"):
        model.multi_head(x[None], x[None], *matrices, 4)


OTHER_TYPES = {  # breaks that themselves compute in another type on the way to the loss, and why
    "scale-float64": "float64",  # that is the fault
    "scores-half": "float16",  # that is the fault
    "mask-inf-times": "float64",  # the mask becomes numbers, which NumPy makes of 64 bits
    "mask-scaled": "float64",  # the same
    "mask-added-infinity": "float64",  # the same
}
TEXTS = {"healthy": source()} | {one.name: source(*one.patches) for one in BREAKS}


def types_seen(text: Source, network: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The types of every gradient on the way back, as far as it is gone, and that of the weights."""
    seen, add = set(), core.add_outgrads

    def watching(before, gradient):
        seen.add((gradient.vs if isinstance(gradient, SparseObject) else gradient).dtype.name)
        return add(before, gradient)

    with monkeypatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(core, "add_outgrads", watching)
        try:
            _, vector = gradient_of(text, np.float32, network=network)
        except (ValueError, IndexError, TypeError):  # a fault that cannot be run at all
            return seen
    assert vector.dtype == np.float32
    return seen


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", TEXTS)
def test_float32_throughout(name: str, monkeypatch: pytest.MonkeyPatch):
    seen = set()
    for network in ("encoder_decoder", "decoder_only"):
        seen |= types_seen(TEXTS[name], network, monkeypatch)
    assert seen - {"float32"} == {OTHER_TYPES[name]} if name in OTHER_TYPES else seen <= {"float32"}


@pytest.mark.parametrize(
    "line", ["exponentials.mean(axis=-1, keepdims=True)", "np.var(exponentials)", "np.log2(exponentials + 3.0)"]
)
def test_float32_also_in_an_edit(line: str, monkeypatch: pytest.MonkeyPatch):
    text = source(Patch(SOFTMAX, f"return exponentials / {line}"))
    assert types_seen(text, "encoder_decoder", monkeypatch) == {"float32"}


@pytest.mark.parametrize("function", ["max", "min", "mean", "var", "std"])
def test_gradients_that_are_narrowed_are_right(function: str):
    check_grads(lambda x: getattr(numbers, function)(x, axis=-1), modes=["rev"], order=2)(normal(TQ, D))
    check_grads(
        lambda x: numbers.maximum(x, 0.1) + numbers.exp2(x) * x**3 + numbers.log10(x**2), modes=["rev"], order=2
    )(normal(TQ))


def test_a_python_number_has_its_gradient_too():
    assert grad(lambda x: numbers.power(x, 2) + numbers.maximum(x, 1.0))(3.0) == 7.0


# ---- what may be fused ----


def test_all_of_the_healthy_model_may_be_fused():
    assert set(FUSED) <= unchanged_functions(source())


@pytest.mark.parametrize(
    ("old", "new", "fused_still"),
    [
        (SCALED, "pass", {"softmax", "layer_norm", "feed_forward", "embed", "cross_entropy"}),
        (SOFTMAX, "return exponentials", {"layer_norm", "feed_forward", "embed", "cross_entropy"}),
        (
            "scores = scores / query.shape[-1] ** 0.5  # scale",
            "scores = scores / query.shape[-1] ** 0.5  # a comment",
            set(FUSED),
        ),
        ("base=10000.0):  # -> (T, d_model)", "base=100.0):  # -> (T, d_model)", set(FUSED) - {"embed"}),
        ("import numpy as np\n", "import numpy as np\nlayer_norm = 3\n", set()),
        ("import numpy as np\n", "import numpy as np\nfrom math import exp\n", set()),
    ],
)
def test_neither_a_changed_function_nor_one_above_it_is_fused(old: str, new: str, fused_still: set[str]):
    assert unchanged_functions(source(Patch(old, new))) & set(FUSED) == fused_still


def blocks(text: str) -> dict[str, str]:
    """The text of each function, found without a parser."""
    return {block.partition("(")[0]: block.partition("\n\n\n")[0] for block in text.split("\ndef ")[1:]}


PARTS = {one.part: one for one in reversed(BREAKS) if not one.harmless}


@pytest.mark.parametrize("one", PARTS.values(), ids=PARTS)
def test_no_break_is_bypassed(one):
    text, model = source(*one.patches), trainable(source(*one.patches), "it")
    healthy, now = blocks(model_source()), blocks(text.model)
    changed = {name for name in healthy if now.get(name) != healthy[name]}
    while callers := {name for name in healthy if any(f"{one}(" in healthy[name] for one in changed)} - changed:
        changed |= callers
    for name in changed:
        assert getattr(model, name).__module__ != "attention_lab.train.fused", name


def test_a_persons_own_file_is_not_bypassed():
    own = "def softmax(logits):\n    return logits\n"
    assert "multi_head" not in unchanged_functions(Source(model_source(), own, "mine.py"))
    assert "layer_norm" in unchanged_functions(Source(model_source(), own, "mine.py"))
    assert unchanged_functions(Source(model_source(), "multi_head = None\n", "mine.py")) == set()


# ---- the rest ----


def test_packed_and_unpacked():
    weights = init.encoder_decoder(np.random.default_rng(0), V, D, D, 2, np.float32)
    again = unpack_weights(pack_weights(weights), weights)
    assert [path for path, _ in weight_leaves(again)] == [path for path, _ in weight_leaves(weights)]
    assert all(
        (one == two).all() for (_, one), (_, two) in zip(weight_leaves(weights), weight_leaves(again), strict=True)
    )


def test_a_loss_without_weights_in_it_has_gradient_zero():
    weights = {"a": normal(3)}
    assert (value_and_grad(lambda _: 2.0, weights)(pack_weights(weights))[1] == 0).all()


def test_dropout_uses_the_models_own():
    text = source(Patch("return x * kept.astype(x.dtype) / (1 - rate)", "return x * 0"))
    model = with_dropout(trainable(text, "it"), 0.5, np.random.default_rng(0))
    assert (model.feed_forward(normal(B, TQ, D), normal(D, D), normal(D), normal(D, D), normal(D)) == 0).all()
