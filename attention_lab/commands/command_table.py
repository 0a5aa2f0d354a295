"""The commands of attn-lab, in the order of its help: what each is for and where it is. None of them is imported."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attention_lab.commands.declaration import Declaration

ALL_VIEWS = ("plain", "json", "html", "svg")


@dataclass(frozen=True)
class Command:
    """A module of this package with a function named like the module: its parameters are the options.

    Where the first word says which options there are (`by_name`), the module has a function `declaration(words)`, too.
    A command whose outcome can be a result `has_result`, and can stand in a lesson. `views` are the ways to show it.
    """

    name: str
    module: str
    summary: str
    has_result: bool = False
    by_name: bool = False
    views: tuple[str, ...] = ALL_VIEWS

    def load(self) -> ModuleType:
        """The module, imported now."""
        return importlib.import_module(f"attention_lab.commands.{self.module}")

    def declaration(self, words: Sequence[str] = ()) -> tuple[Declaration, list[str]]:
        """What can be typed behind this command, and those of the words that are its options' and arguments'."""
        from attention_lab.commands.declaration import declare

        module = self.load()
        if self.by_name and words and not words[0].startswith("-"):
            by_name: Declaration = module.declaration(words[0])
            return by_name, list(words[1:])
        return declare(f"attn-lab {self.name}", getattr(module, self.module), self.views), list(words)


COMMANDS = (
    Command("demo", "demo", "Run an experiment; without a name, list them all.", has_result=True, by_name=True),
    Command("break", "breaks", "Break the model by a line; without a name, list the ways.", has_result=True),
    Command("claims", "claims", "Measure what the documents claim: what holds, and when.", has_result=True),
    Command("explain", "explain", "Tell what a break, a vital sign or a demo is.", has_result=True),
    Command("train", "train", "Train a small model; without a task, list them.", has_result=True),
    Command("new", "new", "Write a file to work on: the model, a skeleton, a mystery.", has_result=True),
    Command("check", "check", "Check your own attention code: which fault it has, if any.", has_result=True),
    Command("grade", "grade", "Grade a class: a row for each file, and which faults it has."),
    Command("kill", "kill", "Tell which faults your own tests would miss.", has_result=True),
    Command("walk", "walk", "Walk through a lesson; without one, list them."),
    Command("quiz", "quiz", "Tell unnamed faults by their symptoms, and get a score.", views=("plain", "json")),
    Command("inspect", "inspect", "Tell what each head of a real model does, from its weights.", has_result=True),
    Command("completion", "completion", "Let your shell complete names and options with TAB.", views=()),
    Command("doctor", "doctor", "Attack our own sandbox: what holds on this machine."),
)
BY_NAME = {command.name: command for command in COMMANDS}
