"""What a demo is, where it is found, and what its Result must be."""

from attention_lab.demo.record import (
    Demo,
    Progress,
    Run,
    command_line,
    listens,
    options_of,
    perform,
    raised_in,
    silent,
)
from attention_lab.options import Option, Param, Seed, Text

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
