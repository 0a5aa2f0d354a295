"""Load the model, whole or broken, and watch it run. A loaded model is a *variant*: a module like `transformer.py`.

A break is a patch of the source text. The text is patched, compiled and executed here, so the line on the screen is the
line that ran, also in a traceback. `np` is looked up when a function is called: a variant over `autograd.numpy` can be
differentiated without another line of code.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache, wraps
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from attention_lab.errors import BadInput, BadPatch, complaint
from attention_lab.source_text import calls_in, function_texts, functions_in, unwritten_functions, without_functions
from attention_lab.text import first_of

Model = ModuleType  # functions are looked up by name: model.attention(query, key, value, mask)
T = TypeVar("T")

NAMED = 3  # functions still to be written that an error names
SOURCE_FILE = Path(__file__).with_name("transformer.py")


@dataclass(frozen=True)
class Patch:
    """A replacement in the source text: part of a line, a line, or several lines."""

    old: str
    new: str


@dataclass(frozen=True)
class Call:
    """One call of a function of the model: arguments by parameter name, and the result."""

    function: str
    arguments: dict[str, Any]
    result: Any


# ---- source text ----


def regular_file(path: Path) -> Path:
    """The path, unchanged. Raises BadInput unless it is a regular file: reading a pipe would wait for its writer."""
    try:
        kind = "file" if path.is_file() else "folder" if path.is_dir() else "pipe or device" if path.exists() else ""
    except (OSError, RuntimeError) as reason:  # a name too long, a folder that may not be read, a loop of links
        raise BadInput(f"Cannot read {path}: {reason}.", "Give the path of a Python file.") from reason
    if not kind:
        raise BadInput(f"Cannot read {path}: there is no such file.", "Give the path of a Python file.")
    if kind != "file":
        raise BadInput(f"Cannot read {path}: it is a {kind}.", "Give the path of a Python file.")
    return path


def python_text(path: Path) -> str:
    """The text of a Python file, in the encoding that it declares. Raises BadInput."""
    try:
        with tokenize.open(regular_file(path)) as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError, SyntaxError) as reason:
        raise BadInput(f"Cannot read {path}: {reason}.", "Give a Python file in UTF-8.") from reason


@cache
def model_source() -> str:
    """The text of the model."""
    return SOURCE_FILE.read_text(encoding="utf-8")


def line_of(source: str, offset: int) -> int:
    """The number of the line, from 1, in which this character stands."""
    return source.count("\n", 0, offset) + 1


def patch_offset(source: str, old: str) -> int:
    """Offset of `old` in the source. Raises BadPatch, with the lines in question, unless it occurs exactly once."""
    places = [match.start() for match in re.finditer(re.escape(old), source)] if old.strip() else []
    if len(places) == 1:
        return places[0]
    lines = source.splitlines()
    if places:
        numbers = list(dict.fromkeys(line_of(source, place) for place in places))
        what = f"{old!r} stands in {len(places)} places, and a patch must name one."
    else:
        alike = get_close_matches(old.strip(), [line.strip() for line in lines], n=3, cutoff=0.3)
        numbers = [number for number, line in enumerate(lines, 1) if line.strip() in alike and line.strip()]
        what = f"No line of the model holds {old!r}."
    candidates = [f"line {number}: {lines[number - 1].strip()}" for number in numbers]
    if not candidates:
        raise BadPatch(what, "Copy a line of attention_lab/transformer.py as it stands there.")
    raise BadPatch(what, "\n".join(["Take more of the line you mean:" if places else "The nearest:", *candidates]))


def patched(source: str, patch: Patch) -> str:
    """The source with one patch applied. Further lines of `new` are indented like the line that it begins in."""
    place = patch_offset(source, patch.old)
    start = source.rfind("\n", 0, place) + 1
    indent = source[start : start + len(source[start:]) - len(source[start:].lstrip(" "))]
    new = patch.new.replace("\n", "\n" + indent)
    return source[:place] + new + source[place + len(patch.old) :]


# ---- loading ----


@cache
def model_functions() -> dict[str, str]:
    """The text of each of the model's functions, by name, in the order of its file."""
    return function_texts(model_source())


@cache
def model_calls() -> dict[str, frozenset[str]]:
    """For each of the model's functions the others that it calls directly."""
    return calls_in(functions_in(ast.parse(model_source())))


@lru_cache(maxsize=512)  # more than there are breaks
def compile_text(text: str, name: str) -> CodeType:
    """The code of a module. Compiling takes as long as a small experiment, and a break is loaded again and again."""
    return compile(text, name, "exec")


def run_in(model: Model, text: str, code: str | ast.Module, name: str) -> None:
    """Execute code in a module; tracebacks and `inspect` find its text under this name."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    model.__file__ = name
    runnable = compile_text(code, name) if isinstance(code, str) else compile(code, name, "exec")
    exec(runnable, vars(model))  # noqa: S102 (running the patched text is the point)


@dataclass(frozen=True)
class Source:
    """The text of a model: transformer.py, and perhaps a person's own file whose functions take the place of some."""

    model: str
    own: str = ""
    path: str = ""

    def patched(self, patch: Patch) -> Source:
        """The source with one patch applied: in the person's own file if that holds the line, else in the model."""
        if self.own and patch.old in self.own:
            return replace(self, own=patched(self.own, patch))
        return replace(self, model=patched(self.model, patch))

    @cached_property
    def unwritten(self) -> tuple[str, ...]:
        """The model's functions that the person's own file still has to write. The model's own take their place."""
        return tuple(name for name in unwritten_functions(ast.parse(self.own, self.path)) if name in model_functions())

    def own_tree(self) -> ast.Module:
        """The person's own file without the functions that are still to be written."""
        return without_functions(ast.parse(self.own, self.path), self.unwritten)

    def load(self, label: str, library: str = "numpy") -> Model:
        """Execute it as a module over a number library that has numpy's names. Tracebacks show these very lines.

        Raises SyntaxError when a patch leaves no Python, and whatever the person's own file raises.
        """
        model = ModuleType(label)
        run_in(model, self.model, self.model, f"<{label}>")
        if self.own:
            run_in(model, self.own, self.own_tree(), self.path)
        vars(model).update(np=importlib.import_module(library), __source__=self)
        return model


