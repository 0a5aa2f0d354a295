"""Inputs of a learner's code, built in the process that runs it: arrays of its library, objects, absent names."""

from __future__ import annotations

import ast
import sys
from typing import Any, NoReturn

import numpy as np

from .frames import FILE_CONSTANTS, INSTANCE_OF, NOT_IMPORTED, SETTINGS_OF, Value
from .introspect import MODULE_NAME

GENERATOR = "random generator"  # {this: seed} stands for np.random.default_rng(seed)


class Absent:
    """Stands for a name whose import failed: code may mention the name, and fails when it calls it."""

    def __init__(self, name: str, line: int) -> None:
        self.__name, self.__line = name, line

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name}.{name}", self.__line)

    def __getitem__(self, _: Any) -> Absent:
        return self

    def __or__(self, _: Any) -> Absent:
        return self

    __ror__ = __or__

    def __mro_entries__(self, _: tuple[Any, ...]) -> NoReturn:
        self()

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ImportError, which names the line of the failed import."""
        raise ImportError(f"{self.__name} is not there: line {self.__line} {NOT_IMPORTED}")


def imported_names(statement: ast.stmt) -> list[str]:
    """Names that an import statement binds."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return []
    return [(alias.asname or alias.name).partition(".")[0] for alias in statement.names if alias.name != "*"]


class Config(dict[str, Any]):
    """One object with all sizes, for a constructor that takes such: config.n_embd, cfg["emb_dim"].

    A missing name is looked up once more in lower case and without underscores.
    """

    def __missing__(self, name: str) -> Any:
        bare = str(name).lower().replace("_", "")
        if bare == name or bare not in self:
            raise KeyError(name)
        return self[bare]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the settings have no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def build_config(value: dict[str, Any]) -> Any:
    """One object with all sizes: an instance of the named class of the file, else a Config."""
    fields = {name: item for name, item in value.items() if name != SETTINGS_OF}
    kind = vars(sys.modules[MODULE_NAME]).get(value[SETTINGS_OF])
    return kind(**fields) if isinstance(kind, type) else Config(fields)


def build_instance(value: dict[str, Any]) -> Any:
    """Instance of a class of the file, as an argument of another constructor."""
    given_to = {name: build(item, "numpy") for name, item in value.items() if name not in (INSTANCE_OF, FILE_CONSTANTS)}
    return vars(sys.modules[MODULE_NAME])[value[INSTANCE_OF]](**given_to)


def build(value: Value, convert: str) -> Any:
    """A Value as the learner's code expects it: arrays as NumPy, nested lists, PyTorch or JAX arrays."""
    if isinstance(value, np.ndarray):
        if convert == "list":
            return value.tolist()
        if convert == "torch":
            import torch  # type: ignore[import-not-found, unused-ignore]

            return torch.from_numpy(value.copy())
        if convert == "jax":
            import jax.numpy  # type: ignore[import-not-found, unused-ignore]

            return jax.numpy.asarray(value)
        return value.copy()
    if isinstance(value, (list, tuple)):
        return type(value)(build(item, convert) for item in value)
    if isinstance(value, dict):
        if list(value) == [GENERATOR]:
            return np.random.default_rng(value[GENERATOR])
        if SETTINGS_OF in value:
            return build_config(value)
        if INSTANCE_OF in value:
            return build_instance(value)
        return {key: build(item, convert) for key, item in value.items()}
    return value
