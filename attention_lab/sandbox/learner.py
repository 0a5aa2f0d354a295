"""A learner's file, inside the process that runs it: execute it, list its definitions, call them. Holds no answer.

Runs in the child only. Nothing here is a wall: whatever a learner's code does to these functions, it does to itself.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import io
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from .alarm import OutOfTime, alarm
from .construct import Absent, build, imported_names
from .frames import FILE_CONSTANTS, MOST_ARRAYS, BadFrame, Value
from .introspect import MODULE_NAME, defined_name, definition_lines, definitions_of, imported_packages, split_imports

LARGEST = 2**26  # bytes of an array that may come back
LONGEST = 2**16  # letters of a text that may come back
MESSAGE = 400  # characters of an error's message that are kept
MOST_LEVELS = 6  # parts in parts of an instance: a layer's attention's heads' query's weight
Dump = dict[str, Any]


class CappedOutput(io.TextIOBase):
    """Output stream that keeps the first `most` characters and drops the rest."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.parts: list[str] = []

    def writable(self) -> bool:
        """True: code may print to this stream."""
        return True

    def write(self, text: str) -> int:
        """Keep the characters that still fit; return the length of the text, as streams do."""
        if self.left > 0:
            self.parts.append(str(text)[: self.left])
            self.left -= len(self.parts[-1])
        return len(text)

    def taken(self) -> str:
        """Output since the last call."""
        text = "".join(self.parts)
        self.parts.clear()
        return text


def error_message(error: BaseException, file: str = "") -> str:
    """Message of an error, or a sentence where reading it fails; a syntax error of `file` comes without its place."""
    try:
        told = error.msg if isinstance(error, SyntaxError) and error.filename == file else error
        return str(told)[:MESSAGE]
    except BaseException:
        return "(an error whose message cannot be read)"


def error_record(error: BaseException, file: str) -> Dump:
    """The kind and message of an error, and the innermost line of the file that led to it."""
    if isinstance(error, SyntaxError) and error.filename == file:
        line = error.lineno
    else:
        lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
        line = lines[-1] if lines else None
    text = linecache.getline(file, line).strip() if line else ""
    kind = "TimeoutError" if isinstance(error, OutOfTime) else type(error).__name__
    return {"line": line, "kind": kind, "message": error_message(error, file), "text": text[:MESSAGE]}


def trap_exit() -> None:
    """Make os._exit raise SystemExit, so that the line that calls it is known. A convenience, no protection."""
    here, leave = os.getpid(), os._exit

    def ended(status: int = 0) -> NoReturn:
        if os.getpid() != here:
            leave(status)
        raise SystemExit(f"os._exit({status})")

    os._exit = ended
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # which Python offers in a file, and not to us


def seed_rngs() -> None:
    """Seed the global generators, so that a learner's code draws the same numbers in every process."""
    np.random.seed(0)
    if "random" in sys.modules:
        sys.modules["random"].seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(0)  # torch.manual_seed looks for every device there may be


# ---- values out ----


def as_array(value: Any) -> np.ndarray | None:
    """An array of any library as NumPy's; None for anything else."""
    if isinstance(value, np.ndarray):
        if value.nbytes > LARGEST:  # before it is copied
            raise BadFrame(f"an array of shape {value.shape}: {value.nbytes:,} bytes, of at most {LARGEST:,}")
        return np.array(value, subok=False)
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, (type, ModuleType)) or not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return None
    array = np.array(value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value), subok=False)
    return None if array.dtype == object else array


