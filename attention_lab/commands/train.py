"""`attn-lab train`: train a variant on a task, watch it learn, tell what it came to."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from attention_lab.commands.names import task_names
from attention_lab.commands.outcome import Outcome
from attention_lab.commands.variant import Breaks, Choice, Edits, OwnFile, aside, choose
from attention_lab.commands.views import check_writable
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.options import Param
from attention_lab.result import Note, Part, Result, table
from attention_lab.show.progress import progress_line
from attention_lab.train.defaults import Defaults, default_by_task

if TYPE_CHECKING:
    from attention_lab.train.run import Config, TrainingRun
    from attention_lab.train.tasks import Task
    from attention_lab.weights import Weights

LONGEST = 10 * 10**6  # bytes of a text
GROUP = "how"


def setting(name: str, help_text: str, at_least: int, at_most: int) -> Param:
    """The declaration of a whole number whose default is the task's."""
    return Param(help_text, at_least, at_most, group=GROUP, default=default_by_task(name))


TaskName = Annotated[str | None, Param("what to learn", metavar="TASK", names=task_names)]
Width = Annotated[int | None, setting("d_model", "width of a token", 2, 1024)]
Heads = Annotated[int | None, setting("heads", "number of heads", 1, 64)]
Layers = Annotated[int | None, setting("layers", "layers of each tower", 1, 24)]
Size = Annotated[int | None, setting("size", "tokens T of an example", 2, 512)]
Steps = Annotated[int | None, setting("steps", "steps of training", 0, 1_000_000)]
Batch = Annotated[int | None, setting("batch", "examples at each step", 1, 4096)]
WarmUp = Annotated[int | None, setting("warm_up", "steps over which the rate rises", 1, 1_000_000)]
Seed = Annotated[int | None, setting("seed", "seed of weights and batches", 0, 2**63)]
Rate = Annotated[
    float | None, Param("Adam's largest rate", above=0, at_most=10, group=GROUP, default=default_by_task("rate"))
]
Dropout = Annotated[
    float | None,
    Param("share that is dropped", at_least=0, below=1, group=GROUP, default=default_by_task("dropout")),
]
TextFile = Annotated[str | None, Param("the text that 'language' learns", metavar="FILE", files=(), group=GROUP)]
SaveFile = Annotated[
    str | None, Param("write the trained weights, as .npz", metavar="FILE", files=(), group=GROUP, echo=False)
]
LoadFile = Annotated[
    str | None,
    Param("start from saved weights; with --steps 0 only look at them", metavar="FILE", files=(), group=GROUP),
]


def listing() -> Result:
    """The tasks."""
    from attention_lab.train.tasks import TASKS

    rows = [(task.name, task.network.name, task.summary) for task in TASKS]
    how = Note("how", "Train one with 'attn-lab train TASK'; 'attn-lab train --help' shows the options.")
    return Result((table("tasks", "Tasks", ("task", "network", "what is learned"), rows), how))


# ---- what was asked for ----


def own_text(file: str) -> str:
    """A person's text file. Raises BadInput when it is none."""
    from attention_lab.train.saved import existing_file

    path = existing_file(file)
    try:
        if path.stat().st_size > LONGEST:
            raise BadInput(f"{file} is longer than {LONGEST // 10**6} MB.", "Give a part of it.")
        text = path.read_text(encoding="utf-8")
    except OSError as reason:
        raise BadInput(f"Cannot read {file}: {reason.strerror}.", "Give a file that you may read.") from reason
    except UnicodeDecodeError as reason:
        raise BadInput(f"Cannot read {file} as text: {reason}.", "Give a text file in UTF-8.") from reason
    if not text.strip():
        raise BadInput(f"{file} is empty.", "Give a text of at least some hundred characters.")
    if "\0" in text:
        raise BadInput(f"{file} holds zero bytes: it is no text.", "Give a text file in UTF-8.")
    return text


def config_of(task: Task, typed: dict[str, float | None]) -> Config:
    """The task's own settings, with what was typed in their place. Raises BadInput, and TooLarge."""
    from attention_lab.machine.memory import require_memory
    from attention_lab.train.networks import NetworkSizes
    from attention_lab.train.run import Config, examples_of

    if task.fixed and typed["size"] is not None:
        raise BadInput(f"--size does not go with {task.name}.", f"Its examples have {task.sizes.T} tokens.")
    given = {name: value for name, value in typed.items() if value is not None}
    chosen = Defaults(**(asdict(task.defaults) | given))
    d_model, heads = chosen.d_model, chosen.heads
    if d_model % heads != 0:
        raise BadInput(f"d_model = {d_model} does not divide into {heads} heads.", "Change --d-model or --heads.")
    sizes = NetworkSizes(d_model, heads, chosen.layers, chosen.size)
    V = len(task.vocabulary)
    cells = max(chosen.batch, examples_of(sizes)) * sizes.T * (heads * sizes.T + 6 * d_model + V)
    weights = 2 * sizes.layers * 8 * d_model**2 + V * d_model
    needed = 4 * (8 * sizes.layers * cells + 10 * weights + 2 * V**2)  # float32; a few of each are held
    work = f"Training at d_model = {d_model}, T = {sizes.T}, batch {chosen.batch}"
    require_memory(needed, work, "Make one of them smaller.")
    return Config(sizes, chosen.steps, chosen.rate, chosen.warm_up, chosen.batch, chosen.dropout, chosen.seed)


