"""Training: what the decoder reads and owes, one step of Adam, and as many as it takes to know a batch by heart."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights as init
from attention_lab.demo import Param, Progress, Seed, silent
from attention_lab.result import Note, Result, Statement, series, table
from attention_lab.train.adam import adam_step, initial_moments
from attention_lab.train.generate import decode_target, greedy_pick
from attention_lab.train.gradient import trainable, value_and_grad
from attention_lab.train.tree import pack_weights, unpack_weights
from attention_lab.variants import Model, source_of
from attention_lab.weights import Weights

Array = NDArray[np.floating]
Ids = NDArray[np.integer]

PAD, BOS, EOS = 0, 1, 2
NAMES = {PAD: "PAD", BOS: "BOS", EOS: "EOS"}
V, D_MODEL, H, LAYERS = 16, 32, 4, 1
SOURCE = np.array([[3, 4, 2, 0], [5, 6, 7, 2]])  # D3's batch
TARGET = np.array([[1, 8, 9, 2, 0], [1, 10, 11, 12, 2]])
STILL = 1e-4  # what moves a logit or a loss by less has moved nothing


def tokens_text(ids: Ids) -> str:
    """Ids in a row, the special ones by name."""
    return " ".join(NAMES.get(int(number), str(number)) for number in ids)


def until_end(ids: Ids) -> list[int]:
    """The ids up to the first EOS, which is the last that counts."""
    row: list[int] = ids.tolist()
    return row[: row.index(EOS) + 1] if EOS in row else row


# ---- what is read, what is owed, what counts ----


def other_words(ids: Ids) -> Ids:
    """For each id another word."""
    return np.where(ids + 1 < V, ids + 1, EOS + 1)


def future_influence(model: Model, weights: Weights, read: Ids) -> float:
    """Largest change of the logits at a position when a token after it is replaced."""
    logits, moved = model.encoder_decoder(SOURCE, read, weights, H), [0.0]
    for place in range(1, read.shape[1]):
        changed = read.copy()
        changed[:, place:] = other_words(read[:, place:])
        now = model.encoder_decoder(SOURCE, changed, weights, H)
        moved.append(np.abs(now - logits)[:, :place].max())
    return float(np.max(moved))


def counted_positions(model: Model, logits: Array, owed: Ids) -> NDArray[np.bool_]:  # (B, T, V), (B, T) -> (B, T)
    """Positions that count in the loss: those where changing a logit changes the loss."""
    loss, counts = model.cross_entropy(logits, owed), np.zeros(owed.shape, dtype=bool)
    for place in np.ndindex(owed.shape):
        moved = logits.copy()
        moved[place][EOS + 1] += 5
        counts[place] = abs(model.cross_entropy(moved, owed) - loss) > STILL
    return counts


# ---- steps ----


def fit_batch(
    model: Model, weights: Weights, steps: int, rate: float, progress: Progress
) -> tuple[list[float], Weights]:
    """Steps of Adam on this one batch: the loss before the first and after each, and the weights after the last.

    They end early where loss or gradient are no numbers any more.
    """
    trainer = trainable(source_of(model), model.__name__)
    read, owed = trainer.teacher_forcing(TARGET)

    def loss(inside: Weights) -> Any:
        return trainer.cross_entropy(trainer.encoder_decoder(SOURCE, read, inside, H), owed)

    gradient_of, vector, losses = value_and_grad(loss, weights), pack_weights(weights), []
    moments = initial_moments(vector)
    for step in range(steps + 1):
        value, gradient = gradient_of(vector)
        losses.append(value)
        if step == steps or not np.isfinite([value, *gradient]).all():
            break
        vector, moments = adam_step(vector, gradient, moments, rate)
        progress(f"step {step + 1} of {steps}, loss {value:.3f}")
    return losses, unpack_weights(vector, weights)


def greedy_outputs(model: Model, weights: Weights) -> list[list[int]]:
    """Greedy output for each source, up to its EOS."""
    T = TARGET.shape[1] - 1
    return [until_end(row) for row in decode_target(model, SOURCE, weights, H, T, BOS, greedy_pick(PAD))]


def run(
    model: Model,
    *,
    steps: Annotated[int, Param("steps of Adam on the one batch", at_least=1, at_most=5000)] = 100,
    rate: Annotated[float, Param("Adam's learning rate", at_least=1e-6, at_most=1)] = 1e-3,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Result:
    """D3's two sentences through an encoder–decoder of 16 ids: labels, loss, one step, and many on the same batch.

    One layer in each tower, 4 heads, d_model 32, d_ff 64, float32; Adam with the paper's β₂ = .98, without warm-up.
    """
    untrained = init.encoder_decoder(np.random.default_rng(seed), V, D_MODEL, 2 * D_MODEL, LAYERS, np.float32)
    read, owed = model.teacher_forcing(TARGET)
    with np.errstate(all="ignore"):  # overflow and NaN are what a fault shows
        logits = model.encoder_decoder(SOURCE, read, untrained, H)
        leak = future_influence(model, untrained, read)
        counts, real = counted_positions(model, logits, owed), owed != PAD
        losses, trained = fit_batch(model, untrained, steps, rate, progress)
        before, after = greedy_outputs(model, untrained), greedy_outputs(model, trained)
    wanted = [until_end(row) for row in TARGET[:, 1:]]
    exact = sum(said == right for said, right in zip(after, wanted, strict=True))
    next_ones = int((owed == TARGET[:, 1:]).sum()) if owed.shape == TARGET[:, 1:].shape else 0

    return Result(
        (
            table(
                "labels",
                "What the decoder reads, and what it owes at each of these places",
                ("source", "reads", "owes"),
                ((tokens_text(a), tokens_text(b), tokens_text(c)) for a, b, c in zip(SOURCE, read, owed, strict=True)),
            ),
            Statement(
                "shifted",
                "The decoder reads the target shifted right, and owes the target: at each place the next token.",
                f"At {next_ones} of {real.size} places it owes the token that comes next.",
                holds=next_ones == real.size and np.array_equal(read, TARGET[:, :-1]),
                source="D3",
            ),
            Statement(
                "shape",
                "The logits have a row of 16 for each place of each sentence: [2, 4, 16].",
                f"They have shape {list(logits.shape)}.",
                holds=logits.shape == (*SOURCE.shape, V),
                source="D3",
            ),
            Statement(
                "unseen",
                "At no place does the decoder see what it owes there.",
                f"With other tokens from the next one on, its logits move by {leak:.4f} at most.",
                holds=leak < STILL,
                value=leak,
                source="D3",
            ),
            Statement(
                "padding",
                "Padding is nobody's answer: a place that owes PAD has no say in the loss.",
                f"{counts.sum()} of {counts.size} places move the loss; {(counts & ~real).sum()} of them owe PAD.",
                holds=np.array_equal(counts, real),
                source="D3",
            ),
            Statement(
                "one-step",
                "One step of Adam on a batch lowers the loss on that batch.",
                f"From {losses[0]:.4f} to {losses[min(1, len(losses) - 1)]:.4f} nats at a rate of {rate:g}.",
                holds=len(losses) > 1 and losses[1] < losses[0],
                source="D3",
            ),
            series("loss", "Loss on the batch", "step", "nats", range(len(losses)), {"loss": losses}, digits=3),
            table(
                "written",
                f"What it writes by itself, before any step and after {len(losses) - 1}",
                ("source", "wanted", "untrained", "trained"),
                (
                    (tokens_text(SOURCE[i]), *(tokens_text(np.array(row[i])) for row in (wanted, before, after)))
                    for i in range(len(SOURCE))
                ),
            ),
            Statement(
                "by-heart",
                "Enough steps on one batch, and the model writes its targets by itself, to the last token.",
                f"After {len(losses) - 1} steps {exact} of {len(wanted)} are right, at a loss of {losses[-1]:.4f}; "
                f"untrained, {sum(said == right for said, right in zip(before, wanted, strict=True))}.",
                holds=exact == len(wanted),
                value=losses[-1],
                source="D3",
            ),
            Note(
                "caveat",
                "Two sentences known by heart are no translation. But a model that cannot even do this is broken, and "
                "nothing finds that out faster.",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
