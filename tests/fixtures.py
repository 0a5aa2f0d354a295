"""Names that tests share: types of the fixtures of conftest.py, for annotations, and marks of parameters."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]  # attn_lab(*words, typed="") -> exit code, standard output, standard error


def mark_slow(values: Iterable[Any], *slow: str, name: Callable[[Any], str] = str) -> list[Any]:
    """The values of a parameter; tests are marked slow for those with one of these names."""
    return [pytest.param(value, marks=pytest.mark.slow) if name(value) in slow else value for value in values]
