"""Heads: one wide attention becomes several narrow ones, with the same parameters and the same multiplications."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed, Text
from attention_lab.machine.memory import require_memory
from attention_lab.result import Matrix, Note, Result, Statement, matrix, table
from attention_lab.text import count, ids_of, sentence_tokens
from attention_lab.variants import Call, Model, record_calls

Array = NDArray[np.floating]

SHOWN = 12  # heads in the picture, at most
INNER = ("split_heads", "attention", "merge_heads")


def attend(  # (B, T, d_model) -> (B, T, d_model)
    model: Model, x: Array, projections: weights.Weights, h: int
) -> tuple[Array, dict[str, Call]]:
    """Multi-head self-attention, and the last call of each function inside it."""
    output, calls = record_calls(model, INNER, lambda twin: twin.multi_head(x, x, **projections, h=h))
    return output, {call.function: call for call in calls}


def first_argument(call: Call) -> Array:
    """The first argument of a call."""
    first: Array = next(iter(call.arguments.values()))
    return first


def multiply_adds(x: Array, projections: weights.Weights, inner: dict[str, Call]) -> int:
    """Multiplications, each with its addition, read off the arrays' shapes: four projections, scores, blend."""
    query, (output, seen) = first_argument(inner["attention"]), inner["attention"].result
    projecting = x[..., 0].size * sum(w.size for w in projections.values())
    return int(projecting + (query.size + output.size) * seen.shape[-1])


def head_bill(model: Model, x: Array, projections: weights.Weights, h: int) -> tuple[int, int, int, int, int]:
    """Heads, d_k, parameters, multiply-adds, and how many weights (B, h, Tq, Tk) there are."""
    _, inner = attend(model, x, projections, h)
    return (
        h,
        first_argument(inner["attention"]).shape[-1],
        sum(w.size for w in projections.values()),
        multiply_adds(x, projections, inner),
        inner["attention"].result[1].size,
    )


def with_zero_columns(projections: weights.Weights, names: tuple[str, ...], columns: slice) -> weights.Weights:
    """The projections, with these columns of the named ones set to zero."""
    cut = {name: projections[name].copy() for name in names}
    for w in cut.values():
        w[:, columns] = 0
    return projections | cut


def indices_changed(before: Array, after: Array, axis: int) -> int:
    """Number of indices along an axis at which two arrays differ."""
    others = tuple(i for i in range(before.ndim) if i != axis)
    return int((np.abs(after - before).max(axis=others) > 1e-12).sum())


def head_maps(seen: Array, tokens: tuple[str, ...], h: int) -> list[Matrix | Note]:  # (1, h, T, T)
    """The last word's row of every head's weights, and all of the first head's."""
    T = len(tokens)
    if seen.shape != (1, h, T, T):
        return [
            Note("no-maps", f"Weights of shape {list(seen.shape)} are not a map of words over words for each head.")
        ]
    names = [f"head {i + 1}" for i in range(min(h, SHOWN))]
    last = f'What the last word, "{tokens[-1]}", attends to in each head'
    return [
        matrix("last-word", last, seen[0, : len(names), -1], names, tokens, row_title="head"),
        matrix("head-1", "All of head 1", seen[0, 0], tokens, tokens),
    ]


