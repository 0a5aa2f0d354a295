"""Depth: the same stack of layers trained with residual and norm, and without; and what gradient each layer gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from attention_lab.breaks import BREAKS
from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.demos.pronoun import KEPT, split_task
from attention_lab.errors import BadPatch
from attention_lab.result import Note, Result, Statement, matrix, series, table
from attention_lab.text import count, listed
from attention_lab.train.gradient import trainable, value_and_grad
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.run import Config, TrainingRun, generators, train_model
from attention_lab.train.tasks import Task
from attention_lab.train.train_page import ending_notes
from attention_lab.train.tree import pack_weights, unpack_weights, weight_leaves
from attention_lab.variants import Model, Patch, Source, source_of
from attention_lab.weights import Weights

Array = NDArray[np.floating]

D_MODEL, H, T, RATE, WARM_UP, BATCH = 32, 1, 12, 2e-3, 50, 32
EVERY = 20  # steps between two reports
LEARNED, MISSING = 0.9, 0.2  # right answers of a stack that has learned; how many fewer are a difference
LITTLE = 0.1  # of a gradient: hardly any is left

BREAK = {one.name: one.patches for one in BREAKS}
PRE = Patch("x = encoder_layer(x, layer, h, padding", "x = pre_norm_block(x, layer, h, padding")
SETTINGS: dict[str, tuple[Patch, ...]] = {
    "post-norm": (),
    "pre-norm": (PRE,),
    "post, no residual": BREAK["no-residual"],
    "pre, no residual": (PRE, *BREAK["no-residual-pre-norm"]),
    "no norm": BREAK["no-norm"],
    "neither": (
        *BREAK["no-norm"],
        Patch("x = x + multi_head(x, x,", "x = multi_head(x, x,"),
        Patch("return x + feed_forward(x,", "return feed_forward(x,"),
    ),
}
WHOLE, NO_RESIDUAL = ("post-norm", "pre-norm"), ("post, no residual", "pre, no residual")
CURVES = ("post-norm", "pre-norm", "post, no residual", "no norm")
PATCHED = ("encode", "encoder_layer", "pre_norm_block")


@dataclass(frozen=True)
class Stack:
    """A trained stack, with gradient norms before training: of each layer's weights, and of its queries and keys."""

    run: TrainingRun
    gradient: Array
    looking: Array

    @property
    def right(self) -> float:
        """Share of nouns named right after training; NaN if the model gave no answer."""
        return float("nan") if self.run.scores.generated is None else self.run.scores.generated


def patched_source(text: Source, patches: tuple[Patch, ...]) -> Source | None:
    """Source of the model with these patches; None if the model lacks the lines or replaces their functions."""
    overlaid = any(f"def {name}(" in text.own for name in PATCHED)
    try:
        for patch in patches:
            if overlaid and patch.old not in text.own:
                return None
            text = text.patched(patch)
    except BadPatch:
        return None
    return text


def l2_norm(arrays: list[Array]) -> float:
    """Root of the sum of all squares."""
    return float(np.sqrt(sum((array**2).sum() for array in arrays)))


def layer_gradients(
    text: Source, label: str, task: Task, config: Config
) -> tuple[Array, Array]:  # -> (layers,), (layers,)
    """Before training, on one batch: the gradient norm of each layer's weights, and of its queries and keys alone."""
    model, (start, batches, _, _) = trainable(text, label), generators(config.seed)
    weights = task.network.start(start, len(task.vocabulary), config.sizes)
    batch = task.batch(batches, config.batch, config.sizes.T)

    def loss(inside: Weights) -> Any:
        return model.cross_entropy(*task.network.logits(model, inside, batch, H))

    _, gradient = value_and_grad(loss, weights)(pack_weights(weights))
    layers = unpack_weights(gradient, weights)["encoder"]
    everything = [l2_norm([array for _, array in weight_leaves(layer)]) for layer in layers]
    looking = [l2_norm([layer["attention"][name] for name in ("w_query", "w_key")]) for layer in layers]
    return np.array(everything), np.array(looking)


def train_stack(name: str, text: Source, task: Task, config: Config, progress: Progress) -> Stack:
    """Train one stack and report progress."""

    def told(step: int, loss: float, _: float) -> None:
        if step % EVERY == 0:
            progress(f"{name}: step {step} of {config.steps}, loss {loss:.2f}")

    with np.errstate(all="ignore"):  # overflow and NaN are symptoms of a fault
        run = train_model(text, name, task, config, told)
        if run.stopped is not None:
            raise KeyboardInterrupt
        nothing = np.full(config.sizes.layers, np.nan)
        return Stack(run, nothing, nothing) if run.refused else Stack(run, *layer_gradients(text, name, task, config))


# ---- statements ----


def noun_accuracies(stacks: dict[str, Stack], names: tuple[str, ...]) -> Array:
    """Shares of nouns that these stacks name right; NaN for a stack that did not run."""
    return np.array([stacks[name].right if name in stacks else np.nan for name in names])


def shares_text(shares: Array) -> str:
    """Shares with two decimals, or "no run"."""
    return listed("no run" if np.isnan(share) else f"{share:.2f}" for share in shares)


def stack_notes(stacks: dict[str, Stack], left_out: list[str]) -> list[Note]:
    """Notes on stacks that stopped early, and on changes that this model has no lines for."""
    ends = [note.text for note in ending_notes([(name, one.run) for name, one in stacks.items()])]
    notes = [Note("ended", " ".join(ends))] if ends else []
    if left_out:
        notes.append(Note("left-out", f"This model has not the lines to be changed for: {listed(left_out)}."))
    return notes


