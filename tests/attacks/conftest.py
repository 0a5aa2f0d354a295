from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attacks.target import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    it = World(tmp_path)
    yield it
    it.close()


@pytest.fixture
def judged(world: World) -> Callable[[str], bool]:
    """Whether a submission is right."""
    return lambda text: world.attacked(text).right
