"""`attn-lab completion SHELL`, and what a shell asks for when somebody presses TAB: what could be typed next.

The shell runs `attn-lab` once more with `_ARGCOMPLETE` in its environment; argcomplete answers from our own parsers.
"""

from __future__ import annotations

import os
import sys
from argparse import Action
from collections.abc import Callable, Iterable

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.lexers import split_line
from argcomplete.shell_integration import shellcode

from attention_lab.commands.command_table import BY_NAME
from attention_lab.options import Parser, parser_for

NAME = "attn-lab"
HOW = {
    "bash": 'in ~/.bashrc: eval "$(attn-lab completion bash)"',
    "zsh": 'in ~/.zshrc, below compinit: eval "$(attn-lab completion zsh)"',
    "fish": "in ~/.config/fish/config.fish: attn-lab completion fish | source",
}
DESCRIPTION = "Print the code that lets a shell complete commands, names and options with TAB. Put one line:\n\n"


def parser() -> Parser:
    """The command line of `attn-lab completion`."""
    it = parser_for(f"{NAME} completion", DESCRIPTION + "\n\n".join(HOW.values()))
    it.add_argument("shell", metavar="SHELL", choices=tuple(HOW), help=" or ".join(HOW))
    return it


def completion(words: list[str]) -> None:
    """Print what a shell is to evaluate."""
    shell = parser().parse_args(words).shell
    sys.stdout.write(shellcode([NAME], shell=shell) + "\n")


# ---- what names there are ----


def breaks() -> list[str]:
    """The names of the breaks."""
    from attention_lab.breaks import BREAKS

    return [one.name for one in BREAKS]


def demos() -> list[str]:
    """The names of the demos, also of those that other packages have registered."""
    from attention_lab.demo.registry import OURS, registered

    return [*OURS, *registered()]


def records() -> list[str]:
    """All that can be explained."""
    from attention_lab.demo.registry import OURS
    from attention_lab.vitals import VITALS

    return [*breaks(), *(vital.name for vital in VITALS), *OURS]


def tasks() -> list[str]:
    """The tasks that a model can be trained on."""
    from attention_lab.train.tasks import TASKS

    return [task.name for task in TASKS]


def lessons() -> list[str]:
    """The lessons that come with the package."""
    from attention_lab.lesson.library import shipped_lessons

    return list(shipped_lessons())


def documents() -> list[str]:
    """The documents whose claims are measured."""
    from attention_lab.claims.documents import DOCUMENTS

    return [document.name for document in DOCUMENTS]


NAMES: dict[str, Callable[[], list[str]]] = {  # by what the parsers call an argument
    "names": breaks,
    "breaks": breaks,
    "broken": breaks,
    "demo": demos,
    "name": records,
    "task": tasks,
    "lesson": lessons,
    "document": documents,
}
OWN_FILES = {"demo": ("py",), "lesson": ("md",)}  # arguments that may be a person's own file


# ---- what could be typed next ----


def nothing(**_: object) -> tuple[str, ...]:
    """What completes a number or a text."""
    return ()


def completer(action: Action) -> Callable[..., Iterable[str]] | None:
    """What completes an argument: names, files, or nothing, for a number. None where argcomplete knows by itself."""
    names = NAMES.get(action.dest)
    if names is None:
        takes_file = str(action.metavar).startswith(("FILE", "DIR"))
        return None if action.choices else FilesCompleter() if takes_file else nothing

    def named(prefix: str, **_: object) -> list[str]:
        found = [name for name in names() if name.startswith(prefix)]
        if found or not prefix or action.dest not in OWN_FILES:
            return found
        return list(FilesCompleter(OWN_FILES[action.dest])(prefix))

    return named


def parser_of(words: list[str]) -> Parser:
    """The parser of the command that these words begin with; that of `demo NAME` has the options of this demo."""
    module = BY_NAME[words[0]].load()
    if words[0] != "demo":
        found: Parser = module.parser()
        return found
    from attention_lab.demo.registry import OURS, from_catalogue

    known = len(words) > 1 and words[1] in OURS  # a file of one's own is not run to complete a word
    it: Parser = module.parser_of(words[1], from_catalogue(words[1])) if known else module.parser()
    it.add_argument("demo", metavar="NAME")
    return it


def whole_parser(words: list[str]) -> Parser:
    """All commands; the one that these words begin with, with all that it takes."""
    it = parser_for(NAME, "")
    commands = it.add_subparsers()
    for name in BY_NAME:
        parents = [parser_of(words)] if words[:1] == [name] else []
        command = commands.add_parser(name, parents=parents, add_help=False, allow_abbrev=False)
        for action in command._actions:  # argparse has no public way to look at them
            action.completer = completer(action)  # type: ignore[attr-defined]
    return it


def complete() -> None:
    """Answer a shell that asks what could be typed next, and leave."""
    _, _, _, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))
    typed = words[int(os.environ["_ARGCOMPLETE"]) :]  # it counts the words that only start the program
    argcomplete.autocomplete(whole_parser(typed), always_complete_options=False)
