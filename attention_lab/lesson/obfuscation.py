"""A command out of sight: a fault that somebody is to name from its symptoms is not named beside them.

It is no secret, only nothing that one reads at a glance.
"""

from __future__ import annotations

import shlex
from base64 import b64decode, b64encode


def sealed(words: tuple[str, ...]) -> str:
    """The words of a command as letters that say nothing."""
    return b64encode(shlex.join(words).encode()).decode()


def unsealed(text: str) -> list[str]:
    """The words of a command that was sealed. Raises ValueError on any other text."""
    return shlex.split(b64decode(text, validate=True).decode())
