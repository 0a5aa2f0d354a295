"""How a learner's process makes instances: of sizes in one object, in names of the file, of parts, of absent names."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_lab.sandbox.frames import FILE_CONSTANTS, INSTANCE_OF, NOT_IMPORTED, SETTINGS_OF
from attention_lab.sandbox.learner import Learner

TEXT = """
import numpy as np
from sizes_that_are_nowhere import Sizes, helper

n_embd = 100
heads = n_embd // 10

class Inner:
    def __init__(self, cfg: Sizes):
        self.w = np.ones((cfg.n_embd, cfg["num_heads"]))
        self.eps = 1e-12

class Outer:
    def __init__(self, inner):
        self.inner, self.again = inner, inner
        self.table = np.ones((n_embd, 2))

    def width(self):
        return n_embd

    def strange(self):
        return helper(self)

class Config:
    def __init__(self, n_embd=7):
        self.n_embd, self.num_heads = n_embd, 1

    def __getitem__(self, name):
        return getattr(self, name)
"""


def made(target: str, **given: Any) -> dict[str, Any]:
    learner = Learner("made.py", TEXT, ".")
    errors = learner.run(5)["errors"]
    assert [one["kind"] for one in errors] == ["ModuleNotFoundError"]
    request = {"target": target, "make": ((), given), "convert": "numpy", "seconds": 5}
    request |= {"args": (), "kwargs": {}, "attributes": {}, "do": "call" if "." in target else "attributes"}
    reply = learner.answer(request)
    assert learner.names["n_embd"] == 100  # as the file has it, after every call
    return reply


def shapes(reply: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    return {path: np.shape(array) for path, array in reply["value"].items()}


def test_all_sizes_in_one_object_by_attribute_and_by_key_however_they_are_spelled() -> None:
    told = {SETTINGS_OF: "", "nembd": 4, "num_heads": 3}
    assert shapes(made("Inner", cfg=told)) == {"w": (4, 3), "eps": ()}


def test_an_object_of_a_class_of_the_file() -> None:
    assert shapes(made("Inner", cfg={SETTINGS_OF: "Config", "n_embd": 5}))["w"] == (5, 1)


def test_what_the_object_does_not_hold_is_named() -> None:
    assert made("Inner", cfg={SETTINGS_OF: ""})["raised"]["message"] == "the settings have no 'n_embd'"


def test_names_of_the_file_stand_for_sizes_while_a_call_lasts_and_a_part_that_is_there_twice_is_listed_once() -> None:
    inner = {INSTANCE_OF: "Inner", "cfg": {SETTINGS_OF: "", "n_embd": 4, "num_heads": 3}}
    found = shapes(made("Outer", inner=inner, **{FILE_CONSTANTS: {"nembd": 6}}))
    assert found == {"inner.w": (4, 3), "inner.eps": (), "table": (6, 2)}
    assert made("Outer.width", inner=inner, **{FILE_CONSTANTS: {"nembd": 6}}) == {"value": 6}


def test_what_could_not_be_imported_may_be_named_and_says_so_when_it_is_used() -> None:
    raised = made("Outer.strange", inner=None)["raised"]
    assert raised["kind"] == "ImportError"
    assert raised["message"] == f"helper is not there: line 3 {NOT_IMPORTED}"
