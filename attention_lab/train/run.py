"""Training of a variant on a task, and scores of the result. The same seed gives the same batches and the same run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from autograd.tracer import getval

from attention_lab.errors import complaint
from attention_lab.train.adam import adam_step, initial_moments, warmed_up_rate
from attention_lab.train.gradient import trainable, value_and_grad, with_dropout
from attention_lab.train.networks import Batch, NetworkSizes
from attention_lab.train.tasks import Task, share_right
from attention_lab.train.tree import Array, pack_weights, unpack_weights
from attention_lab.variants import Call, Model, Source, record_calls
from attention_lab.weights import Weights

SHOWN = 12  # tokens of a map
FEWEST, MOST = 2, 256  # examples that a model never trained on, for its scores
WORK = 2.5e9  # upper bound on scoring work, in units of examples_of(); about 5 s of one core
Progress = Callable[[int, float, float], None]  # step, loss, accuracy: after each step; may raise KeyboardInterrupt
Ending = Callable[[int], None]  # the number of examples, before the model is scored on them


@dataclass(frozen=True)
class Config:
    """How a model is trained. `rate` is Adam's largest, reached after `warm_up` steps."""

    sizes: NetworkSizes
    steps: int = 400
    rate: float = 3e-3
    warm_up: int = 40
    batch: int = 32
    dropout: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Scores:
    """Scores of a model on examples that it was not trained on. None stands for a score that could not be measured.

    `accuracy` and `generated` are shares that are right, the latter by the task's own measure; `loss` and `entropy` (of
    attention, mean over rows) are in nats; `examples` are (given, written, wanted). `count` is how many there were.
    """

    loss: float
    accuracy: float
    generated: float | None
    entropy: float | None
    examples: tuple[tuple[str, str, str], ...] = ()
    count: int = 0

    @property
    def perplexity(self) -> float:
        """e^loss: the number of equally likely tokens with the same loss."""
        with np.errstate(over="ignore"):  # infinite is what it then is, as far as anybody can tell
            return float(np.exp(self.loss))


@dataclass(frozen=True)
class AttentionMap:
    """Attention weights (Tq, Tk) of one example, the mean over heads; `shown` is False where a zero is a mask."""

    name: str
    weights: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shown: Array


@dataclass(frozen=True)
class TrainingRun:
    """A training run: loss (nats), gradient norm and teacher-forced accuracy of every step, scores and weights.

    `diverged` is the step at which loss or gradient were no numbers any more; the weights are those before it.
    `stopped` is how many steps were taken when it was interrupted. `refused` is what the model's own code raised.
    """

    task: str
    config: Config
    losses: tuple[float, ...]
    norms: tuple[float, ...]
    accuracies: tuple[float, ...]
    scores: Scores
    weights: Weights = field(repr=False)
    maps: tuple[AttentionMap, ...] = field(default=(), repr=False)
    diverged: int | None = None
    stopped: int | None = None
    refused: str = ""


# ---- scores ----


def mean_entropy(weights: list[Array]) -> float | None:
    """Mean entropy of the rows of attention weights, in nats."""
    rows = [-(each * np.log(np.where(each > 0, each, 1))).sum(axis=-1).ravel() for each in weights]
    return float(np.concatenate(rows).mean()) if rows else None


def attention_weights(calls: Sequence[Call]) -> list[Array]:
    """The weights that the model's attention returned, call by call, where it returns any."""
    results = [call.result for call in calls]
    return [np.asarray(result[1]) for result in results if isinstance(result, tuple) and len(result) == 2]


