"""Obfuscate a command, so that a fault to be named from its symptoms is not named beside them.

The encoding is no secret; it only keeps the name from being read at a glance.
"""

from __future__ import annotations

import shlex
from base64 import b64decode, b64encode


def obfuscate(words: tuple[str, ...]) -> str:
    """The words of a command in base 64."""
    return b64encode(shlex.join(words).encode()).decode()


def deobfuscate(text: str) -> list[str]:
    """The words of an obfuscated command. Raises ValueError on any other text."""
    return shlex.split(b64decode(text, validate=True).decode())
