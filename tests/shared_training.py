"""What the demos train by default is trained once in a run of the tests, and read from a folder after that.

The demos `consequences` and `depth` train for 6 to 9 s of a core each. A run depends on its job alone: see
train/test_side_by_side.py, test_a_run_is_the_same_beside_another.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any


def keep_results(train: Callable[..., Any], key: Callable[..., object], folder: Path) -> Callable[..., Any]:
    """A function like `train` that keeps each result in a folder, under what `key` makes of the arguments."""

    def wrapper(*arguments: Any) -> Any:
        name = hashlib.sha256(repr((train.__name__, key(*arguments))).encode()).hexdigest()
        file = folder / f"{name}.pickle"
        if file.exists():
            return pickle.loads(file.read_bytes())  # noqa: S301 (written by this run)
        result = train(*arguments)
        unfinished = file.with_suffix(f".{os.getpid()}")  # another process may be writing the same
        unfinished.write_bytes(pickle.dumps(result))
        unfinished.replace(file)
        return result

    return wrapper
