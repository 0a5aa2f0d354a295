"""The Result of a command, for whoever tells a longer story than one command does: a lesson, a quiz, a notebook."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Sequence

from attention_lab.commands.output import TAKEN
from attention_lab.errors import BadInput, PartlyFailed, unknown
from attention_lab.result import Result

COMMANDS = {  # those that show one Result, and where they are
    "demo": ("attention_lab.commands.demo", "demo"),
    "break": ("attention_lab.commands.breaks", "breaks"),
    "train": ("attention_lab.commands.train", "train"),
    "claims": ("attention_lab.commands.claims", "claims"),
    "new": ("attention_lab.commands.new", "new"),
    "check": ("attention_lab.commands.check", "check"),
    "kill": ("attention_lab.commands.kill", "kill"),
    "explain": ("attention_lab.commands.explain", "explain"),
    "inspect": ("attention_lab.commands.inspect", "inspect"),
}


def result_of(words: Sequence[str]) -> Result:
    """What `attn-lab WORDS` would show. Raises the LabError of the command, if there is nothing to show."""
    if words[0] not in COMMANDS:
        raise unknown("command with a result", words[0], COMMANDS, "attn-lab --help")
    if {"-h", "--help"} & set(words):
        raise BadInput(f"{shlex.join(words)!r} shows help, and no result.", "Leave --help out.")
    module, name = COMMANDS[words[0]]
    command = getattr(importlib.import_module(module), name)
    taken: list[Result] = []
    token = TAKEN.set(taken)
    try:
        command(list(words[1:]))
    except PartlyFailed:
        if not taken:  # else what could be measured has been shown
            raise
    finally:
        TAKEN.reset(token)
    return taken[0]
