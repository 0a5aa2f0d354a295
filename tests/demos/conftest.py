from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from attention_lab.demo import perform
from attention_lab.demos import DEMOS
from attention_lab.result import Result, Statement
from attention_lab.variants import Model, Patch, healthy, load


@pytest.fixture
def run_demo() -> Callable[..., Result]:
    """Run a shipped demo by name, on the healthy model unless another is given."""
    records = {demo.name: demo for demo in DEMOS}

    def run(name: str, model: Model | None = None, **options: Any) -> Result:
        module = importlib.import_module(f"attention_lab.demos.{name}")
        return perform(records[name], module.run, model or healthy(), options)

    return run


@pytest.fixture
def patched() -> Callable[[str, str], Model]:
    """The model with one piece of its source text replaced."""
    return lambda old, new: load(Patch(old, new))


@pytest.fixture
def verdicts() -> Callable[[Result], dict[str, bool | None]]:
    """Which statements of a Result hold, by name."""
    return lambda result: {part.name: part.holds for part in result.parts if isinstance(part, Statement)}
