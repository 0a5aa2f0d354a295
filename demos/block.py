"""Block: what residual, norm and feed-forward do, and what becomes of a stack of layers without them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Column, Note, Result, Statement, series, table
from attention_lab.text import count, listed
from attention_lab.variants import Call, Model, record_calls

Array = NDArray[np.floating]
Layer = Callable[[Model, Array, weights.Weights], Array]

T, H, PUSHES = 10, 4, 4
STEP = 1e-5  # length of a push relative to x
VISIBLE = 5e-5  # smaller numbers are printed as 0.0000


def no_residual(model: Model, x: Array, layer: weights.Weights) -> Array:  # (T, d_model) -> (T, d_model)
    """A post-norm layer that replaces each token in place of changing it, put together from the model's functions."""
    x = model.layer_norm(model.multi_head(x, x, **layer["attention"], h=H), **layer["norm_1"])
    replaced: Array = model.layer_norm(model.feed_forward(x, **layer["feed_forward"]), **layer["norm_2"])
    return replaced


def no_norm(model: Model, x: Array, layer: weights.Weights) -> Array:  # (T, d_model) -> (T, d_model)
    """The two sums of a layer, without the norms."""
    x = x + model.multi_head(x, x, **layer["attention"], h=H)
    summed: Array = x + model.feed_forward(x, **layer["feed_forward"])
    return summed


def neither(model: Model, x: Array, layer: weights.Weights) -> Array:  # (T, d_model) -> (T, d_model)
    """The two sublayers and nothing else."""
    x = model.multi_head(x, x, **layer["attention"], h=H)
    replaced: Array = model.feed_forward(x, **layer["feed_forward"])
    return replaced


LAYERS: dict[str, Layer] = {
    "post-norm": lambda model, x, layer: model.encoder_layer(x, layer, H),
    "pre-norm": lambda model, x, layer: model.pre_norm_block(x, layer, H),
    "no residual": no_residual,
    "no norm": no_norm,
    "neither": neither,
}
CURVES = ("post-norm", "pre-norm", "no residual")


def layer_levels(model: Model, kind: str, x: Array, stack: list[weights.Weights]) -> list[Array]:
    """Inputs of the first layer, the second, …, and the output of the last: len(stack) + 1 arrays."""
    levels = [x]
    for layer in stack:
        levels.append(LAYERS[kind](model, levels[-1], layer))
    return levels


def rms(x: Array) -> float:
    """Root of the mean square of all numbers."""
    return float((x**2).mean() ** 0.5)


def token_differences(x: Array) -> Array:  # (..., T, d_model) -> the same shape
    """Difference of each token from the mean of all tokens."""
    return np.asarray(x - x.mean(axis=-2, keepdims=True))


def directional_derivatives(
    model: Model, kind: str, x: Array, stack: list[weights.Weights], push: Array
) -> list[Array]:
    """How each level answers to small pushes (P, T, d_model) of x: directional derivatives, by central differences.

    Their mean square over random directions is that of a gradient on its way back from that level to x: both are the
    squared numbers of the Jacobian added up, over the same count, since the shape does not change.
    """
    step = STEP * rms(x)
    there, back = (layer_levels(model, kind, x + sign * step * push, stack) for sign in (1, -1))
    return [(plus - minus) / (2 * step) for plus, minus in zip(there, back, strict=True)]


def first_argument(call: Call) -> Array:
    """The first argument of a call."""
    first: Array = next(iter(call.arguments.values()))
    return first


def layer_steps(x: Array, calls: tuple[Call, ...]) -> list[tuple[str, Array]]:
    """Arrays of a layer by name, in order: x, each sublayer's output, each norm's input and output."""
    names = {"multi_head": "attention", "feed_forward": "feed-forward", "layer_norm": "norm"}
    steps = [("x", x)]
    for call in calls:
        if call.function == "layer_norm":
            steps.append(("into the norm", first_argument(call)))
        steps.append((names[call.function], call.result))
    return steps


def largest_move(before: Array, after: Array) -> float:
    """Largest change of any number in any token but the first."""
    return float(np.abs(after - before)[1:].max(initial=0))


def residual_statement(calls: tuple[Call, ...]) -> Statement:
    """A statement on whether each norm is given x + f(x), the input plus the output of the sublayer before it."""
    pairs = [(f, norm) for f, norm in pairwise(calls) if norm.function == "layer_norm"]
    given = sum(bool(np.abs(first_argument(norm) - first_argument(f) - f.result).max() < VISIBLE) for f, norm in pairs)
    return Statement(
        "residual",
        "Each norm is given x + f(x): a sublayer proposes a change, which is added to the token.",
        f"In one post-norm layer {given} of 2 norms are given just that.",
        holds=given == 2,
        source="D0",
    )


def norm_statement(model: Model, x: Array, norm: weights.Weights) -> Statement:
    """A statement on whether the norm centres and scales each token by itself."""
    off_centre = 5 + 3 * x
    beside = off_centre.copy()
    beside[0] *= 10
    normed = model.layer_norm(off_centre, **norm)
    mean, stds = float(np.abs(normed.mean(axis=-1)).max()), normed.std(axis=-1)
    influence = largest_move(normed, model.layer_norm(beside, **norm))
    return Statement(
        "norm-per-token",
        "The norm brings each token to mean 0 and standard deviation 1, whatever the other tokens are.",
        f"From mean 5 and std 3 to a mean at most {mean:.4f} from 0 and a std of {stds.min():.4f} to {stds.max():.4f}. "
        f"Another token made 10 times larger moves the rest by {influence:.4f}.",
        holds=bool(mean < VISIBLE and np.all(np.abs(stds - 1) < 1e-3) and influence < VISIBLE),
        source="D0, D3",
    )


