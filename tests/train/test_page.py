"""What the page of a run says of its numbers, so that nobody has to know the words."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict

import numpy as np
import pytest

from attention_lab.commands.command_table import BY_NAME
from attention_lab.commands.train import config_of
from attention_lab.commands.train_break import configs, page
from attention_lab.commands.variant import choose
from attention_lab.options import read_words, with_defaults
from attention_lab.result import Note
from attention_lab.train.defaults import DEFAULTS, USUAL, Defaults, default_by_task
from attention_lab.train.networks import NetworkSizes
from attention_lab.train.run import Config, Scores, TrainingRun, printable_token
from attention_lab.train.tasks import SENTENCE, TASKS, find_task
from attention_lab.train.train_page import accuracy_curve, loss_curve, scores_table


def run_of(steps: int = 0, config: Config | None = None) -> TrainingRun:
    falling = tuple(float(value) for value in np.linspace(2, 1, steps))
    config = config or Config(NetworkSizes(), steps)
    return TrainingRun("reverse", config, falling, falling, falling, Scores(0.1, 0.9, 0.8, 1.0), {})


@pytest.mark.parametrize(
    ("steps", "told"),
    [(20, "training"), (200, "training, means of 10 steps"), (250, "training, means of about 12 steps")],
)
def test_a_curve_of_means_says_so(steps: int, told: str):
    for curves in (loss_curve([("healthy", run_of(steps))]), accuracy_curve([("healthy", run_of(steps))])):
        assert curves[0].title.endswith(f" of {told}")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_measure_of_every_task_says_what_it_is(task):
    table = scores_table([("healthy", run_of()), ("broken", run_of())], task)
    assert table.columns[-1].name == "what it is"
    assert all(row[-1] for row in table.rows)
    assert task.measure in [row[0] for row in table.rows]


@pytest.mark.parametrize(("token", "name"), [("a", "a"), (" ", "space"), ("\n", r"\n"), ("猫", "猫")])
def test_every_token_has_a_name_that_one_sees(token: str, name: str):
    assert printable_token(token) == name


@pytest.mark.parametrize("name", ["no-scale", "mask-flip"])
def test_the_next_command_trains_what_the_page_shows(name: str):
    choice = choose(breaks=(name,))
    chosen = configs(choice, find_task("reverse"), 0)
    runs = [run_of(config=config) for config in chosen]
    result = page(choice, runs, runs)
    note = result["next"]
    assert isinstance(note, Note)
    words = shlex.split(note.text.removeprefix("Next: "))
    assert words[:2] == ["attn-lab", "train"]
    declaration, _ = BY_NAME["train"].declaration()
    typed = with_defaults(declaration.options, read_words(declaration.parser(), declaration.options, words[2:]))
    settings = {setting: typed[setting] for setting in asdict(USUAL)}
    assert config_of(find_task("reverse"), settings) == chosen[0]
    assert (name == "no-scale") == bool(re.search("d_k = 128", result["scores"].title))


# ---- what a task is trained with ----


def test_every_task_has_its_defaults_and_no_other_has():
    assert tuple(DEFAULTS) == tuple(task.name for task in TASKS)
    assert len(SENTENCE.split()) == find_task("pronoun").sizes.T


def test_the_help_tells_each_default_from_the_record_that_trains(attn_lab):
    assert default_by_task("heads") == "4; pronoun 1, language 2"
    assert default_by_task("warm_up") == "40"
    text = " ".join(attn_lab("train", "--help")[1].split())
    for name in asdict(Defaults()):
        assert f"(default: {default_by_task(name)})" in text
