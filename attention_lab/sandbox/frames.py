"""One message between the checker and a learner's process: a fixed header, a JSON tree, the raw bytes of its arrays.

Both sides use it. What a learner's process sends is not to be trusted: lengths, dtypes and shapes are checked before a
value is made of them, no name in a message is looked up and nothing in it is run (so never pickle).
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy import ascontiguousarray, dtype, float64, frombuffer, generic, longdouble, ndarray

Value = Any  # ndarray, int, float, bool, str, None, or list, tuple, dict of these

MAGIC = b"attnlab1"
HEADER = struct.Struct("<8s16sIIQ")  # magic, nonce of the request, bytes of tree, number of arrays, bytes of arrays
TREE = 4 * 2**20  # bytes of JSON at most
DEPTH = 32  # containers inside each other at most
MOST_ARRAYS = 8_000  # arrays in one value
BITS = 1024  # of an integer: a float has no more
AXES = 16
SETTINGS_OF = "settings of"  # {this: a class or "", name: value, …} is one object with these fields
NOT_IMPORTED = "could not import it"  # end of the message on a name whose import failed
INSTANCE_OF = "instance of"  # {this: a class of the file, name: value, …} is a new instance of it
FILE_CONSTANTS = "names of the file"  # key for values that replace the file's module-level integers during a call
DTYPES = frozenset(["|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"])


class BadFrame(Exception):
    """Bytes that are no message, or a value that fits in no message."""


@dataclass(frozen=True)
class Header:
    """Header of a message: nonce, bytes of the tree, number of arrays, bytes of all arrays."""

    nonce: bytes
    tree: int
    arrays: int
    raw: int


def little_endian(array: ndarray) -> ndarray:
    """The array as contiguous little-endian numbers of an allowed dtype; Python objects that are numbers as float64."""
    if array.dtype == object or array.dtype == longdouble:
        try:
            array = array.astype(float64)
        except (TypeError, ValueError, OverflowError) as reason:
            raise BadFrame("an array of Python objects that are no numbers") from reason
    array = ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
    if array.dtype.str not in DTYPES:
        raise BadFrame(f"an array of dtype {array.dtype}")
    return array


def to_tree(value: Value, arrays: list[ndarray], depth: int = 0) -> Any:
    """The value as JSON; its arrays are appended to `arrays`. Raises BadFrame on anything that is no Value."""
    if depth > DEPTH:
        raise BadFrame(f"containers more than {DEPTH} deep")
    if isinstance(value, (ndarray, generic)):
        array = little_endian(ascontiguousarray(value).reshape(value.shape))
        arrays.append(array)
        if len(arrays) > MOST_ARRAYS:
            raise BadFrame(f"more than {MOST_ARRAYS:,} arrays")
        return {"array": [array.dtype.str, list(array.shape)]}
    if isinstance(value, int) and value.bit_length() > BITS:
        raise BadFrame(f"an integer of {value.bit_length()} bits")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [to_tree(item, arrays, depth + 1) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[str(key), to_tree(item, arrays, depth + 1)] for key, item in value.items()]}
    raise BadFrame(f"a {type(value).__name__}, which is no array and no number")


def pack_message(nonce: bytes, value: Value, most: float = math.inf) -> bytes:
    """The whole message, with at most `most` bytes of arrays. Raises BadFrame where the value does not fit in one."""
    arrays: list[ndarray] = []
    tree = json.dumps(to_tree(value, arrays)).encode()
    if len(tree) > TREE:
        raise BadFrame(f"{len(tree)} bytes without the arrays, of at most {TREE}")
    size = sum(array.nbytes for array in arrays)
    if size > most:
        largest = max(arrays, key=lambda array: array.nbytes)
        raise BadFrame(f"an array of shape {largest.shape}: {size:,} bytes, of at most {most:,}")
    raw = b"".join(array.tobytes() for array in arrays)
    return HEADER.pack(MAGIC, nonce, len(tree), len(arrays), len(raw)) + tree + raw


# ---- what came, checked ----


def parse_header(data: bytes, most: int) -> Header:
    """The header, if what follows is at most `most` bytes of arrays. Raises BadFrame."""
    magic, nonce, tree, arrays, raw = HEADER.unpack(data)
    if magic != MAGIC:
        raise BadFrame("bytes that are no message")
    if tree > TREE or raw > most or arrays > TREE:
        raise BadFrame(f"{raw:,} bytes of arrays and {tree:,} of the rest, of at most {most:,} and {TREE:,}")
    return Header(nonce, tree, arrays, raw)


def array_layout(spec: Any) -> tuple[Any, tuple[int, ...], int]:
    """Dtype, shape and number of bytes of one array. Raises BadFrame where they cannot be an array's."""
    if not (isinstance(spec, list) and len(spec) == 2 and isinstance(spec[1], list)):
        raise BadFrame("an array without dtype and shape")
    name, shape = spec
    if not isinstance(name, str) or name not in DTYPES:
        raise BadFrame(f"an array of dtype {str(name)[:40]!r}")
    if len(shape) > AXES or not all(type(size) is int and 0 <= size < 2**40 for size in shape):
        raise BadFrame("an array of a shape that there is not")
    kind = dtype(name)
    return kind, tuple(shape), math.prod(shape) * kind.itemsize


def from_tree(tree: Any, take: Callable[[int], bytes], depth: int = 0) -> Value:
    """The value of a JSON tree; `take(n)` gives the next n bytes of the arrays. Raises BadFrame."""
    if depth > DEPTH:
        raise BadFrame(f"containers more than {DEPTH} deep")
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return tree
    if not (isinstance(tree, dict) and len(tree) == 1):
        raise BadFrame("a tree that stands for no value")
    (kind, body), *_ = tree.items()
    if kind == "array":
        form, shape, size = array_layout(body)
        return frombuffer(take(size), dtype=form).reshape(shape).copy()
    if kind in ("list", "tuple") and isinstance(body, list):
        items = [from_tree(item, take, depth + 1) for item in body]
        return items if kind == "list" else tuple(items)
    if kind == "dict" and isinstance(body, list):
        pairs = [pair for pair in body if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)]
        if len(pairs) == len(body):
            return {key: from_tree(item, take, depth + 1) for key, item in pairs}
    raise BadFrame("a tree that stands for no value")


def unpack_body(top: Header, body: bytes) -> Value:
    """The value of a message whose header was checked. Raises BadFrame unless every byte is accounted for."""
    raw, place, taken = memoryview(body)[top.tree :], 0, 0

    def take(size: int) -> bytes:
        nonlocal place, taken
        if size > len(raw) - place:
            raise BadFrame("an array that is longer than its message")
        place, taken = place + size, taken + 1
        return bytes(raw[place - size : place])

    if len(body) != top.tree + top.raw:
        raise BadFrame("a message that is not as long as it says")
    try:
        value = from_tree(json.loads(body[: top.tree].decode("utf-8")), take)
    except (ValueError, RecursionError) as reason:  # also what numpy refuses to make an array of
        raise BadFrame("a tree that stands for no value") from reason
    if place != top.raw or taken != top.arrays:
        raise BadFrame("bytes that belong to no array")
    return value


def read_message(take: Callable[[int], bytes], most: int) -> tuple[bytes, Value]:
    """The nonce and the value of the next message; `take(n)` gives exactly n bytes or raises. Raises BadFrame."""
    top = parse_header(take(HEADER.size), most)
    return top.nonce, unpack_body(top, take(top.tree + top.raw))