def feed_forward_statement(model: Model, x: Array, layer: weights.Weights) -> Statement:
    """A statement on whether the feed-forward works on each token alone, unlike attention."""
    other = x.copy()
    other[0] += 1
    alone = largest_move(*(model.feed_forward(y, **layer["feed_forward"]) for y in (x, other)))
    together = largest_move(*(model.multi_head(y, y, **layer["attention"], h=H) for y in (x, other)))
    d_model, d_ff = layer["feed_forward"]["w_in"].shape
    return Statement(
        "one-by-one",
        "The feed-forward works on each token by itself; only attention looks at the others.",
        f"{d_model} → {d_ff} → {d_model}: with one token changed, the rest move by {alone:.4f} in the feed-forward and "
        f"by {together:.4f} in attention.",
        holds=alone < VISIBLE < together,
        source="D0",
    )


def run(
    model: Model,
    *,
    layers: Annotated[int, Param("how many layers stand on each other", at_least=1, at_most=24)] = 6,
    d_model: Annotated[int, Param("width of a token, a multiple of 4", at_least=4, at_most=512)] = 64,
    seed: Seed = 0,
) -> Result:
    """Ten random tokens through one layer, then through stacks of them: with residual and norm, and without.

    The stacks share their untrained weights: 4 heads, d_ff = 4 d_model. The layers without residual or norm are not in
    the model; they are put together from its multi_head, feed_forward and layer_norm. Gradients are measured with small
    pushes.
    """
    require_memory(layers * 12 * 8.0 * d_model**2, f"--layers {layers}", "Give fewer.")
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((T, d_model))
    stack = [weights.encoder_layer(rng, d_model, 4 * d_model) for _ in range(layers)]
    push = rng.standard_normal((PUSHES, T, d_model))

    names = ("multi_head", "layer_norm", "feed_forward")
    _, calls = record_calls(model, names, lambda twin: twin.encoder_layer(x, stack[0], H))

    levels = {kind: layer_levels(model, kind, x, stack) for kind in LAYERS}
    shapes = {level.shape for of_kind in levels.values() for level in of_kind}
    sizes = {kind: rms(levels[kind][-1]) for kind in LAYERS}
    differ = {kind: [rms(token_differences(level)) for level in levels[kind]] for kind in LAYERS}
    gradient = {kind: rms(directional_derivatives(model, kind, x, stack, push)[-1]) / rms(push) for kind in LAYERS}
    lost, held = differ["no residual"][-1], differ["post-norm"][-1]
    deep = count(layers, "layer")

    return Result(
        (
            Note(
                "parts",
                "A layer: attention, residual, norm; then feed-forward, in the paper 512 → 2048 → 512, residual, norm. "
                "After the norm come a learned gain and bias; an eps of 1e-5 keeps it from dividing by 0. Post-norm "
                "norms the sum, as the paper does; pre-norm norms what enters the sublayer.",
            ),
            table(
                "one-layer",
                "One post-norm layer: the tokens after each step",
                ("step", "shape", Column("largest |mean|"), Column("std of a token")),
                (
                    (step, str(list(now.shape)), np.abs(now.mean(axis=-1)).max().round(4), now.std(axis=-1).mean())
                    for step, now in layer_steps(x, calls)
                ),
            ),
            residual_statement(calls),
            norm_statement(model, x, stack[0]["norm_1"]),
            feed_forward_statement(model, x, stack[0]),
            Statement(
                "same-shape",
                "A layer leaves the shape as it was, so layers stack.",
                f"Through {deep} of each of {len(LAYERS)} kinds the shape is {listed(map(list, shapes))}.",
                holds=shapes == {x.shape},
                source="D0",
            ),
            series(
                "tokens-differ",
                "How far the tokens lie from their mean, layer by layer",
                "layers",
                "distance",
                range(layers + 1),
                {kind: np.round(differ[kind], 3) for kind in CURVES},
                digits=3,
            ),
            table(
                "stacks",
                f"{deep} up: the tokens, and what comes back down of a gradient of size 1",
                ("layers", "size of the tokens", "gradient"),
                ((kind, sizes[kind], gradient[kind]) for kind in LAYERS),
            ),
            Statement(
                "post-against-pre",
                "Post-norm sets every token back to size 1; under pre-norm the sums grow with depth.",
                f"{deep} up the size is {sizes['post-norm']:.2f} under post-norm and {sizes['pre-norm']:.2f} under "
                "pre-norm.",
                holds=abs(sizes["post-norm"] - 1) < 1e-3 and sizes["pre-norm"] > 1.1 * rms(x),
                source="D2, D3",
            ),
            Statement(
                "tokens-lost",
                "Residuals keep tokens apart that become alike without them.",
                f"{deep} up they lie {held:.3f} from their mean with residuals (post-norm), {lost:.3f} without.",
                holds=lost < 0.1 * held,
                value=lost,
            ),
            Statement(
                "gradient-vanishes",
                "Without residuals hardly any gradient reaches the first layer.",
                f"Of a gradient of size 1, {gradient['no residual']:.2f} arrives if the norms stay and "
                f"{gradient['neither']:.2f} if they go as well.",
                holds=gradient["no residual"] < 0.1,
                value=gradient["no residual"],
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