def examples_of(sizes: NetworkSizes) -> int:
    """Number of examples for the scores: fewer where each takes longer.

    To write T tokens the model reads T times. Each token that it reads costs about d_model², and four for each weight
    of attention.
    """
    each = sizes.layers * sizes.T**2 * (sizes.d_model**2 + 4 * sizes.heads * sizes.T)
    return int(min(MOST, max(FEWEST, WORK // each)))


def reading_scores(model: Model, task: Task, weights: Weights, batch: Batch, h: int) -> Scores:
    """Loss and accuracy when the right tokens are read."""
    logits_of = task.network.logits
    (logits, labels), calls = record_calls(model, ("attention",), lambda twin: logits_of(twin, weights, batch, h))
    loss, accuracy = float(model.cross_entropy(logits, labels)), share_right(logits.argmax(axis=-1), labels)
    return Scores(loss, accuracy, None, mean_entropy(attention_weights(calls)), count=len(batch.target))


def printable_token(token: str) -> str:
    """A token as it can stand in a table: a space by its name, the end of a line as one would type it."""
    if token.isprintable():
        return token if token.strip() else "space"
    return repr(token)[1:-1]


def maps_of(model: Model, task: Task, weights: Weights, batch: Batch, h: int) -> tuple[AttentionMap, ...]:
    """The attention maps that the network names, on the first example: of its first tokens where it is long."""
    first = Batch(batch.source[:1], batch.target[:1])
    _, calls = record_calls(model, ("attention",), lambda twin: task.network.logits(twin, weights, first, h))
    seen, maps = attention_weights(calls), []
    for name, call, rows, columns, causal in task.network.maps(model, first):
        if len(seen) < -call or seen[call].shape[-2:] != (len(rows), len(columns)):
            continue
        mean = seen[call].reshape(-1, len(rows), len(columns)).mean(axis=0)[:SHOWN, :SHOWN]
        allowed = np.tril(np.ones(mean.shape, bool)) if causal else np.ones(mean.shape, bool)
        asking, asked = (
            tuple(printable_token(task.vocabulary[token]) for token in ids[:SHOWN]) for ids in (rows, columns)
        )
        maps.append(AttentionMap(name, mean, asking, asked, allowed | (mean != 0)))
    return tuple(maps)


# ---- the run ----


def generators(seed: int) -> list[np.random.Generator]:
    """For the weights, the batches, dropout and the examples that are kept for the scores: each its own stream."""
    return [np.random.default_rng([seed, stream]) for stream in range(4)]


def ignore_progress(*_: float) -> None:
    """The Progress and the Ending of a caller that does not want to hear."""


@dataclass
class Course:
    """State of a run that is under way."""

    vector: Array
    scores: Scores = Scores(np.nan, np.nan, None, None)
    maps: tuple[AttentionMap, ...] = ()
    losses: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    diverged: int | None = None
    stopped: int | None = None
    refused: str = ""


def take_steps(course: Course, model: Model, task: Task, config: Config, like: Weights, progress: Progress) -> None:
    """Adam, a fresh batch at each step, until all steps are taken or the loss or its gradient is no number."""
    rng = generators(config.seed)[1]
    guessed: list[float] = []

    def loss(weights: Weights, batch: Batch) -> Any:
        logits, labels = task.network.logits(model, weights, batch, config.sizes.heads)
        guessed.append(share_right(getval(logits).argmax(axis=-1), labels))
        return model.cross_entropy(logits, labels)

    value_and_gradient, moments = value_and_grad(loss, like), initial_moments(course.vector)
    for step in range(1, config.steps + 1):
        value, gradient = value_and_gradient(course.vector, task.batch(rng, config.batch, config.sizes.T))
        course.losses.append(value)
        course.norms.append(float(np.linalg.norm(gradient)))
        course.accuracies.append(guessed.pop())
        if not np.isfinite([value, course.norms[-1]]).all():
            course.diverged = step
            return
        rate = warmed_up_rate(config.rate, step, config.warm_up)
        course.vector, moments = adam_step(course.vector, gradient, moments, rate)
        progress(step, value, course.accuracies[-1])


def take_scores(course: Course, model: Model, task: Task, weights: Weights, batch: Batch, h: int) -> None:
    """Take the scores, cheap ones first, so that an interruption loses only the others."""
    course.scores = reading_scores(model, task, weights, batch, h)
    course.maps = maps_of(model, task, weights, batch, h)
    said = task.says(model, weights, batch, h)
    course.scores = replace(course.scores, generated=said.right, examples=said.examples)


def run_as_far_as_it_goes(course: Course, origin: str, work: Callable[[], None]) -> None:
    """Do the work; an interruption or an error of the model's own code ends it and is recorded in the course."""
    try:
        work()
    except KeyboardInterrupt:
        course.stopped = len(course.losses)
    except (Exception, SystemExit) as error:
        course.refused = course.refused or complaint(origin, error)


def train_model(
    text: Source,
    label: str,
    task: Task,
    config: Config,
    progress: Progress = ignore_progress,
    start: Weights | None = None,
    ending: Ending = ignore_progress,
) -> TrainingRun:
    """Train the model of this text, from untrained weights or from `start`, and score it on examples it never saw.

    What the model's own code raises is part of the result, and so is an interruption: one of the training leaves the
    scores to be taken, one of the scores leaves those that there are. Raises as `Source.load` does, and BadInput where
    the task has no examples of this size.
    """
    for_weights, _, for_dropout, for_scores = generators(config.seed)
    sizes, origin = config.sizes, text.path or f"<{label}>"
    weights = start or task.network.start(for_weights, len(task.vocabulary), sizes)
    model, plain = trainable(text, label), text.load(label)
    if config.dropout > 0:
        model = with_dropout(model, config.dropout, for_dropout)
    kept, course = task.kept(for_scores, examples_of(sizes), sizes.T), Course(pack_weights(weights))
    with np.errstate(all="ignore"):  # overflow and NaN are what a fault shows
        run_as_far_as_it_goes(course, origin, lambda: take_steps(course, model, task, config, weights, progress))
        trained = unpack_weights(course.vector, weights)
        ending(len(kept.target))
        run_as_far_as_it_goes(course, origin, lambda: take_scores(course, plain, task, trained, kept, sizes.heads))
    return TrainingRun(
        task.name,
        config,
        tuple(course.losses),
        tuple(course.norms),
        tuple(course.accuracies),
        course.scores,
        trained,
        course.maps,
        course.diverged,
        course.stopped,
        course.refused,
    )
