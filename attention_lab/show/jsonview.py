"""A Result as JSON. `result.schema.json`, beside this file, defines every key."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from attention_lab import __version__
from attention_lab.result import Diff, Matrix, Note, Pair, Part, Result, Series, Signs, Statement, Table

NAME = (
    "attention-lab/result/1"  # the number grows when a key is removed or changes its meaning, not when a key is added
)
SCHEMA: dict[str, Any] = json.loads(files("attention_lab.show").joinpath("result.schema.json").read_text("utf-8"))
LISTS: dict[type[Part], str] = {  # a new kind of part gets its line here and its definition in the schema
    Note: "notes",
    Statement: "statements",
    Matrix: "matrices",
    Table: "tables",
    Series: "series",
    Diff: "diffs",
    Signs: "signs",
}


def jsonable(value: Any) -> Any:
    """The value in JSON's types. JSON has no NaN and no infinities, so these become strings."""
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [jsonable(item) for item in value]
    if hasattr(value, "item"):  # a NumPy scalar
        return jsonable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def parts_of_kind(result: Result, kind: type[Part]) -> list[dict[str, Any]]:
    """The parts of one kind."""
    return [asdict(part) for part in result.parts if type(part) is kind]


def pair_names(pair: Pair) -> dict[str, Any]:
    """A pair with the names of its two matrices; their numbers stand among the matrices."""
    names = {"left": pair.left.name, "right": pair.right.name}
    return {"name": pair.name, "title": pair.title, **names, "changed": pair.changed}


def to_json(result: Result) -> dict[str, Any]:
    """The result as dictionaries, lists, strings, finite numbers, booleans and None.

    Each kind of part has a list of its own; `order` holds the names of all parts as they are shown. `diff` joins the
    lines of all `diffs`, and `vitals` the signs of all `signs`.
    """
    head = {
        "schema": NAME,
        "version": __version__,
        "demo": result.demo,
        "title": result.title,
        "question": result.question,
        "documents": result.documents,
        "seed": result.seed,
        "options": result.options,
        "command": result.command,
        "order": [part.name for part in result.parts],
    }
    parts: dict[str, list[Any]] = {key: parts_of_kind(result, kind) for kind, key in LISTS.items()}
    parts["diff"] = [asdict(line) for part in result.parts if isinstance(part, Diff) for line in part.lines]
    parts["vitals"] = [asdict(sign) for part in result.parts if isinstance(part, Signs) for sign in part.signs]
    for pair in (part for part in result.parts if isinstance(part, Pair)):
        parts["matrices"] += [asdict(pair.left), asdict(pair.right)]
    parts["pairs"] = [pair_names(part) for part in result.parts if isinstance(part, Pair)]
    whole: dict[str, Any] = jsonable(head | parts)
    return whole


def result_json_text(result: Result) -> str:
    """The result as JSON text in ASCII, which every stream can take."""
    return json.dumps(to_json(result), indent=2, ensure_ascii=True, allow_nan=False)
