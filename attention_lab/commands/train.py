"""`attn-lab train`: train a variant on a task, watch it learn, show what it came to."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from attention_lab.commands.output import add_views, aside, check_views, check_writable, show
from attention_lab.commands.variant import Choice, add_variant, choose
from attention_lab.errors import BadInput, PartlyFailed
from attention_lab.options import Parser, parser_for
from attention_lab.result import Note, Part, Result, table
from attention_lab.show.progress import progress_line

if TYPE_CHECKING:
    from attention_lab.train.run import Config, TrainingRun
    from attention_lab.train.tasks import Task
    from attention_lab.weights import Weights

DESCRIPTION = """Train a small model on a task, healthy or broken. Without a task, list them.

Ctrl-C ends the training, and shows what it has come to."""
LONGEST = 10 * 10**6  # bytes of a text
COUNTS = (  # option, metavar, least, most, what it is; the default is the task's where none is given
    ("d_model", 2, 1024, "width of a token (default 32; language 64)"),
    ("heads", 1, 64, "number of heads (default 4; pronoun 1, language 2)"),
    ("layers", 1, 24, "layers of each tower (default 1; pronoun and language 2)"),
    ("size", 2, 512, "tokens T of an example (default 8; language 32)"),
    ("steps", 0, 1_000_000, "steps of training (default 400; pronoun 300, language 600)"),
    ("batch", 1, 4096, "examples at each step (default 32; language 16)"),
    ("warm_up", 1, 1_000_000, "steps over which the rate rises (default 40)"),
    ("seed", 0, 2**63, "seed of weights and batches (default 0)"),
)


def flag(name: str) -> str:
    """The option as one types it."""
    return "--" + name.replace("_", "-")


def parser() -> Parser:
    """The command line of `attn-lab train`."""
    it = parser_for("attn-lab train", DESCRIPTION)
    it.add_argument("task", metavar="TASK", nargs="?", help="what to learn")
    how = it.add_argument_group("how")
    for name, _, _, text in COUNTS:
        how.add_argument(flag(name), metavar="N", type=int, help=text)
    how.add_argument("--rate", metavar="X", type=float, help="Adam's largest rate (default 0.003; language 0.008)")
    how.add_argument("--dropout", metavar="X", type=float, default=0.0, help="share that is dropped (default 0)")
    how.add_argument("--text-file", metavar="FILE", help="the text that 'language' learns")
    how.add_argument("--save", metavar="FILE", help="write the trained weights, as .npz")
    how.add_argument("--load", metavar="FILE", help="start from saved weights; with --steps 0 only look at them")
    add_variant(it)
    it.add_argument("--edit", nargs=2, metavar=("OLD", "NEW"), action="append", default=[], help="with your own change")
    add_views(it)
    return it


def listing() -> Result:
    """The tasks."""
    from attention_lab.train.tasks import TASKS

    rows = [(task.name, task.network.name, task.summary) for task in TASKS]
    how = Note("how", "Train one with 'attn-lab train TASK'; 'attn-lab train --help' shows the options.")
    return Result(
        (table("tasks", "Tasks", ("task", "network", "what is learned"), rows), how), command="attn-lab train"
    )


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


def check(arguments: Namespace) -> None:
    """Raise BadInput on an option outside its range."""
    for name, least, most, _ in COUNTS:
        value = getattr(arguments, name)
        if value is not None and not least <= value <= most:
            raise BadInput(f"{flag(name)} is {value}.", f"It must be from {least} to {most}.")
    if arguments.rate is not None and not 0 < arguments.rate <= 10:
        raise BadInput(f"--rate is {arguments.rate}.", "It must be above 0 and at most 10.")
    if not 0 <= arguments.dropout < 1:
        raise BadInput(f"--dropout is {arguments.dropout}.", "It must be at least 0 and below 1.")
    if arguments.text_file and arguments.task != "language":
        raise BadInput(
            f"--text-file does not go with {arguments.task}.", "It is what 'attn-lab train language' learns."
        )


def config_of(task: Task, arguments: Namespace) -> Config:
    """The task's own settings, with what was typed in their place."""
    from attention_lab.machine.memory import require_memory
    from attention_lab.train.networks import NetworkSizes
    from attention_lab.train.run import Config, examples_of

    def typed(name: str, usual: int) -> int:
        value = getattr(arguments, name)
        return usual if value is None else int(value)

    if task.fixed and arguments.size is not None:
        raise BadInput(f"--size does not go with {task.name}.", f"Its examples have {task.sizes.T} tokens.")
    own = task.sizes
    d_model, heads = typed("d_model", own.d_model), typed("heads", own.heads)
    if d_model % heads != 0:
        raise BadInput(f"d_model = {d_model} does not divide into {heads} heads.", "Change --d-model or --heads.")
    sizes = NetworkSizes(d_model, heads, typed("layers", own.layers), typed("size", own.T))
    batch, V = typed("batch", task.at_once), len(task.vocabulary)
    cells = max(batch, examples_of(sizes)) * sizes.T * (heads * sizes.T + 6 * d_model + V)
    weights = 2 * sizes.layers * 8 * d_model**2 + V * d_model
    needed = 4 * (8 * sizes.layers * cells + 10 * weights + 2 * V**2)  # float32; a few of each are held
    require_memory(
        needed, f"Training at d_model = {d_model}, T = {sizes.T}, batch {batch}", "Make one of them smaller."
    )
    return Config(
        sizes,
        typed("steps", task.steps),
        task.rate if arguments.rate is None else arguments.rate,
        typed("warm_up", 40),
        batch,
        arguments.dropout,
        typed("seed", 0),
    )