# ---- the run and its page ----


def trained(choice: Choice, task: Task, config: Config, start: Weights | None, is_own: bool) -> TrainingRun:
    """Train, and say at each step how it goes."""
    from attention_lab.train.run import train_model

    with progress_line(True) as say:

        def progress(step: int, loss: float, accuracy: float) -> None:
            say(f"step {step} of {config.steps}, loss {loss:.3f}, accuracy {accuracy:.3f}")

        def ending(count: int) -> None:
            say(f"reading and writing {count} examples it was not trained on; Ctrl-C does without")

        say(f"step 1 of {config.steps}")
        with aside(is_own):
            return train_model(choice.after, choice.label, task, config, progress, start, ending)


def write_weights(file: str | None, task: Task, run: TrainingRun) -> str:
    """Write the weights where that was asked for; why they could not be written, or nothing."""
    from attention_lab.train.saved import save_weights

    if not file or (run.refused and not run.losses):  # nothing was learned: what is in the file stays
        return ""
    try:
        save_weights(file, task, run.config.sizes, run.weights)
    except OSError as reason:
        return f"Cannot write {file}: {reason.strerror}."
    sys.stderr.write(f"Wrote {file}\n")
    return ""


def page(choice: Choice, task: Task, run: TrainingRun) -> Result:
    """How it was trained, how it learned, what it looks at, what it writes, what it came to."""
    from attention_lab.train.train_page import (
        accuracy_curve,
        ending_notes,
        loss_curve,
        map_matrix,
        scores_table,
        settings_note,
    )

    runs = [(choice.title or ("your model" if choice.words else "healthy"), run)]
    parts: list[Part] = [settings_note(run), *loss_curve(runs), *accuracy_curve(runs)]
    parts += [map_matrix(drawn) for drawn in run.maps]
    if run.scores.examples:
        wanted = any(row[2] for row in run.scores.examples)
        heads, width = (("given", "written", "wanted"), 3) if wanted else (("given", "goes on"), 2)
        parts.append(table("examples", "What it writes", heads, [row[:width] for row in run.scores.examples]))
    parts += [scores_table(runs, task), *ending_notes(runs)]
    return Result(tuple(parts), demo=f"train {task.name}", title=task.summary, seed=run.config.seed)


def failure_of(runs: Iterable[TrainingRun], is_own: bool) -> PartlyFailed | KeyboardInterrupt | None:
    """The failure of runs that were interrupted, or that a person's own change ended. Of a break it is no news."""
    runs = list(runs)
    if any(run.stopped is not None for run in runs):
        return KeyboardInterrupt()
    refused = [run.refused for run in runs if run.refused]
    return PartlyFailed(refused[0], "The page shows what there is. Correct that line.") if refused and is_own else None


# ---- the command ----


def train(
    task: TaskName = None,
    *,
    d_model: Width = None,
    heads: Heads = None,
    layers: Layers = None,
    size: Size = None,
    steps: Steps = None,
    batch: Batch = None,
    warm_up: WarmUp = None,
    seed: Seed = None,
    rate: Rate = None,
    dropout: Dropout = None,
    text_file: TextFile = None,
    save: SaveFile = None,
    load: LoadFile = None,
    breaks: Breaks = (),
    own: OwnFile = None,
    edits: Edits = (),
) -> Outcome:
    """Train a small model on a task, healthy or broken. Without a task, list them.

    Ctrl-C ends the training, and shows what it has come to.
    """
    if task is None:
        return Outcome(listing())
    if text_file and task != "language":
        raise BadInput(f"--text-file does not go with {task}.", "It is what 'attn-lab train language' learns.")
    from attention_lab.train.saved import check_replaceable, load_weights
    from attention_lab.train.tasks import find_task

    check_writable(save)
    if save:
        check_replaceable(save)
    learned = find_task(task, own_text(text_file) if text_file else "")
    sizes: dict[str, float | None] = {"d_model": d_model, "heads": heads, "layers": layers, "size": size}
    pace = {"steps": steps, "batch": batch, "warm_up": warm_up, "seed": seed, "rate": rate, "dropout": dropout}
    config = config_of(learned, sizes | pace)
    choice, is_own = choose(breaks=breaks, edits=edits, own=own), bool(edits or own)
    choice.broken()  # a line that is no Python is told here
    start = load_weights(load, learned, config.sizes) if load else None
    run = trained(choice, learned, config, start, is_own)
    unsaved = write_weights(save, learned, run)
    failure = failure_of([run], is_own)
    if unsaved:
        failure = PartlyFailed(unsaved, "The page shows what was measured; name another file to train once more.")
    return Outcome(page(choice, learned, run), failure)
