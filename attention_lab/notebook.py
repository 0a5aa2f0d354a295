"""What the cells of a notebook call: `run("demo scaling")` is what the command shows, and shows itself."""

from __future__ import annotations

import shlex
from dataclasses import replace

from attention_lab.commands.results import result_of
from attention_lab.errors import BadInput
from attention_lab.lesson.obfuscation import deobfuscate
from attention_lab.lesson.perform import symptoms as symptoms_of
from attention_lab.result import Result


def words_of(command: str) -> list[str]:
    """The words of a command, without the `attn-lab` that may stand before them. Raises BadInput where it has none."""
    try:
        words = shlex.split(command)
    except ValueError as reason:
        raise BadInput(f"{command!r} is no command line: {reason}.", "Close the quotation mark.") from reason
    words = words[1:] if words[:1] == ["attn-lab"] else words
    if not words:
        raise BadInput("The command is empty.", 'Name one: run("demo scaling").')
    return words


def only(result: Result, names: list[str]) -> Result:
    """Some parts of a result, in this order. Raises BadInput where it has no part of such a name."""
    parts = {part.name: part for part in result.parts}
    missing = [name for name in names if name not in parts]
    if missing:
        raise BadInput(f"The result has no part {missing[0]!r}.", f"Its parts are {', '.join(parts)}.")
    return replace(result, parts=tuple(parts[name] for name in names), question="")


def run(command: str, show: str = "") -> Result:
    """What a command shows, or only some parts of it, named as in "spread, gradient".

    Raises the LabError of the command, and BadInput where there is no such part.
    """
    result = result_of(words_of(command))
    return only(result, [name.strip() for name in show.split(",")]) if show else result


def symptoms(sealed: str) -> Result:
    """What a fault does to the model, without its name; a lesson has written which fault that is in other letters.

    Raises BadInput on a text that no lesson has written.
    """
    try:
        words = deobfuscate(sealed)
    except ValueError:
        words = []
    if words[:1] != ["break"]:
        raise BadInput(f"{sealed!r} stands for no fault.", "Copy the whole text from the notebook of a lesson.")
    return symptoms_of(result_of(words))
