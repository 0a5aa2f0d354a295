"""The result of a command, for whoever tells a longer story than one command does: a lesson, a quiz, a notebook."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from attention_lab.commands.command_table import BY_NAME, COMMANDS
from attention_lab.commands.declaration import run_words
from attention_lab.commands.outcome import Outcome
from attention_lab.errors import BadInput, unknown
from attention_lab.result import Result


def result_of(words: Sequence[str]) -> Result:
    """The result that `attn-lab WORDS` would show. Raises the LabError of the command, if there is nothing to show.

    Raises KeyboardInterrupt where the command was interrupted.
    """
    names = [command.name for command in COMMANDS if command.has_result]
    if words[0] not in names:
        raise unknown("command with a result", words[0], names, "attn-lab --help")
    if {"-h", "--help"} & set(words):
        raise BadInput(f"{shlex.join(words)!r} shows help, and no result.", "Leave --help out.")
    ending, _ = run_words(*BY_NAME[words[0]].declaration(words[1:]))
    if not isinstance(ending, Outcome):
        raise BadInput(f"{shlex.join(words)!r} is for a terminal, and has no result.", "Leave that option out.")
    if isinstance(ending.failure, KeyboardInterrupt):
        raise ending.failure
    return ending.result
