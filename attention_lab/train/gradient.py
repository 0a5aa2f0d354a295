"""A model that can be differentiated: the variant over autograd.numpy, whatever was broken in it.

autograd's cost is one of Python's for each operation, and at a size that trains while people watch this is most of the
time. So a function gets a product of its own (`fused.py`) where it, and all that it calls, stands there as in the
healthy model. A function that was changed, and each one above it, is always differentiated line by line as it reads.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np
from autograd import value_and_grad as autograd_value_and_grad
from autograd.extend import SparseObject, defvjp, primitive, vspace

from attention_lab.source_text import calls_in, reachable
from attention_lab.train.fused import FUSED
from attention_lab.train.tree import Array, rebuild, weight_leaves
from attention_lab.variants import Model, Source, module_copy, source
from attention_lab.weights import Weights

Loss = Callable[..., Any]  # of weights, and of whatever else it is given


# ---- which functions are as they were ----


def binds_nothing(node: ast.stmt) -> bool:
    """Whether a statement gives no name a meaning that the functions could notice: a text, or an import of a module."""
    future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return (
        future or isinstance(node, ast.Import) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )


def function_nodes(text: Source) -> dict[str, ast.AST] | None:
    """The functions that a source ends up with, by name; None where it binds names in any other way."""
    nodes = (*ast.parse(text.model).body, *text.own_tree().body)
    if not all(isinstance(node, ast.FunctionDef) or binds_nothing(node) for node in nodes):
        return None
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}


@cache
def healthy_functions() -> dict[str, tuple[str, frozenset[str]]]:
    """Each function of the healthy model: its syntax tree as text, and all that it calls, through others too."""
    nodes = function_nodes(source()) or {}
    calls = calls_in(nodes)
    return {name: (ast.dump(node), reachable(name, calls)) for name, node in nodes.items()}


def unchanged_functions(text: Source) -> set[str]:
    """The functions that read as the healthy ones do, and that call only such."""
    nodes, healthy = function_nodes(text), healthy_functions()
    if nodes is None:
        return set()
    alike = {name for name, (tree, _) in healthy.items() if name in nodes and ast.dump(nodes[name]) == tree}
    return {name for name in alike if healthy[name][1] <= alike}


# ---- the model, and its gradient ----


def trainable(text: Source, label: str, fuse: bool = True) -> Model:
    """The variant over autograd.numpy, with products of its own for what is unchanged. Raises as `Source.load` does."""
    model = text.load(label, "attention_lab.train.numbers")
    for name in unchanged_functions(text) & set(FUSED) if fuse else ():
        setattr(model, name, FUSED[name](model))
    return model


@primitive  # type: ignore[untyped-decorator]
def piece(vector: Array, start: int, shape: tuple[int, ...]) -> Array:  # (N,) -> shape
    """One array of those that are packed in a vector."""
    return vector[start : start + prod(shape)].reshape(shape)


def piece_back(_: Array, vector: Array, start: int, shape: tuple[int, ...]) -> Callable[[Array], SparseObject]:
    """Its gradient fills only its own stretch of the vector's."""
    space, stretch = vspace(vector), slice(start, start + prod(shape))

    def back(gradient: Array) -> SparseObject:
        def add(total: Array) -> Array:
            total[stretch] += gradient.reshape(-1)
            return total

        return SparseObject(space, add)

    return back


defvjp(piece, piece_back)


def unpack_traced(vector: Any, like: Weights) -> Weights:  # (N,) -> nested
    """The weights in a vector, as arrays that autograd follows. One vector costs it far less than nested dicts do."""
    values, start = [], 0
    for _, array in weight_leaves(like):
        values.append(piece(vector, start, array.shape))
        start += array.size
    return dict(rebuild(like, iter(values)))


def value_and_grad(loss: Loss, like: Weights) -> Callable[..., tuple[float, Array]]:  # (N,), … -> (), (N,)
    """A function from packed weights to the loss and its gradient, packed the same way.

    A loss on which the weights have no influence has gradient zero. Raises TypeError when a loss is no single number.
    """
    both = autograd_value_and_grad(lambda vector, *more: loss(unpack_traced(vector, like), *more))

    def value_and_gradient(vector: Array, *more: Any) -> tuple[float, Array]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Output seems independent of input")
            value, gradient = both(vector, *more)
        return float(value), gradient

    return value_and_gradient


def with_dropout(model: Model, rate: float, rng: np.random.Generator) -> Model:
    """The same model with its own dropout on the output of each sublayer and on the embedding sum (paper, 5.4)."""
    twin = module_copy(model)

    def dropping(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: model.dropout(function(*args, **kwargs), rate, rng, True)

    for name in ("embed", "multi_head", "feed_forward"):
        setattr(twin, name, dropping(getattr(twin, name)))
    return twin
