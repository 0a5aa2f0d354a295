"""`attn-lab break NAME --train --fair`: each variant at its own best learning rate, over several seeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from attention_lab.commands.outcome import Outcome
from attention_lab.commands.train_break import LONGEST, MOST, WIDE, task_of
from attention_lab.commands.variant import Choice, aside
from attention_lab.errors import BadInput
from attention_lab.result import Part, Result
from attention_lab.show.progress import progress_line

if TYPE_CHECKING:
    from attention_lab.train.run import Config
    from attention_lab.train.tasks import Task

LANGUAGE_STEPS = 300  # the language model learns most of its words by then


def race_config(choice: Choice, task: Task, seed: int) -> Config:
    """The sizes of a race: a fault of the scale shows at one wide head; seed is the first of several."""
    from attention_lab.train.networks import NetworkSizes
    from attention_lab.train.run import Config

    defaults = task.defaults
    steps = LANGUAGE_STEPS if task.name == "language" else min(defaults.steps, MOST)
    config = Config(task.sizes, steps, defaults.rate, batch=defaults.batch, seed=seed)
    if task.name == "reverse" and any(entry.part in WIDE for entry in choice.breaks):
        return replace(config, sizes=NetworkSizes(d_model=64, heads=1))
    return config


def fair_break(choice: Choice, is_own: bool, seed: int) -> Outcome:
    """The race of the healthy and the broken model. Raises BadInput where no task calls what was changed."""
    from attention_lab.break_page.examine import source_diff
    from attention_lab.train.fair import Entry, run_race
    from attention_lab.train.race_page import race_parts

    choice.broken()  # a line that is no Python is told here
    task = task_of(choice)
    if task is None:
        raise BadInput("No task here calls what was changed.", "Without --fair, the page shows what else moves.")
    healthy = Entry("healthy", choice.before, "transformer.py")
    broken = Entry("broken", choice.after, choice.label)
    with progress_line(True) as say, aside(is_own):
        race = run_race(healthy, broken, task.name, race_config(choice, task, seed), say)
    changed = source_diff(choice.before, choice.after)
    parts: list[Part] = [changed] if 0 < len(changed.lines) <= LONGEST else []
    title = "a fair race: each model at its own best learning rate"
    return Outcome(Result((*parts, *race_parts(race)), demo=choice.title or "your edit", title=title, seed=seed))
