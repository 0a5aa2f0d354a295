"""The shapes on the model's signature lines, tested by running: each axis of each call has the size of its letter.

A letter takes the size of the first axis that it names in a call, and may only take a size that it has in this run.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from attention_lab import transformer, weights
from attention_lab.variants import Call, Model, record_calls

SOURCE, TARGET, PROMPT = 11, 7, 5  # tokens: fewer ask than answer wherever the two numbers differ
SIZES = {"B": {2}, "h": {3}, "d_k": {4}, "d_v": {4, 6}, "d_model": {12}, "d_ff": {10}, "V": {17}}
PLAIN = {name: max(sizes) for name, sizes in SIZES.items()}
LETTERS = (*SIZES, "T", "Tq", "Tk")
SIGNATURES = dict(re.findall(r"^def (\w+)\(.*\):  # (.*)$", inspect.getsource(transformer), flags=re.MULTILINE))


def run_everything(model: Model) -> None:
    """Call every function of the model, directly or through a network, at sizes that are all different."""
    rng = np.random.default_rng(0)
    B, h, d_k, d_v, d_model, d_ff, V = PLAIN.values()
    query, key = rng.standard_normal((B, h, TARGET, d_k)), rng.standard_normal((B, h, SOURCE, d_k))
    value = rng.standard_normal((B, h, SOURCE, d_v))
    model.attention(query, key, value, model.causal_mask(TARGET, SOURCE))
    model.tiled_attention(query, key, value, height=PROMPT, width=d_k)
    model.merge_heads(value)
    model.rope(query, np.arange(TARGET))
    model.dropout(rng.standard_normal((B, TARGET, d_model)), 0.1, rng, training=True)

    source, target = rng.integers(1, V, (B, SOURCE)), rng.integers(1, V, (B, TARGET + 1))
    network = weights.encoder_decoder(rng, V, d_model, d_ff, layers=1)
    read, owed = model.teacher_forcing(target)
    model.cross_entropy(model.encoder_decoder(source, read, network, h), owed)

    network = weights.decoder_only(rng, V, d_model, d_ff, layers=2, T=SOURCE)
    model.decoder_only(read, network, h)
    _, cache = model.decode_next(source[:, :PROMPT], network, h, model.empty_cache(network, h, B))
    model.decode_next(source[:, PROMPT:-1], network, h, cache)


@pytest.fixture(scope="module")
def calls() -> tuple[Call, ...]:
    return record_calls(transformer, tuple(SIGNATURES), run_everything)[1]


# ---- reading a signature line ----


def shapes_of(text: str) -> list[tuple[str, ...] | None]:
    """The shape that each part of a list says, such as ("T", "d_model / h"); None for a part without a shape."""
    shapes: list[tuple[str, ...] | None] = []
    for part in re.split(r",(?![^(]*\))", text):
        match = re.search(r"\(([^)]*)\)", part)
        axes = [axis.strip() for axis in match[1].split(",")] if match else []
        shapes.append(tuple(axis for axis in axes if axis) if match else None)
    return shapes


def leaves(tree: Any) -> Iterator[Any]:
    """The arrays and numbers of nested lists and tuples."""
    if isinstance(tree, list | tuple):
        for branch in tree:
            yield from leaves(branch)
    else:
        yield tree


@dataclass(frozen=True)
class Claim:
    """The shape that a signature line claims of one array of a call; the last axes of the array are meant."""

    name: str
    shape: tuple[str, ...]
    size: tuple[int, ...]


def claims_of(signature: str, call: Call) -> list[Claim]:
    """The claims of a signature line about one call, arguments first. Further arguments are weights and numbers."""
    into, *_, out = signature.split("->")
    arguments = [(name, [value]) for name, value in call.arguments.items()]
    results = call.result if isinstance(call.result, tuple) else (call.result,)
    outputs = [("the result", list(leaves(result))) for result in results]
    pairs = [*zip(shapes_of(into), arguments, strict=False), *zip(shapes_of(out), outputs, strict=False)]
    return [
        Claim(name, shape, np.shape(value))
        for shape, (name, values) in pairs
        for value in values
        if shape is not None and value is not None
    ]


# ---- comparing ----


def product(axis: str, letters: dict[str, int]) -> float:
    """The size of an axis that is computed from others: "d_model / h", "h d_v", "T + 1", "1"."""
    return float(eval(re.sub(r"(\w) (\w)", r"\1 * \2", axis), {}, dict(letters)))  # noqa: S307 (our own comments)


def wrong_axes(signature: str, call: Call) -> list[str]:
    """A sentence for every axis of a call whose size is not the one that the signature line says."""
    letters = {name: value for name, value in call.arguments.items() if name in LETTERS and value is not None}
    claims = claims_of(signature, call)
    wrong = [f"{claim.name} has {len(claim.size)} axes" for claim in claims if len(claim.size) < len(claim.shape)]
    axes = [
        (claim.name, axis, size)
        for claim in claims
        for axis, size in zip(claim.shape, claim.size[len(claim.size) - len(claim.shape) :], strict=False)
        if not (claim.name == "mask" and axis == "Tq" and size == 1)  # one row for all queries
    ]
    for name, axis, size in axes:
        if axis.isidentifier() and letters.setdefault(axis, size) != size:
            wrong.append(f"{name}: {axis} is {size} and {letters[axis]}")
    for name, axis, size in axes:
        if not axis.isidentifier() and product(axis, letters) != size:
            wrong.append(f"{name}: {axis} is {size}")
    wrong += [
        f"{letter} is {letters[letter]}" for letter in SIZES.keys() & letters if letters[letter] not in SIZES[letter]
    ]
    if {"Tq", "Tk"} <= letters.keys() and letters["Tq"] > letters["Tk"]:
        wrong.append(f"Tq is {letters['Tq']} and Tk is {letters['Tk']}")
    template = re.search(r"-> (?:as|the same) (\w+)", signature)
    if template and np.shape(call.result) != np.shape(call.arguments[template[1]]):
        wrong.append(f"the result has not the shape of {template[1]}")
    return wrong


def wrong_calls(function: str, signature: str, calls: tuple[Call, ...]) -> list[str]:
    """What is wrong in all calls of one function."""
    return [
        f"{function}: {text}" for call in calls if call.function == function for text in wrong_axes(signature, call)
    ]


@pytest.mark.parametrize("function", SIGNATURES)
def test_every_axis_of_every_call_has_the_size_that_the_signature_line_says(calls: tuple[Call, ...], function: str):
    assert any(call.function == function for call in calls)
    assert not wrong_calls(function, SIGNATURES[function], calls)


def test_every_function_is_called_and_every_letter_is_explained():
    functions = {name for name, value in vars(transformer).items() if inspect.isfunction(value)}
    assert SIGNATURES.keys() == functions
    shapes = [shape for text in SIGNATURES.values() for side in text.split("->") for shape in shapes_of(side) if shape]
    letters = {letter for shape in shapes for axis in shape for letter in re.findall(r"[A-Za-z]\w*", axis)}
    assert letters == set(LETTERS)
    assert all(re.search(rf"\b{letter}\b  |\b{letter} (?:of|answer)", transformer.__doc__ or "") for letter in letters)


def exchanged(signature: str, first: str, second: str) -> str:
    """The signature line with two letters exchanged."""
    other = {first: second, second: first}
    return re.sub(rf"\b({first}|{second})\b", lambda match: other[match[1]], signature)


PAIRS = [
    (function, *pair)
    for function, signature in SIGNATURES.items()
    for pair in combinations([letter for letter in LETTERS if re.search(rf"\b{letter}\b", signature)], 2)
]


@pytest.mark.parametrize(("function", "first", "second"), PAIRS)
def test_a_signature_line_with_two_letters_exchanged_is_wrong(calls: tuple[Call, ...], function, first, second):
    assert wrong_calls(function, exchanged(SIGNATURES[function], first, second), calls)
