from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any, NoReturn, get_args

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from show_samples import ATTACK, COMPARED, EMPTY, FULL, SOME, STRANGE, results

from attention_lab import __version__
from attention_lab.result import DiffLine, Pair, Part, Result, Sign, Statement
from attention_lab.show.jsonview import LISTS, SCHEMA, result_json_text, to_json

VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def strictly(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def validate(value: Any) -> None:
    VALIDATOR.validate(value)


@pytest.mark.parametrize("result", [FULL, STRANGE, EMPTY, ATTACK])
def test_json_is_what_the_schema_says(result: Result) -> None:
    whole = strictly(result_json_text(result))
    validate(whole)
    assert whole == to_json(result)


@SOME
@given(results)
def test_any_result_is_strict_json_in_ascii(result: Result) -> None:
    text = result_json_text(result)
    assert text.isascii()
    validate(strictly(text))


def test_schema_is_one_and_names_every_field() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert {*LISTS, Pair} == set(get_args(Part))
    for name, kind in {kind.__name__.lower(): kind for kind in (*LISTS, Pair, Sign)}.items() | {("line", DiffLine)}:
        definition = SCHEMA["$defs"][name]
        assert {field.name for field in fields(kind)} == set(definition["properties"]) == set(definition["required"])
    head = {field.name for field in fields(Result)} - {"parts"}
    keys = head | {"schema", "version", "order", "diff", "vitals", "pairs", *LISTS.values()}
    assert keys == set(SCHEMA["properties"]) == set(SCHEMA["required"])


def test_two_models_are_lines_matrices_and_vital_signs() -> None:
    whole = strictly(result_json_text(COMPARED))
    validate(whole)
    assert [line["sign"] for line in whole["diff"]] == [" ", "-", "+"]
    assert [matrix["name"] for matrix in whole["matrices"]] == ["causal-healthy", "causal-broken"]
    assert whole["pairs"][0]["left"] == "causal-healthy"
    assert [(sign["name"], sign["moved"], sign["broken"]) for sign in whole["vitals"]] == [
        ("future-mass", "up", 0.3),
        ("nan", "lost", None),
    ]


def test_schema_refuses_what_it_does_not_know() -> None:
    whole = to_json(FULL)
    for wrong in ({"more": 1}, {"seed": "7"}, {"schema": "attention-lab/result/2"}, {"order": [1]}):
        with pytest.raises(jsonschema.ValidationError):
            validate(whole | wrong)
    whole["statements"][0]["value"] = "inf"
    with pytest.raises(jsonschema.ValidationError):
        validate(whole)


def test_json_holds_the_result_in_full_precision() -> None:
    whole = to_json(FULL)
    assert whole["version"] == __version__
    assert whole["order"] == [part.name for part in FULL.parts]
    assert whole["options"] == {"text": "the animal", "d_k": [4, 64], "rate": "NaN", "seed": 7}
    assert [matrix["name"] for matrix in whole["matrices"]] == ["sentence", "scores"]
    assert whole["matrices"][0]["values"] == [list(row) for row in FULL["sentence"].values]  # type: ignore[union-attr]
    assert whole["matrices"][1]["values"][0] == [0.0, "-Infinity", "NaN"]
    assert whole["matrices"][0]["hidden"][0] == [False] + [True] * 11
    assert whole["tables"][0]["rows"][2][4] is None


def test_numpy_scalars_become_plain_ones() -> None:
    loose = Statement("s", "", "", np.bool_(True), np.float32(math.inf))  # type: ignore[arg-type]
    statement = to_json(Result((loose,), seed=np.int64(3)))["statements"][0]  # type: ignore[arg-type]
    assert statement["holds"] is True
    assert statement["value"] == "Infinity"
