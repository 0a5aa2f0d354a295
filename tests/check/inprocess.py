"""A stand-in for the child process: the same answers from this process. For code that the tests themselves write."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from attention_lab.sandbox.learner import Learner
from attention_lab.sandbox.records import BadReply, CodeError, Definition, Parameter, Raised


class InProcess:
    """A file's text, executed here."""

    late = False  # nobody is in a hurry here

    def __init__(self, text: str, name: str = "spelled.py") -> None:
        self.file = Path(name)
        self._learner = Learner(name, text, os.curdir)
        loaded = self._learner.run(20)
        assert "syntax" not in loaded, loaded
        self.definitions = tuple(
            Definition(it["name"], it["kind"], tuple(Parameter(**one) for one in it["parameters"]), it["line"])
            for it in loaded["definitions"]
        )
        self.code_errors = tuple(CodeError(**it) for it in loaded["errors"])
        self.imports = frozenset(loaded["imports"])
        self.calls = 0

    def _ask(self, request: dict[str, Any]) -> Any:
        self.calls += 1
        body = self._learner.answer(request | {"seconds": 10})
        if "value" in body:
            return body["value"]
        if "raised" in body:
            raise Raised(self.file.name, CodeError(**body["raised"]))
        raise BadReply(str(body))

    def call(
        self,
        target: str,
        args: Any = (),
        kwargs: Any = None,
        *,
        make: Any = None,
        attributes: Any = None,
        convert: str = "numpy",
        after: bool = False,
    ) -> Any:
        request = {
            "do": "call",
            "after": after,
            "target": target,
            "args": tuple(args),
            "kwargs": dict(kwargs or {}),
            "make": make,
        }
        return self._ask(request | {"attributes": dict(attributes or {}), "convert": convert})

    def attributes(self, target: str, make: Any = None, *, convert: str = "numpy") -> Any:
        return self._ask({"do": "attributes", "target": target, "make": make, "convert": convert})