def command_of(choice: Choice, arguments: Namespace) -> str:
    """The command that gives this page again."""
    words = ["attn-lab", "train", arguments.task]
    for name, *_ in COUNTS:
        words += [flag(name), str(getattr(arguments, name))] if getattr(arguments, name) is not None else []
    words += ["--rate", str(arguments.rate)] if arguments.rate is not None else []
    words += ["--dropout", str(arguments.dropout)] if arguments.dropout else []
    for name in ("text_file", "load"):
        words += [flag(name), getattr(arguments, name)] if getattr(arguments, name) else []
    return shlex.join([*words, *choice.words])


# ---- the run and its page ----


def trained(choice: Choice, task: Task, config: Config, start: Weights | None, arguments: Namespace) -> TrainingRun:
    """Train, and say at each step how it goes."""
    from attention_lab.train.run import train_model

    with progress_line(True) as told:

        def progress(step: int, loss: float, accuracy: float) -> None:
            told(f"step {step} of {config.steps}, loss {loss:.3f}, accuracy {accuracy:.3f}")

        def ending(count: int) -> None:
            told(f"reading and writing {count} examples it was not trained on; Ctrl-C does without")

        told(f"step 1 of {config.steps}")
        with aside(bool(arguments.edit or arguments.own)):
            return train_model(choice.after, choice.label, task, config, progress, start, ending)


def unsaved(arguments: Namespace, task: Task, run: TrainingRun) -> str:
    """Write the weights where that was asked for; why they could not be written, or nothing."""
    from attention_lab.train.saved import save_weights

    if not arguments.save or (run.refused and not run.losses):  # nothing was learned: what is in the file stays
        return ""
    try:
        save_weights(arguments.save, task, run.config.sizes, run.weights)
    except OSError as reason:
        return f"Cannot write {arguments.save}: {reason.strerror}."
    sys.stderr.write(f"Wrote {arguments.save}\n")
    return ""


def page(choice: Choice, task: Task, run: TrainingRun, command: str) -> Result:
    """How it was trained, how it learned, what it looks at, what it writes, what it came to."""
    from attention_lab.train.train_page import (
        accuracy_curve,
        ending_notes,
        loss_curve,
        map_matrix,
        scores_table,
        settings_note,
    )

    name = " + ".join(one.name for one in choice.breaks) or ("your model" if choice.words else "healthy")
    runs = [(name, run)]
    parts: list[Part] = [settings_note(run), *loss_curve(runs), *accuracy_curve(runs)]
    parts += [map_matrix(drawn) for drawn in run.maps]
    if run.scores.examples:
        wanted = any(row[2] for row in run.scores.examples)
        heads, width = (("given", "written", "wanted"), 3) if wanted else (("given", "goes on"), 2)
        parts.append(table("examples", "What it writes", heads, [row[:width] for row in run.scores.examples]))
    parts += [scores_table(runs, task), *ending_notes(runs)]
    return Result(tuple(parts), demo=f"train {task.name}", title=task.summary, seed=run.config.seed, command=command)


def complain(runs: Iterable[TrainingRun], arguments: Namespace) -> None:
    """After the page: say in a sentence what a person's own change raised, with exit code 1. Of a break it is no news.

    Raises PartlyFailed.
    """
    refused = [run.refused for run in runs if run.refused]
    if refused and (arguments.edit or arguments.own):
        raise PartlyFailed(refused[0], "The page shows what there is. Correct that line.")


def train(words: list[str]) -> None:
    """Train a model on a task; without a task, list them."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    if arguments.task is None:
        show(listing(), arguments)
        return
    from attention_lab.train.saved import check_replaceable, load_weights
    from attention_lab.train.tasks import find_task

    check(arguments)
    check_writable(arguments.save)
    if arguments.save:
        check_replaceable(arguments.save)
    task = find_task(arguments.task, own_text(arguments.text_file) if arguments.text_file else "")
    config = config_of(task, arguments)
    choice = choose(arguments.breaks, [tuple(edit) for edit in arguments.edit], arguments.own)
    choice.broken()  # a line that is no Python is told here
    start = load_weights(arguments.load, task, config.sizes) if arguments.load else None
    run = trained(choice, task, config, start, arguments)
    lost = unsaved(arguments, task, run)
    show(page(choice, task, run, command_of(choice, arguments)), arguments)
    if lost:
        raise PartlyFailed(lost, "The page shows what was measured; name another file to train once more.")
    if run.stopped is not None:
        raise KeyboardInterrupt
    complain([run], arguments)
