"""Files that the lab writes: where a person asked for one, and in their own folder, to go on from next time."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from attention_lab.errors import CannotWrite


def write_file(file: str | Path, text: str) -> None:
    """Write a file in UTF-8, its line ends as they are. Raises CannotWrite."""
    try:
        with open(file, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except OSError as reason:
        raise CannotWrite(str(file), str(reason.strerror)) from reason


def path_key(path: Path) -> str:
    """Eight hexadecimal digits for a whole path: two files of one name in different folders have two keys."""
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:8]


def keep_json(file: Path, body: Any) -> None:
    """Keep a value as JSON, all of it or what was there before; folders are made. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        new.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)
