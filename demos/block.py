"""Block: what residual and norm do for a stack of layers, and what is left of signal and gradient without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed
from attention_lab.machine import require_memory
from attention_lab.result import Column, Result, Statement, series, table
from attention_lab.text import count, listed
from attention_lab.variants import Call, Model, watched

Array = NDArray[np.floating]
Layer = Callable[[Model, Array, weights.Weights], Array]

T, H, PUSHES = 10, 4, 4
STEP = 1e-5  # length of a push, in lengths of what is pushed


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


def climb(model: Model, kind: str, x: Array, stack: list[weights.Weights]) -> list[Array]:
    """What enters the first layer, the second, …, and what leaves the last: len(stack) + 1 arrays."""
    levels = [x]
    for layer in stack:
        levels.append(LAYERS[kind](model, levels[-1], layer))
    return levels


def size(x: Array) -> float:
    """Root of the mean square of all numbers."""
    return float((x**2).mean() ** 0.5)


def apart(x: Array) -> Array:  # (..., T, d_model) -> the same shape
    """What tells the tokens apart: each one's difference from their mean."""
    return np.asarray(x - x.mean(axis=-2, keepdims=True))


def pushed(model: Model, kind: str, x: Array, stack: list[weights.Weights], push: Array) -> list[Array]:
    """How each level answers to small pushes (P, T, d_model) of x: directional derivatives, by central differences.

    Their mean square over random directions is that of a gradient on its way back from that level to x: both are the
    squared numbers of the Jacobian added up, over the same count, since the shape does not change.
    """
    step = STEP * size(x)
    there, back = (climb(model, kind, x + sign * step * push, stack) for sign in (1, -1))
    return [(plus - minus) / (2 * step) for plus, minus in zip(there, back, strict=True)]


def steps_of(x: Array, calls: tuple[Call, ...]) -> list[tuple[str, Array]]:
    """A layer's arrays by name, in order: x, what each sublayer proposes, the sum, the norm of the sum."""
    names = {"multi_head": "attention", "feed_forward": "feed-forward", "layer_norm": "norm"}
    steps = [("x", x)]
    for call in calls:
        if call.function == "layer_norm":
            steps.append((f"x + {steps[-1][0]}", next(iter(call.arguments.values()))))
        steps.append((names[call.function], call.result))
    return steps


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
    pushes, which cannot tell less than about 1e-10 from 0.
    """
    require_memory(layers * 12 * 8.0 * d_model**2, f"--layers {layers}", "Give fewer.")
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((T, d_model))
    stack = [weights.encoder_layer(rng, d_model, 4 * d_model) for _ in range(layers)]
    push = rng.standard_normal((PUSHES, T, d_model))

    names = ("multi_head", "layer_norm", "feed_forward")
    _, calls = watched(model, names, lambda twin: twin.encoder_layer(x, stack[0], H))

    off_centre = 5 + 3 * x
    beside = off_centre.copy()
    beside[0] *= 10
    normed, normed_beside = (model.layer_norm(tokens, **stack[0]["norm_1"]) for tokens in (off_centre, beside))
    means, stds = np.abs(normed.mean(axis=-1)).max(), normed.std(axis=-1)
    influence = np.abs(normed_beside - normed)[1:].max()

    levels = {kind: climb(model, kind, x, stack) for kind in LAYERS}
    answers = {kind: pushed(model, kind, x, stack, push) for kind in LAYERS}
    shapes = {level.shape for of_kind in levels.values() for level in of_kind}
    sizes = {kind: size(levels[kind][-1]) for kind in LAYERS}
    differ = {kind: [size(apart(level)) for level in levels[kind]] for kind in LAYERS}
    gradient = {kind: size(answers[kind][-1]) / size(push) for kind in LAYERS}
    telling = {kind: [size(apart(answer)) / size(push) for answer in answers[kind]] for kind in LAYERS}

    lost, held = differ["no residual"][-1], differ["post-norm"][-1]
    silent, heard = telling["no residual"][-1], telling["post-norm"][-1]
    deep = count(layers, "layer")

    return Result(
        (
            table(
                "one-layer",
                "One post-norm layer: the tokens after each step",
                ("step", "shape", Column("largest |mean|", 4), Column("std of a token")),
                (
                    (step, str(list(now.shape)), np.abs(now.mean(axis=-1)).max(), now.std(axis=-1).mean())
                    for step, now in steps_of(x, calls)
                ),
            ),
            Statement(
                "norm-per-token",
                "The norm brings each token to mean 0 and standard deviation 1, whatever the other tokens are.",
                f"From mean 5 and std 3: mean at most {means:.0e} from 0, std {stds.min():.4f} to {stds.max():.4f}. "
                f"Another token made 10 times larger moves the rest by {influence:.0e}.",
                holds=bool(means < 1e-9 and np.all(np.abs(stds - 1) < 1e-3) and influence < 1e-9),
                source="D0, D3",
            ),
            Statement(
                "same-shape",
                "A layer leaves the shape as it was, so layers stack.",
                f"After each of {deep} of {len(LAYERS)} kinds: {listed(map(list, shapes))}.",
                holds=shapes == {x.shape},
                source="D0",
            ),
            table(
                "stacks",
                f"{deep} deep: the tokens above the last, and a gradient of size 1 once it has come down",
                (
                    "layers",
                    "size",
                    Column("tokens differ by", 4),
                    Column("gradient", 4),
                    Column("gradient that tells tokens apart", 4),
                ),
                ((kind, sizes[kind], differ[kind][-1], gradient[kind], telling[kind][-1]) for kind in LAYERS),
            ),
            series(
                "tokens-differ",
                "How far the tokens lie from their mean",
                "layers",
                "size",
                range(layers + 1),
                {kind: differ[kind] for kind in CURVES},
                digits=4,
            ),
            series(
                "gradient-down",
                "A gradient of size 1 that tells tokens apart, once it has reached the first layer",
                "layers",
                "size",
                range(layers + 1),
                {kind: telling[kind] for kind in CURVES},
                digits=4,
            ),
            Statement(
                "post-against-pre",
                "Post-norm sets every token back to size 1; under pre-norm the sums grow with depth.",
                f"{deep} up the size is {sizes['post-norm']:.2f} under post-norm, {sizes['pre-norm']:.2f} under "
                f"pre-norm. A gradient comes down as {gradient['post-norm']:.2f} and {gradient['pre-norm']:.2f}.",
                holds=abs(sizes["post-norm"] - 1) < 1e-3 and sizes["pre-norm"] > 1.1 * size(x),
                source="D2, D3",
            ),
            Statement(
                "gradient-vanishes",
                "Without residuals hardly any gradient reaches the first layer.",
                f"It arrives as {gradient['no residual']:.4f} if the norms stay, since each sets the size right "
                f"again, and as {gradient['neither']:.4f} if they go as well.",
                holds=gradient["no residual"] < 0.1,
                value=gradient["no residual"],
                source="D0",
            ),
            Statement(
                "tokens-lost",
                "Without residuals all tokens become one, and no gradient arrives that tells them apart.",
                f"They differ by {lost:.4f}, with residuals by {held:.4f}; such a gradient arrives as {silent:.4f}, "
                f"with residuals as {heard:.4f}.",
                holds=lost < 0.1 * held and silent < 0.1 * heard,
                value=silent,
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