def run(
    model: Model,
    *,
    text: Text = "eight heads read the same words",
    d_model: Annotated[int, Param("width of a token", at_least=1, at_most=4096)] = 512,
    heads: Annotated[int, Param("how many heads share the width", at_least=1, at_most=4096)] = 8,
    seed: Seed = 0,
) -> Result:
    """A sentence through multi-head attention: the shape at each step, and the bill for one head and for several.

    Then slices of the weights and of the tokens are set to zero, to see which heads read them and what of the output
    one head reaches. Untrained weights.
    """
    tokens = sentence_tokens(text)
    require_memory(12 * 8.0 * d_model**2, f"--d-model {d_model}", "Give a smaller one.")
    rng = np.random.default_rng(seed)
    x = model.embed(np.array([ids_of(tokens)]), weights.embedding(rng, len(tokens), d_model))
    projections = weights.heads(rng, d_model)

    output, inner = attend(model, x, projections, heads)
    head_output, seen = inner["attention"].result
    merged = inner["merge_heads"].result
    one, several = head_bill(model, x, projections, 1), head_bill(model, x, projections, heads)

    own = slice(0, d_model // heads)  # the first head's columns of W_Q, W_K and W_V
    _, without_columns = attend(model, x, with_zero_columns(projections, ("w_query", "w_key", "w_value"), own), heads)
    blanked = x.copy()
    blanked[..., own] = 0
    _, without_features = attend(model, blanked, projections, heads)
    moved_by_columns = indices_changed(head_output, without_columns["attention"].result[0], axis=1)
    moved_by_features = indices_changed(head_output, without_features["attention"].result[0], axis=1)
    other_output, without_values = attend(model, x, with_zero_columns(projections, ("w_value",), own), heads)
    moved_merged = indices_changed(merged, without_values["merge_heads"].result, axis=2)
    moved_output = indices_changed(output, other_output, axis=2)

    return Result(
        (
            table(
                "shapes",
                "One sentence through multi-head attention",
                ("step", "axes", "shape"),
                (
                    ("tokens", "[B, T, d_model]", str(list(x.shape))),
                    ("× W_Q, W_K, W_V", "[B, T, d_model]", str(list(first_argument(inner["split_heads"]).shape))),
                    ("split into heads", "[B, h, T, d_k]", str(list(inner["split_heads"].result.shape))),
                    ("weights", "[B, h, Tq, Tk]", str(list(seen.shape))),
                    ("blended values", "[B, h, T, d_k]", str(list(head_output.shape))),
                    ("heads side by side", "[B, T, d_model]", str(list(merged.shape))),
                    ("× W_O", "[B, T, d_model]", str(list(output.shape))),
                ),
            ),
            Statement(
                "no-wider",
                "However many heads, what comes out is as wide as what went in.",
                f"{heads} heads of {head_output.shape[-1]} make {merged.shape[-1]}; in {list(x.shape)}, out "
                f"{list(output.shape)}.",
                holds=output.shape == x.shape == merged.shape,
                source="D0, D2, D3",
            ),
            table(
                "bill",
                f"What {len(tokens)} tokens cost, in one head and in {heads}",
                ("heads", "d_k", "parameters", "multiply-adds", "weights"),
                (one, several),
            ),
            Statement(
                "same-work",
                "Several narrow heads have the parameters and the multiplications of one wide head.",
                f"{several[2]:,} parameters against {one[2]:,}, {several[3]:,} multiply-adds against {one[3]:,}.",
                holds=several[2:4] == one[2:4],
                source="D0",
            ),
            Statement(
                "more-maps",
                "What does grow is the softmax: every head has a map of weights of its own.",
                f"{several[4]:,} weights with {heads} heads, {one[4]:,} with one.",
                holds=several[4] == heads * one[4],
            ),
            *head_maps(seen, tokens, heads),
            Note(
                "no-meaning",
                "Nobody tells a head what to look for. These are untrained, and a trained one need not mean anything.",
            ),
            Statement(
                "own-columns",
                "Each head reads its own columns of W_Q, W_K and W_V.",
                f"Set to zero, the first {own.stop} of {d_model} columns change {moved_by_columns} of "
                f"{count(heads, 'head')}.",
                holds=moved_by_columns == 1,
                source="D2",
            ),
            Statement(
                "own-features",
                "Each head sees only a slice of each token.",
                f"Set to zero, the first {own.stop} of {d_model} features change {moved_by_features} of "
                f"{count(heads, 'head')}.",
                holds=moved_by_features == 1,
            ),
            Note(
                "what-is-sliced",
                "What is sliced is the query, the key and the value, once projected. Each column of a projection reads "
                "every feature of the token.",
            ),
            Statement(
                "w-o-mixes",
                "W_O mixes the heads: one of them reaches every feature of the output.",
                f"Silenced, the first head changes {moved_merged} of {d_model} features before W_O and {moved_output} "
                f"after it.",
                holds=moved_output == d_model and moved_merged == own.stop,
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
