"""`attn-lab completion SHELL`, and what a shell asks for when somebody presses TAB: what could be typed next.

The shell runs `attn-lab` once more with `_ARGCOMPLETE` in its environment; argcomplete answers from our own parsers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Annotated

import argcomplete
from argcomplete.completers import FilesCompleter
from argcomplete.lexers import split_line
from argcomplete.shell_integration import shellcode

from attention_lab.commands.command_table import BY_NAME
from attention_lab.commands.names import demo_names
from attention_lab.commands.outcome import Document
from attention_lab.options import Option, Param, Parser, add_options, parser_for
from attention_lab.options.option import REQUIRED

NAME = "attn-lab"
SHELLS = ("bash", "zsh", "fish")


def completion(shell: Annotated[str, Param("bash or zsh or fish", metavar="SHELL", choices=SHELLS)]) -> Document:
    """Print the code that lets a shell complete commands, names and options with TAB.

    Put one line:

    in ~/.bashrc: eval "$(attn-lab completion bash)"

    in ~/.zshrc, below compinit: eval "$(attn-lab completion zsh)"

    in ~/.config/fish/config.fish: attn-lab completion fish | source
    """
    return Document(shellcode([NAME], shell=shell) + "\n")


# ---- what could be typed next ----

DEMO = Option("demo", str, False, REQUIRED, Param("", metavar="NAME", names=demo_names, files=("py",)), positional=True)


def completer(option: Option) -> Callable[..., Iterable[str]]:
    """What completes the value of an option: its choices, names, files, or nothing, for a number."""
    param = option.param

    def complete(prefix: str, **_: object) -> Iterable[str]:
        names = [str(choice) for choice in param.choices] or (param.names() if param.names is not None else [])
        matching = [name for name in names if name.startswith(prefix)]
        if matching or param.files is None or (names and not prefix):
            return matching
        completed: Iterable[str] = FilesCompleter(param.files)(prefix)
        return completed

    return complete


def options_after(words: list[str]) -> tuple[str, tuple[Option, ...]]:
    """The command line that these words begin, and what it takes; `demo NAME` has the options of this demo."""
    command = BY_NAME[words[0]]
    if not command.by_name:
        declaration, _ = command.declaration()
        return declaration.line, declaration.all_options
    from attention_lab.demo.registry import OURS

    known = len(words) > 1 and words[1] in OURS  # a file of one's own is not run to complete a word
    declaration, _ = command.declaration(words[1:2] if known else [])
    return declaration.line, (DEMO, *declaration.all_options)


def completing_parser(words: list[str]) -> Parser:
    """The parser of the command that these words begin, each option with what completes it."""
    line, options = options_after(words)
    parser = parser_for(line, "")
    for option, action in add_options(parser, options).items():
        action.completer = completer(option)  # type: ignore[attr-defined]
    return parser


def whole_parser(words: list[str]) -> Parser:
    """All commands; the one that these words begin with, with all that it takes."""
    whole = parser_for(NAME, "")
    commands = whole.add_subparsers()
    for name in BY_NAME:
        parents = [completing_parser(words)] if words[:1] == [name] else []
        commands.add_parser(name, parents=parents, add_help=False, allow_abbrev=False)
    return whole


def complete() -> None:
    """Answer a shell that asks what could be typed next, and leave."""
    _, _, _, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))
    typed = words[int(os.environ["_ARGCOMPLETE"]) :]  # it counts the words that only start the program
    argcomplete.autocomplete(whole_parser(typed), always_complete_options=False)
