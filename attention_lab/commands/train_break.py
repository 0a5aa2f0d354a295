"""`attn-lab break NAME --train`: the healthy and the broken model, from the same seed and batches, side by side."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from attention_lab.commands.outcome import Outcome
from attention_lab.commands.train import failure_of
from attention_lab.commands.variant import Choice, aside
from attention_lab.result import Note, Pair, Part, Result, Statement
from attention_lab.show.progress import progress_line
from attention_lab.train.race import MATTERS

if TYPE_CHECKING:
    from attention_lab.train.run import Config, TrainingRun
    from attention_lab.train.side_by_side import Report
    from attention_lab.train.tasks import Task

LONGEST = 40  # lines of a diff that one still reads
MOST = 400  # steps: two models are trained, and somebody waits
WIDE = {"scale"}  # parts whose faults show at a wide head only
CALLED = {  # what each task's training and writing call; whatever these call is looked up in the text
    "reverse": {"encoder_decoder", "teacher_forcing", "cross_entropy"},
    "language": {"decoder_only", "decode_next", "empty_cache", "teacher_forcing", "cross_entropy"},
}


def task_of(choice: Choice) -> Task | None:
    """The first task whose network calls what was changed; None where neither does."""
    from attention_lab.train.gradient import unchanged_functions
    from attention_lab.train.tasks import find_task

    whole = unchanged_functions(choice.after)
    return next((find_task(name) for name, calls in CALLED.items() if not calls <= whole), None)


def configs(choice: Choice, task: Task, seed: int) -> list[Config]:
    """The sizes to train at: first where the fault shows, then, if that is another, the usual one."""
    from attention_lab.train.networks import NetworkSizes
    from attention_lab.train.run import Config

    defaults = task.defaults
    usual = Config(task.sizes, min(defaults.steps, MOST), defaults.rate, batch=defaults.batch, seed=seed)
    if task.name != "reverse" or not any(entry.part in WIDE for entry in choice.breaks):
        return [usual]
    return [replace(usual, sizes=NetworkSizes(d_model=128, heads=1), steps=250, rate=2e-3), usual]


def both(choice: Choice, task: Task, chosen: list[Config], say: Report) -> tuple[list[TrainingRun], list[TrainingRun]]:
    """Healthy and broken, one run for each size."""
    from attention_lab.train.side_by_side import Job, train_lanes

    texts = (("healthy", choice.before, "transformer.py"), ("broken", choice.after, choice.label))
    lanes = [[Job(name, text, label, task.name, config) for config in chosen] for name, text, label in texts]
    healthy, broken = train_lanes(lanes, say)
    return healthy, broken


def pairs(healthy: TrainingRun, broken: TrainingRun) -> list[Pair]:
    """The trained maps of both."""
    from attention_lab.break_page.examine import changed_cells
    from attention_lab.train.train_page import map_matrix

    both_maps, theirs = [], {drawn.name: drawn for drawn in broken.maps}
    for drawn in healthy.maps:
        other = theirs.get(drawn.name)
        if other is not None and other.weights.shape == drawn.weights.shape:
            left, right = map_matrix(drawn, "-healthy"), map_matrix(other, "-broken")
            name = drawn.name.replace(" ", "-")
            both_maps.append(Pair(name, left.title, left, right, changed_cells(left, right)))
    return both_maps


def worse(healthy: float | None, broken: float | None) -> bool:
    """Whether accuracy was lost that matters; a model that gives no number has lost it."""
    return healthy is not None and not (broken is not None and broken >= healthy - MATTERS)


def verdicts(healthy: TrainingRun, broken: TrainingRun, measure: str) -> list[Statement]:
    """Whether the fault costs anything, and whether what one watches while training would tell."""

    def shown(value: float | None) -> str:
        return "none" if value is None or isnan(value) else f"{value:.3f}"

    ours, theirs = healthy.scores, broken.scores
    return [
        Statement(
            "cost",
            "With this fault the model writes worse than the healthy one.",
            f"{measure.capitalize()}: {shown(ours.generated)} healthy, {shown(theirs.generated)} broken.",
            worse(ours.generated, theirs.generated),
            theirs.generated,
        ),
        Statement(
            "seen",
            "Whoever watches only the training sees it: the teacher-forced accuracy is lower, too.",
            f"Teacher-forced accuracy: {shown(ours.accuracy)} healthy, {shown(theirs.accuracy)} broken.",
            worse(ours.accuracy, theirs.accuracy),
            theirs.accuracy,
        ),
    ]


def as_typed(config: Config, usual: Config) -> str:
    """The options of `attn-lab train` where a config is not the usual one: without them the fault may not show."""
    wanted = (
        ("--d-model", config.sizes.d_model, usual.sizes.d_model),
        ("--heads", config.sizes.heads, usual.sizes.heads),
        ("--steps", config.steps, usual.steps),
        ("--rate", config.rate, usual.rate),
    )
    return "".join(f" {option} {value:g}" for option, value, other in wanted if value != other)


def page(choice: Choice, healthy: list[TrainingRun], broken: list[TrainingRun]) -> Result:
    """The line that changed, how both learned, their maps, and the table that matters."""
    from attention_lab.break_page.examine import source_diff
    from attention_lab.train.tasks import find_task
    from attention_lab.train.train_page import ending_notes, loss_curve, scores_table, settings_note

    task = find_task(healthy[0].task)
    runs = [("healthy", healthy[0]), ("broken", broken[0])]
    changed = source_diff(choice.before, choice.after)
    parts: list[Part] = [changed] if 0 < len(changed.lines) <= LONGEST else []
    parts += [settings_note(healthy[0])]
    parts += [*loss_curve(runs), *pairs(healthy[0], broken[0])]
    for ours, theirs in zip(healthy[1:], broken[1:], strict=True):
        others = [("healthy", ours), ("broken", theirs)]
        d_k = ours.config.sizes.d_model // ours.config.sizes.heads
        parts += [*ending_notes(others), scores_table(others, task, "other-size", f"The same fault at d_k = {d_k}")]
    sizes = healthy[0].config.sizes
    at = f"At d_k = {sizes.d_model // sizes.heads}" if len(healthy) > 1 else ""
    parts += [*ending_notes(runs), scores_table(runs, task, title=at), *verdicts(healthy[0], broken[0], task.measure)]
    if task_of(choice) is None:
        parts.append(Note("unreached", "No task here calls what was changed: the two runs are one and the same."))
    elif choice.breaks:
        there = as_typed(healthy[0].config, healthy[-1].config)
        words = f"attn-lab train {task.name}{''.join(f' --break {entry.name}' for entry in choice.breaks)}{there}"
        parts.append(Note("next", f"Next: {words}"))
    title, seed = "healthy and broken, trained side by side", healthy[0].config.seed
    return Result(tuple(parts), demo=choice.title or "your edit", title=title, seed=seed)


def train_break(choice: Choice, is_own: bool, seed: int) -> Outcome:
    """Train both; what it comes to. Where it is interrupted, the page shows what there is."""
    from attention_lab.train.tasks import find_task

    choice.broken()  # a line that is no Python is told here
    task = task_of(choice) or find_task("reverse")
    with progress_line(True) as say, aside(is_own):
        healthy, broken = both(choice, task, configs(choice, task, seed), say)
    return Outcome(page(choice, healthy, broken), failure_of((*healthy, *broken), is_own))
