"""Options that several commands have."""

from __future__ import annotations

import secrets
from typing import Annotated

from attention_lab.options import Param
from attention_lab.sandbox.records import LEVELS

LEVEL = Param(
    f"run only where this much protection holds: {', '.join(LEVELS)}",
    flag="--require-sandbox",
    metavar="LEVEL",
    choices=tuple(LEVELS),
    echo=False,
)
Level = Annotated[str | None, LEVEL]
FreshSeed = Annotated[int | None, Param("seed of the inputs", at_least=0, default="another one each time")]


def fresh_seed(seed: int | None) -> int:
    """The seed that was asked for, or a fresh one."""
    return secrets.randbelow(2**32) if seed is None else seed
