"""What a demo is, where it is found, and what its Result must be."""

from attention_lab.demo.record import (
    Demo,
    Option,
    Param,
    Progress,
    Run,
    Seed,
    Text,
    command_line,
    listens,
    options_of,
    perform,
    raised_in,
    silent,
)

__all__ = [
    "Demo",
    "Option",
    "Param",
    "Progress",
    "Run",
    "Seed",
    "Text",
    "command_line",
    "listens",
    "options_of",
    "perform",
    "raised_in",
    "silent",
]