def as_value(value: Any, depth: int = 0) -> Value:
    """A learner's value as a Value. Raises BadFrame where it is neither array nor number nor a container of them."""
    if type(value) is str and len(value) > LONGEST:
        raise BadFrame(f"a text of {len(value):,} letters")
    if value is None or type(value) in (bool, int, float, str):
        return value
    array = as_array(value)
    if array is not None:
        return array
    if depth > 8:
        raise BadFrame("containers more than 8 deep")
    if isinstance(value, dict):
        return {str(key): as_value(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) > MOST_ARRAYS:
            raise BadFrame(f"a {type(value).__name__} of {len(value):,} items")
        items = [as_value(item, depth + 1) for item in value]
        return items if isinstance(value, list) else tuple(items)
    raise BadFrame(f"a {type(value).__name__}, which is no array and no number")


# ---- arrays inside an instance ----


def attributes_of(value: Any) -> dict[str, Any]:
    """What an object holds, by name: its attributes, a module's parameters and parts, the items of a dict or list."""
    if isinstance(value, dict):
        return {str(key): item for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return {str(place): item for place, item in enumerate(value)}
    held = dict(getattr(value, "__dict__", {}))
    for part in ("_parameters", "_buffers", "_modules"):  # of a torch.nn.Module
        found = held.pop(part, None)
        held |= found if isinstance(found, dict) else {}
    return held


def arrays_in(holder: dict[str, Any], deeper: int = 2, seen: set[int] | None = None) -> dict[str, np.ndarray]:
    """Arrays of numbers in a holder and its parts: {"W_q": …, "norm.weight": …, "linears.0.weight": …}.

    An array shared by two holders is listed once, in the first; two names in one holder are two arrays.
    """
    arrays: dict[str, np.ndarray] = {}
    here = set[int]()
    seen = set() if seen is None else seen
    for name, value in holder.items():
        if type(value) is float and "eps" in name:
            arrays[name] = np.asarray(value)
            continue
        array = None if id(value) in seen - here else as_array(value)
        if array is not None:
            arrays[name] = array
            seen.add(id(value))
            here.add(id(value))
        elif deeper and id(value) not in seen and not isinstance(value, (type, ModuleType, FunctionType, str, int)):
            seen.add(id(value))
            within = arrays_in(attributes_of(value), deeper - 1, seen)
            arrays |= {f"{name}.{inner}": item for inner, item in within.items()}
    return {name: array for name, array in arrays.items() if array.dtype.kind in "biuf"}


def set_attribute(instance: Any, path: str, value: Value, convert: str) -> None:
    """Set one attribute by its dotted name. An existing tensor is filled in place, so that it stays a parameter."""
    *way, last = path.split(".")
    for step in way:
        held = attributes_of(instance)
        instance = held[step] if step in held else getattr(instance, step)
    old = attributes_of(instance).get(last)
    if hasattr(old, "detach"):
        import torch  # type: ignore[import-not-found, unused-ignore]

        with torch.no_grad():
            old.copy_(torch.as_tensor(np.array(value)))  # type: ignore[union-attr, unused-ignore]
    elif isinstance(instance, dict):
        instance[last] = build(value, convert)
    elif isinstance(instance, list):
        instance[int(last)] = build(value, convert)
    else:
        setattr(instance, last, build(value, convert))


def match_precision(instance: Any, arguments: list[Any]) -> Any:
    """The instance; a PyTorch module is put in evaluation mode and cast to the dtype of its arguments."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(instance, torch.nn.Module):
        return instance
    widths = [value.dtype for value in arguments if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
    return instance.eval().to(torch.from_numpy(np.zeros(1, widths[0])).dtype) if widths else instance.eval()


class Learner:
    """A learner's file as a module that this process runs."""

    def __init__(self, name: str, text: str, folder: str) -> None:
        self.name, self.text = name, text
        self.module = ModuleType(MODULE_NAME)
        self.module.__file__ = str(Path(folder) / name)
        self.names = vars(self.module)
        sys.modules[MODULE_NAME] = self.module
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)

    def run(self, seconds: float) -> Dump:
        """Execute the file, statement by statement; one that raises, or runs for longer, is recorded and skipped.

        An import may take longer: that of a large library does.
        """
        try:
            tree = ast.parse(self.text, self.name)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return {"syntax": error_record(error, self.name)}
        trouble, flags = [], 0
        seed_rngs()
        for statement in split_imports(tree.body):
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                features = [getattr(__future__, alias.name, None) for alias in statement.names]
                flags |= sum(one.compiler_flag for one in features if one)
            try:
                code = compile(ast.Module([statement], []), self.name, "exec", flags, dont_inherit=True)
                with nullcontext() if isinstance(statement, (ast.Import, ast.ImportFrom)) else alarm(seconds):
                    exec(code, self.names)  # noqa: S102 (this is what the process is for)
            except BaseException as error:
                trouble.append(error_record(error, self.name) | {"defines": defined_name(statement)})
                self.names |= {name: Absent(name, statement.lineno) for name in imported_names(statement)}
        found, refused = self.offers(definition_lines(tree), seconds)
        return {"definitions": found, "errors": trouble + refused, "imports": imported_packages(tree)}

    def offers(self, lines: dict[str, int], seconds: float) -> tuple[list[Dump], list[Dump]]:
        """Records of the functions and classes of the file, in its order, and errors of those that cannot be inspected.

        A class may raise, or never answer, when asked for its name or parameters. Imported names are left out.
        """
        records: list[Dump] = []
        refused: list[Dump] = []
        for name, value in list(self.names.items()):
            try:
                with alarm(seconds):
                    records += definitions_of(name, value, lines)
            except BaseException as error:
                trouble = error_record(error, self.name)
                if name in lines and trouble["line"]:  # else it is Python's own
                    refused.append(trouble | {"defines": name})
        return sorted(records, key=lambda one: one["line"]), refused

    def instance(self, target: str, make: Value, convert: str) -> Any:
        """A new instance of a class of the file: state kept by one call must not reach the next."""
        seed_rngs()
        args, kwargs = make or ((), {})
        named = {name: value for name, value in kwargs.items() if name != FILE_CONSTANTS}
        return self.names[target](*build(args, convert), **build(named, convert))

    @contextmanager
    def sized(self, make: Value) -> Iterator[None]:
        """Replace module-level integers of the file, such as n_embd = 384, by the sizes of a call while it lasts."""
        asked = (make[1] if make else {}).get(FILE_CONSTANTS, {})
        wanted = {name: asked.get(name.lower().replace("_", "")) for name in self.names}
        before = {name: self.names[name] for name, size in wanted.items() if size and type(self.names[name]) is int}
        self.names.update({name: wanted[name] for name in before})
        try:
            yield
        finally:
            self.names.update(before)

    def function(self, request: Dump) -> Callable[..., Any]:
        """The callable of a request: a function, a method of an instance, or an instance itself."""
        name, _, method = request["target"].partition(".")
        if name not in self.names:
            raise NameError(f"name {name!r} is not defined")
        if request["make"] is None and not method:
            return self.names[name]  # type: ignore[no-any-return]
        if isinstance(inspect.getattr_static(self.names[name], method, None), (staticmethod, classmethod)):
            return getattr(self.names[name], method)  # type: ignore[no-any-return]
        given_to = [*request["args"], *request["kwargs"].values()]
        instance = match_precision(self.instance(name, request["make"], request["convert"]), given_to)
        for path, value in request["attributes"].items():
            set_attribute(instance, path, value, request["convert"])
        return getattr(instance, method) if method else instance  # type: ignore[no-any-return]

    def arrays(self, request: Dump) -> dict[str, np.ndarray]:
        """The arrays of an instance, or of the module itself."""
        target = request["target"].partition(".")[0]
        if not target:
            return {name: item for name, item in arrays_in(dict(self.names)).items() if not name.startswith("__")}
        return arrays_in(attributes_of(self.instance(target, request["make"], request["convert"])), MOST_LEVELS)

    def answer(self, request: Dump) -> Dump:
        """Reply to a request: {"value": …}, {"raised": …}, {"late": …} or {"bad": …}."""
        try:
            with alarm(request["seconds"]), self.sized(request["make"]):
                if request["do"] == "attributes":
                    return {"value": self.arrays(request)}
                args, kwargs = (build(request[part], request["convert"]) for part in ("args", "kwargs"))
                result = as_value(self.function(request)(*args, **kwargs))
                return {"value": (result, as_value(args), as_value(kwargs)) if request.get("after") else result}
        except BadFrame as error:
            return {"bad": str(error)}
        except OutOfTime as error:
            return {"late": error_record(error, self.name)}
        except BaseException as error:
            return {"raised": error_record(error, self.name)}
