"""Draws by seed that a growing catalogue leaves alone: a mystery, a quiz question (rendezvous hashing).

A hash of the draw and of an entry's name ranks the entries. A new entry wins a few draws, one in as many as there are
entries; every other draw stays as it was. The order of the catalogue plays no part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol, TypeVar

BITS = 53  # of a hash: as many as a float keeps


class Named(Protocol):
    """An entry of a catalogue."""

    @property
    def name(self) -> str:
        """The name under which the entry is drawn."""


Entry = TypeVar("Entry", bound=Named)


def fraction(*key: str | int) -> float:
    """A number from 0 up to 1, 1 excluded: the same for the same key on every machine, as if drawn evenly."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return (int.from_bytes(digest, "big") >> (8 * len(digest) - BITS)) / (1 << BITS)


def ranked(entries: Iterable[Entry], *draw: str | int) -> list[Entry]:
    """The entries in the order of a draw; the first is the one drawn. `draw` says what for and from which seed."""
    return sorted(entries, key=lambda entry: fraction(*draw, entry.name), reverse=True)
