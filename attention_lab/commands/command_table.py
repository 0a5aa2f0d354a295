"""The commands of attn-lab, in the order of its help: what each is for and where it is. None of them is imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Command:
    """A module of this package with `parser()` and a function named like the module, which takes the words typed.

    One that `shows` a Result can stand in a lesson; one that `remembers` also takes the folder to keep something in.
    """

    name: str
    module: str
    summary: str
    shows: bool = False
    remembers: bool = False

    def load(self) -> ModuleType:
        """The module, imported now."""
        return importlib.import_module(f"attention_lab.commands.{self.module}")

    @property
    def function(self) -> Callable[..., Any]:
        """What the command does."""
        found: Callable[..., Any] = getattr(self.load(), self.module)
        return found


COMMANDS = (
    Command("demo", "demo", "Run an experiment; without a name, list them all.", shows=True),
    Command("break", "breaks", "Break the model by a line; without a name, list the ways.", shows=True),
    Command("claims", "claims", "Measure what the documents claim: what holds, and when.", shows=True),
    Command("explain", "explain", "Tell what a break, a vital sign or a demo is.", shows=True),
    Command("train", "train", "Train a small model; without a task, list them.", shows=True),
    Command("new", "new", "Write a file to work on: the model, a skeleton, a mystery.", shows=True),
    Command("check", "check", "Check your own attention code: which fault it has, if any.", shows=True, remembers=True),
    Command("grade", "grade", "Grade a class: a row for each file, and which faults it has."),
    Command("kill", "kill", "Tell which faults your own tests would miss.", shows=True),
    Command("walk", "walk", "Walk through a lesson; without one, list them.", remembers=True),
    Command("quiz", "quiz", "Tell unnamed faults by their symptoms, and get a score."),
    Command("inspect", "inspect", "Tell what each head of a real model does, from its weights.", shows=True),
    Command("completion", "completion", "Let your shell complete names and options with TAB."),
    Command("doctor", "doctor", "Attack our own sandbox: what holds on this machine."),
)
BY_NAME = {command.name: command for command in COMMANDS}
