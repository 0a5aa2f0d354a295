"""Parts of the page of a training run: curves, scores, maps, and notes on runs that ended early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from attention_lab.result import Column, Matrix, Note, Series, Table, matrix, series, table
from attention_lab.train.run import AttentionMap, TrainingRun
from attention_lab.train.tasks import Task

POINTS = 20  # of a curve
LAST = 20  # steps over which what is noisy is averaged
MEANS = {  # what a task's own measure is
    "generated accuracy": "right, reading what it wrote",
    "nouns named right": "share of the sentences",
    "words written that the text has": "share of the words it writes",
}
Named = Sequence[tuple[str, TrainingRun]]


def stretch_means(values: Sequence[float], points: int) -> list[float]:
    """Means over `points` stretches of equal length, or nearly."""
    return [float(part.mean()) for part in np.array_split(np.asarray(values), points)]


def training_curve(name: str, title: str, y_title: str, runs: Sequence[tuple[str, Sequence[float]]]) -> list[Series]:
    """One curve for each run, over the steps that all of them took; nothing where one took less than two."""
    steps = min(len(values) for _, values in runs)
    if steps < 2:
        return []
    points = min(POINTS, steps)
    about = "about " if steps % points else ""
    title += f", means of {about}{steps // points} steps" if steps > points else ""
    x = [round(value) for value in stretch_means(range(1, steps + 1), points)]
    lines = {label: stretch_means(values[:steps], points) for label, values in runs}
    return [series(name, title, "step", y_title, x, lines)]


def loss_curve(runs: Named) -> list[Series]:
    """The loss of each run."""
    return training_curve("loss", "Loss on the batches of training", "nats", [(name, run.losses) for name, run in runs])


def accuracy_curve(runs: Named) -> list[Series]:
    """The teacher-forced accuracy of each run."""
    title = "Teacher-forced accuracy on the batches of training"
    return training_curve("accuracy", title, "share", [(name, run.accuracies) for name, run in runs])


def scores_table(runs: Named, task: Task, name: str = "scores", title: str = "") -> Table:
    """Table of scores: a row for each measure, a column for each run."""
    scores = [run.scores for _, run in runs]
    count = max(score.count for score in scores)
    on = f"on {count} fresh examples" if count else "on fresh examples"
    norms = [float(np.mean(run.norms[-LAST:])) if run.norms else None for _, run in runs]
    rows = [
        ("loss (nats)", *(score.loss for score in scores), "−ln p of the right token, mean"),
        ("perplexity", *(score.perplexity for score in scores), "e^loss: so many tokens in doubt"),
        ("teacher-forced accuracy", *(score.accuracy for score in scores), "right, reading the true past"),
        (task.measure, *(score.generated for score in scores), MEANS.get(task.measure, "")),
        ("entropy of attention (nats)", *(score.entropy for score in scores), "0: one key; ln n: n keys alike"),
        (f"gradient norm, last {LAST} steps", *norms, "how steep the loss is"),
        ("steps taken", *(len(run.losses) for _, run in runs), "of Adam, one batch each"),
    ]
    return table(
        name,
        f"{title}, {on}" if title else on.capitalize(),
        ("measure", *(Column(label, 3) for label, _ in runs), "what it is"),
        rows,
    )


def map_matrix(drawn: AttentionMap, suffix: str = "") -> Matrix:
    """An attention map of a trained model; masked cells are hidden."""
    title = f"Trained attention, {drawn.name} (mean over heads)"
    name = drawn.name.replace(" ", "-") + suffix
    return matrix(name, title, drawn.weights, drawn.rows, drawn.columns, drawn.shown)


def step_of_rise(losses: Sequence[float]) -> int | None:
    """The step from which on every loss is above the first one; None where that are few steps, or none."""
    steps = next((step for step in range(len(losses), 0, -1) if not losses[step - 1] > losses[0]), 0)
    return steps + 1 if len(losses) - steps >= LAST else None


def ending_notes(runs: Named) -> Iterator[Note]:
    """A sentence for each run that did not go to its end, or went astray."""
    for name, run in runs:
        if (step := step_of_rise(run.losses)) is not None:
            grown = f"{run.losses[0]:.2f}, and is {np.mean(run.losses[-LAST:]):.4g} over the last {LAST} steps"
            yield Note("risen", f"{name}: from step {step} on, the loss stays above that of the first step, {grown}.")
        if run.diverged is not None:
            yield Note("diverged", f"{name}: from step {run.diverged} on, the loss or its gradient is no number (NaN).")
        if run.stopped is not None:
            before = "" if run.scores.examples or run.refused else ", and before it had written its examples"
            yield Note("stopped", f"{name}: interrupted after {run.stopped} of {run.config.steps} steps{before}.")
        if run.refused:
            yield Note("refused", f"{name}: {run.refused}")


def settings_note(run: TrainingRun) -> Note:
    """Note on the settings of a run."""
    config, sizes = run.config, run.config.sizes
    return Note(
        "settings",
        f"Task {run.task}: T = {sizes.T}, d_model = {sizes.d_model}, heads = {sizes.heads}, layers = {sizes.layers}, "
        f"{config.steps} steps of {config.batch} examples, Adam up to {config.rate:g}, seed {config.seed}.",
    )
