"""`attn-lab break NAME --train`: the healthy and the broken model, from the same seed and batches, side by side."""

from __future__ import annotations

import shlex
from argparse import Namespace
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from attention_lab.commands.output import aside, show
from attention_lab.commands.train import complain
from attention_lab.commands.variant import Choice, choose
from attention_lab.errors import BadInput
from attention_lab.result import Note, Pair, Part, Result, Statement
from attention_lab.show.progress import progress_line

if TYPE_CHECKING:
    from attention_lab.train.run import Config, TrainingRun
    from attention_lab.train.side_by_side import Report
    from attention_lab.train.tasks import Task

LONGEST = 40  # lines of a diff that one still reads
MATTERS = 0.05  # of accuracy: a smaller loss of it is within what another seed would change
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

    usual = Config(task.sizes, min(task.steps, MOST), task.rate, batch=task.at_once, seed=seed)
    if task.name != "reverse" or not any(one.part in WIDE for one in choice.breaks):
        return [usual]
    return [replace(usual, sizes=NetworkSizes(d_model=128, heads=1), steps=250, rate=2e-3), usual]


def both(choice: Choice, task: Task, chosen: list[Config], told: Report) -> tuple[list[TrainingRun], list[TrainingRun]]:
    """Healthy and broken, one run for each size."""
    from attention_lab.train.side_by_side import Job, train_lanes

    texts = (("healthy", choice.before, "transformer.py"), ("broken", choice.after, choice.label))
    lanes = [[Job(name, text, label, task.name, config) for config in chosen] for name, text, label in texts]
    healthy, broken = train_lanes(lanes, told)
    return healthy, broken


def pairs(healthy: TrainingRun, broken: TrainingRun) -> list[Pair]:
    """The trained maps of both."""
    from attention_lab.break_page.examine import changed_cells
    from attention_lab.train.train_page import map_matrix

    found, theirs = [], {drawn.name: drawn for drawn in broken.maps}
    for drawn in healthy.maps:
        other = theirs.get(drawn.name)
        if other is not None and other.weights.shape == drawn.weights.shape:
            left, right = map_matrix(drawn, "-healthy"), map_matrix(other, "-broken")
            name = drawn.name.replace(" ", "-")
            found.append(Pair(name, left.title, left, right, changed_cells(left, right)))
    return found


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


def page(choice: Choice, healthy: list[TrainingRun], broken: list[TrainingRun], command: str) -> Result:
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
    names = " + ".join(one.name for one in choice.breaks) or "your edit"
    if task_of(choice) is None:
        parts.append(Note("unreached", "No task here calls what was changed: the two runs are one and the same."))
    elif choice.breaks:
        there = as_typed(healthy[0].config, healthy[-1].config)
        words = f"attn-lab train {task.name}{''.join(f' --break {one.name}' for one in choice.breaks)}{there}"
        parts.append(Note("next", f"Next: {words}"))
    title, seed = "healthy and broken, trained side by side", healthy[0].config.seed
    return Result(tuple(parts), demo=names, title=title, seed=seed, command=command)


def check_options(arguments: Namespace) -> None:
    """Raise BadInput on options of the other page, which training has no use for."""
    if not (arguments.names or arguments.edit or arguments.own):
        raise BadInput("--train needs a fault to train with.", "Name one, or give --edit OLD NEW.")
    for flag, usual in (("size", None), ("d_k", 4), ("heads", 3), ("text", None)):
        if getattr(arguments, flag) != usual:
            typed = "--" + flag.replace("_", "-")
            raise BadInput(f"{typed} does not go with --train.", "'attn-lab train reverse --break NAME' takes sizes.")
    if arguments.seed < 0:
        raise BadInput(f"--seed is {arguments.seed}.", "It must be at least 0.")


def train_break(arguments: Namespace) -> None:
    """Train both, show what it comes to. An interruption shows what there is, and then goes on its way."""
    from attention_lab.train.tasks import find_task

    check_options(arguments)
    choice = choose(arguments.names, [tuple(edit) for edit in arguments.edit], arguments.own)
    choice.broken()  # a line that is no Python is told here
    task = task_of(choice) or find_task("reverse")
    with progress_line(True) as told, aside(bool(arguments.edit or arguments.own)):
        healthy, broken = both(choice, task, configs(choice, task, arguments.seed), told)
    words = ["attn-lab", "break", *(one.name for one in choice.breaks), "--train"]
    words += [word for edit in arguments.edit for word in ("--edit", *edit)]
    words += ["--with", arguments.own] if arguments.own else []
    words += ["--seed", str(arguments.seed)] if arguments.seed else []
    show(page(choice, healthy, broken, shlex.join(words)), arguments)
    if any(run.stopped is not None for run in (*healthy, *broken)):
        raise KeyboardInterrupt
    complain((*healthy, *broken), arguments)
