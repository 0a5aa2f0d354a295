"""What spelled files call: rewritten bodies, and what stands around them."""

from __future__ import annotations

import re

from attention_lab.source_text import function_texts

IMPORTS = """import functools as _functools
import math as _math
import operator as _operator
from collections import namedtuple as _namedtuple
from dataclasses import dataclass as _dataclass

import numpy as np
"""
HELPERS = '''
def _product(a, b):
    """a @ b, one element after the other."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError("rows and columns")
    front = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = np.zeros((*front, a.shape[-2], b.shape[-1]), np.result_type(a, b))
    for i in range(a.shape[-2]):
        for j in range(b.shape[-1]):
            out[..., i, j] = (a[..., i, :] * b[..., :, j]).sum(axis=-1)
    return out


def _triangle(array, k, keep):
    """Those elements of the last two axes whose diagonal is kept; 0 elsewhere."""
    out = np.array(array)
    for i in range(out.shape[-2]):
        for j in range(out.shape[-1]):
            if not keep(j - i, k):
                out[..., i, j] = 0
    return out


def _tril(array, k=0):
    return _triangle(array, k, _operator.le)


def _triu(array, k=0):
    return _triangle(array, k, _operator.ge)


def _one(function, number):
    try:
        return function(number)
    except OverflowError:
        return _math.inf
    except ValueError:
        return -_math.inf if function is _math.log and number == 0 else _math.nan


def _each(function, value):
    """A function of `math`, of every element."""
    if isinstance(value, (int, float)):
        return np.float64(_one(function, value))
    array = np.asarray(value)
    numbers = [_one(function, float(one)) for one in array.ravel()]
    return np.array(numbers, array.dtype if array.dtype.kind == "f" else float).reshape(array.shape)


def _power(base, exponent):
    if type(base) not in (int, float) or type(exponent) not in (int, float) or base <= 0:
        return base**exponent
    return _math.sqrt(base) if exponent == 0.5 else _math.pow(base, exponent)


def _fold(function, array, axis=None, keepdims=False):
    """One number after the other: a sum, a mean or a maximum."""
    if axis is None:
        return np.asarray(_fold(function, array.ravel(), 0)).reshape((1,) * array.ndim if keepdims else ())[()]
    for one in sorted((axis,) if isinstance(axis, int) else axis, key=lambda one: one % array.ndim, reverse=True):
        count, total = array.shape[one], None
        for part in np.moveaxis(array, one, 0):
            total = part if total is None else function(total, part)
        array = np.expand_dims(total, one) if keepdims else total
    return array


def _sum(array, axis=None, keepdims=False):
    return _fold(_operator.add, array + 0, axis, keepdims)


def _max(array, axis=None, keepdims=False):
    return _fold(np.maximum, array, axis, keepdims)


def _into(function, plain, a, b):
    """A result in an array that was made for it."""
    if np.ndim(a) == np.ndim(b) == 0:
        return plain(a, b)
    kind = np.result_type(a, b)
    kind = np.dtype(float) if kind.kind in "iub" and function is np.divide else kind
    return function(a, b, out=np.empty(np.broadcast_shapes(np.shape(a), np.shape(b)), kind))


def _picked(where, one, other):
    """np.where by indexing."""
    shape = np.broadcast_shapes(*map(np.shape, (where, one, other)))
    out = np.empty(shape, np.result_type(one, other))
    out[...] = other
    where = np.broadcast_to(where, shape).astype(bool)
    out[where] = np.broadcast_to(one, shape)[where]
    return out


def _on_copy(change, plain, a, b):
    """a += b of a copy of a, where that gives the same."""
    if not isinstance(a, np.ndarray) or a.dtype.kind != "f":
        return plain(a, b)
    if a.dtype != np.result_type(a, b) or a.shape != np.broadcast_shapes(a.shape, np.shape(b)):
        return plain(a, b)
    return change(a.copy(), b)

def _each_array(function, value):
    if isinstance(value, np.ndarray):
        return function(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_each_array(function, item) for item in value)
    if isinstance(value, dict):
        return {name: _each_array(function, item) for name, item in value.items()}
    return value


def _narrow(value):
    return _each_array(lambda array: array.astype(np.float32) if array.dtype == np.float64 else array, value)


def _from_lists(value):
    if isinstance(value, dict):
        return {name: _from_lists(item) for name, item in value.items()}
    if isinstance(value, tuple) or (isinstance(value, list) and value and isinstance(value[0], (tuple, dict))):
        return type(value)(_from_lists(item) for item in value)
    return np.array(value) if isinstance(value, (list, np.ndarray)) else value


def _to_lists(value):
    return _each_array(lambda array: array.tolist(), value.item() if isinstance(value, np.generic) else value)


def _noted(function):
    @_functools.wraps(function)
    def inner(*args, **kwargs):
        print(function.__name__, "is called")
        return function(*args, **kwargs)

    return inner


def _loop(work, arrays, axes):
    front = arrays[0].shape[:-axes]
    if not front:
        return work(*arrays)
    made = [work(*(one[place] for one in arrays)) for place in np.ndindex(front)]
    parts = zip(*made) if isinstance(made[0], tuple) else [made]
    joined = tuple(np.stack(part).reshape(*front, *part[0].shape) for part in parts)
    return joined if isinstance(made[0], tuple) else joined[0]


def _recursion(work, arrays, axes):
    if arrays[0].ndim <= axes:
        return work(*arrays)
    made = [_recursion(work, [one[place] for one in arrays], axes) for place in range(len(arrays[0]))]
    return tuple(map(np.stack, zip(*made))) if isinstance(made[0], tuple) else np.stack(made)
'''


def called_by(text: str) -> str:
    """The helpers that a text needs, and those that these need."""
    functions = function_texts(HELPERS)
    found, left = set[str](), [text]
    while left:
        words = set(re.findall(r"\w+", left.pop())) & functions.keys() - found
        left += [functions[name] for name in words]
        found |= words
    return "\n\n".join(functions[name].strip() + "\n" for name in functions if name in found)