def source(*patches: Patch) -> Source:
    """The text of the model with these patches, in order. Raises BadPatch unless each matches exactly once."""
    text = Source(model_source())
    for patch in patches:
        text = text.patched(patch)
    return text


def own_source(path: Path) -> Source:
    """The model with a person's own file laid over it: functions that the file lacks come from the model."""
    text = python_text(path)
    own = Source(model_source(), text, str(path))
    try:
        defined = list(functions_in(ast.parse(text, str(path))))
    except (SyntaxError, ValueError, RecursionError) as reason:
        raise BadInput(complaint(str(path), reason), "Correct that line.") from reason
    known = model_functions()
    if not set(defined) & set(known):
        there = f"it defines {', '.join(defined)}" if defined else "it defines no function"
        raise BadInput(f"{path} has none of the model's functions: {there}.", f"The model has {', '.join(known)}.")
    if set(defined) & set(known) <= set(own.unwritten):
        what = f"Every function of {path} is still to be written: {first_of(own.unwritten, NAMED)}."
        raise BadInput(what, f"Write {own.unwritten[0]} first.")
    return own


def unwritten_sentence(text: Source) -> str:
    """The functions that a person's own file still has to write, and that the model's stand in; "" where none."""
    if not text.unwritten:
        return ""
    instead = "The model's own takes its place" if len(text.unwritten) == 1 else "The model's own take their places"
    return f"Still to be written in {text.path}: {first_of(text.unwritten, NAMED)}. {instead}."


def healthy() -> Model:
    """The model as it is written."""
    return importlib.import_module("attention_lab.transformer")


def text_behind(model: Model) -> Source | None:
    """The text that a model was loaded from; None of a model that was put together from functions."""
    text = source() if model is healthy() else vars(model).get("__source__")
    return text if isinstance(text, Source) else None


def source_of(model: Model) -> Source:
    """The Source of a loaded model, to be patched further or trained. Raises BadInput where there is none."""
    text = text_behind(model)
    if text is None:
        raise BadInput(
            "This model was put together from functions, so there is no text to train.", "Load it from a source."
        )
    return text


def load(*patches: Patch, label: str = "patched transformer.py", library: str = "numpy") -> Model:
    """The model with these patches, in order, over a number library."""
    return source(*patches).load(label, library)


# ---- watching ----


def module_copy(model: Model) -> Model:
    """A copy of a model, functions included: replacing a function of the copy leaves the original alone."""
    twin = ModuleType(model.__name__, model.__doc__)
    twin.__dict__.update(vars(model))
    twin.__dict__.pop("__source__", None)  # it stands for the functions as they were loaded
    for name, function in vars(model).items():
        if isinstance(function, FunctionType) and function.__globals__ is vars(model):
            here = FunctionType(function.__code__, vars(twin), name, function.__defaults__, function.__closure__)
            here.__kwdefaults__ = function.__kwdefaults__
            setattr(twin, name, here)
    return twin


def record_calls(model: Model, names: tuple[str, ...], run: Callable[[Model], T]) -> tuple[T, tuple[Call, ...]]:
    """The result of `run(model)`, and every call of the functions `names` of the model during it, in order.

    Inner values of a network (weights of one head, scores before softmax) are seen without an extra line in the model.
    Arguments and results are the arrays themselves, not copies.
    """
    twin = module_copy(model)
    calls: list[Call] = []

    def recording(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            calls.append(Call(name, dict(signature.bind(*args, **kwargs).arguments), result))
            return result

        return wrapper

    for name in names:
        setattr(twin, name, recording(name, getattr(twin, name)))
    return run(twin), tuple(calls)


class SoftmaxReached(Exception):
    """The softmax of an attention has been reached, with these logits."""

    def __init__(self, logits: Any) -> None:
        super().__init__()
        self.logits = logits


def softmax_input(model: Model, query: Any, key: Any, mask: Any = None) -> Any:  # (Tq, d_k), (Tk, d_k) -> (Tq, Tk)
    """Scores that the model's attention hands to its softmax, (Tq, Tk). Raises BadInput where softmax is never called.

    The attention stops there: over many scores, the softmax would take longer than everything before it.
    """

    def stop(logits: Any, *_: Any, **__: Any) -> Any:
        raise SoftmaxReached(logits)

    twin = module_copy(model)
    vars(twin)["softmax"] = stop
    try:
        twin.attention(query, key, key, mask)
    except SoftmaxReached as reached:
        return reached.logits
    raise BadInput("attention() of this model never calls its softmax().", "This demo looks at what goes in there.")


def attempt(call: Callable[[], T]) -> tuple[T | None, str]:
    """Result of a call of the model and ""; or None and a sentence on the error that it raised."""
    try:
        return call(), ""
    except (IndexError, TypeError, ValueError) as reason:
        return None, f'the model stops with "{reason}"'