def first_value(values: tuple[float, ...]) -> float | None:
    """The value at the first step; None if the model stopped before it."""
    return values[0] if values else None


def norm_ratios(norms: Array, whole: Array | float) -> Array:
    """Norms relative to other norms; NaN or infinite if those are 0."""
    with np.errstate(all="ignore"):
        return np.asarray(norms / whole)


def ratios_text(norms: Array) -> str:
    """Norms or ratios with one digit, or "no run"."""
    return listed("no run" if np.isnan(one) else f"{one:.1g}" for one in norms)


def are_worse(stacks: dict[str, Stack], names: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """True if the whole stacks have learned and each changed one names clearly fewer nouns."""
    healthy = noun_accuracies(stacks, whole)
    return bool(np.all(healthy >= LEARNED) and np.all(healthy - noun_accuracies(stacks, names) >= MISSING))


def top_gradients(stacks: dict[str, Stack], names: tuple[str, ...]) -> Array:
    """Gradient norms of the top layer's queries and keys."""
    return np.array([stacks[name].looking[-1] if name in stacks else np.nan for name in names])


def run(
    model: Model,
    *,
    layers: Annotated[int, Param("how many layers stand on each other", at_least=2, at_most=12)] = 6,
    steps: Annotated[int, Param("steps of training, 32 sentences each", at_least=1, at_most=5000)] = 100,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Result:
    """Stacks of layers learn what "it" means (the task of the demo `pronoun`), with residual and norm and without.

    The changed layers are patches of the model's own text. One head, d_model 32, Adam up to 0.002 after 50 steps of
    warm-up; the same untrained weights and the same batches for all. Scores are on 50 sentences kept apart.
    """
    config = Config(NetworkSizes(D_MODEL, H, layers, T), steps, RATE, WARM_UP, BATCH, seed=seed)
    texts = {name: patched_source(source_of(model), patches) for name, patches in SETTINGS.items()}
    task = split_task(generators(seed)[3])
    stacks = {name: train_stack(name, text, task, config, progress) for name, text in texts.items() if text is not None}

    whole, no_residual = noun_accuracies(stacks, WHOLE), noun_accuracies(stacks, NO_RESIDUAL)
    no_norm = noun_accuracies(stacks, ("no norm",))
    first = np.array(
        [norm_ratios(one.gradient, one.gradient[-1])[0] for name, one in stacks.items() if name in NO_RESIDUAL]
    )
    looking, blind = top_gradients(stacks, WHOLE), top_gradients(stacks, NO_RESIDUAL)
    deep = f"{count(layers, 'layer')} and {count(steps, 'step')}"

    return Result(
        (
            table(
                "stacks",
                f"{deep}: what each stack has learned, on {KEPT} sentences kept from training",
                ("stack", "loss at first", "loss at the end", "nouns named right", "gradient norm at first"),
                (
                    (name, first_value(one.run.losses), one.run.scores.loss, one.right, first_value(one.run.norms))
                    for name, one in stacks.items()
                ),
            ),
            *stack_notes(stacks, [name for name, text in texts.items() if text is None]),
            Statement(
                "whole-learns",
                "With residual and norm a deep stack learns, post-norm as in the paper, or pre-norm.",
                f"After {deep} they name {shares_text(whole)} of the nouns right.",
                holds=bool(np.all(whole >= LEARNED)),
                value=float(whole.min()),
                source="D0, D2",
            ),
            Statement(
                "residual",
                "Without residuals the same layers learn clearly less in the same steps.",
                f"They name {shares_text(no_residual)} of the nouns right, in place of {shares_text(whole)}.",
                holds=are_worse(stacks, NO_RESIDUAL, WHOLE),
                value=float(no_residual.max()),
                source="D0",
            ),
            Statement(
                "norm",
                "Without norms, too, the same layers learn clearly less in the same steps.",
                f"They name {shares_text(no_norm)} of the nouns right, in place of {shares_text(whole)}.",
                holds=are_worse(stacks, ("no norm",), WHOLE),
                value=float(no_norm[0]),
                source="D0",
            ),
            series(
                "gradient",
                "Before training: the gradient of each layer's weights, against that of the top layer",
                "layer",
                "ratio",
                range(1, layers + 1),
                {
                    name: norm_ratios(stacks[name].gradient, stacks[name].gradient[-1])
                    for name in CURVES
                    if name in stacks
                },
            ),
            Statement(
                "first-layer",
                "Without residuals hardly any gradient is left for the weights of the first layer.",
                f"Their gradient is {listed(first, 2)} times that of the top layer, post-norm and pre-norm.",
                holds=bool(len(first) and np.all(first < LITTLE)),
                value=float(first.max(initial=0)),
            ),
            matrix(
                "looking",
                "Which share of a layer's gradient is for its queries and keys",
                np.stack([norm_ratios(one.looking, one.gradient) for one in stacks.values()]),
                tuple(stacks),
                [str(layer) for layer in range(1, layers + 1)],
                digits=3,
                row_title="stack",
                column_title="layer",
            ),
            Statement(
                "where-to-look",
                "Lost is where to look: without residuals no gradient is left for queries and keys of the top layer.",
                f"The norm of their gradient is {ratios_text(blind)}, "
                f"in place of {ratios_text(looking)} with residuals.",
                holds=bool(np.all(blind < LITTLE**2 * looking)),
                value=float(blind.max()),
            ),
            Note(
                "why",
                "Where all tokens are alike, it makes no difference which of them one looks at. The demo 'block' "
                "measures how alike they become.",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
