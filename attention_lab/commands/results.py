"""The Result of a command, for whoever tells a longer story than one command does: a lesson, a quiz, a notebook."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from attention_lab.commands.command_table import BY_NAME, COMMANDS
from attention_lab.commands.output import TAKEN
from attention_lab.errors import BadInput, PartlyFailed, unknown
from attention_lab.result import Result


def result_of(words: Sequence[str]) -> Result:
    """What `attn-lab WORDS` would show. Raises the LabError of the command, if there is nothing to show."""
    showing = [command.name for command in COMMANDS if command.shows]
    if words[0] not in showing:
        raise unknown("command with a result", words[0], showing, "attn-lab --help")
    if {"-h", "--help"} & set(words):
        raise BadInput(f"{shlex.join(words)!r} shows help, and no result.", "Leave --help out.")
    taken: list[Result] = []
    token = TAKEN.set(taken)
    try:
        BY_NAME[words[0]].function(list(words[1:]))
    except PartlyFailed:
        if not taken:  # else what could be measured has been shown
            raise
    finally:
        TAKEN.reset(token)
    return taken[0]
