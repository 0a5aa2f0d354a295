"""Weights as one vector and back: nested dicts and lists of arrays, whose leaves are always met in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_lab.weights import Weights

Array = NDArray[Any]


def weight_leaves(tree: Any, path: str = "") -> Iterator[tuple[str, Array]]:
    """Every array with its path: "encoder/0/norm_1/gain"."""
    if not isinstance(tree, dict | list):
        yield path, tree
        return
    for name, branch in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield from weight_leaves(branch, f"{path}/{name}" if path else str(name))


def rebuild(tree: Any, values: Iterator[Any]) -> Any:
    """A tree of the same structure whose leaves are the next values."""
    if isinstance(tree, dict):
        return {name: rebuild(branch, values) for name, branch in tree.items()}
    if isinstance(tree, list):
        return [rebuild(branch, values) for branch in tree]
    return next(values)


def pack_weights(weights: Weights) -> Array:  # -> (N,)
    """All weights in one vector, a copy."""
    return np.concatenate([array.ravel() for _, array in weight_leaves(weights)])


def unpack_weights(vector: Array, like: Weights) -> Weights:  # (N,) -> nested
    """The weights in a vector that `pack_weights` made of a tree like this one: views, not copies."""
    values, start = [], 0
    for _, array in weight_leaves(like):
        values.append(vector[start : start + array.size].reshape(array.shape))
        start += array.size
    return dict(rebuild(like, iter(values)))
