"""Patterns: self-attention, masked self-attention and cross-attention are one function, called three times."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed, Text
from attention_lab.result import Matrix, Result, Statement, matrix, table
from attention_lab.text import ids_of, listed, sentence_tokens
from attention_lab.variants import Call, Model, attempt, record_calls

Array = NDArray[np.floating]
Ids = NDArray[np.integer]

D_MODEL, D_FF, H, PAD = 32, 64, 2, 0
ROW_PER_QUERY = "A map has one row per query and one column per key, which may differ in number; its rows sum to 1."


def towers(model: Model, network: weights.Weights, source: Ids, target: Ids) -> tuple[Array, tuple[Call, ...]]:
    """(1, Tk), (1, Tq) -> logits (1, Tq, V) of one layer each, and the calls of attention: encoder, decoder, cross."""
    return record_calls(model, ("attention",), lambda twin: twin.encoder_decoder(source, target, network, h=H, pad=PAD))


def attention_map(
    name: str, title: str, call: Call, queries: tuple[str, ...], keys: tuple[str, ...]
) -> tuple[Matrix, ...]:
    """The weights of head 1, or () if their shape does not fit; masked cells with weight stay visible."""
    seen, mask = call.result[1][0, 0], (*call.arguments.values(), None)[3]
    if seen.shape != (len(queries), len(keys)):
        return ()
    allowed = True if mask is None else mask[0, 0]
    return (matrix(name, title, seen, queries, keys, mask=allowed | (seen != 0)),)


def moved_positions(before: Array, after: Array) -> list[int]:
    """The positions, counted from 1, at which (1, T, V) logits differ."""
    return [int(t) + 1 for t in np.flatnonzero(np.abs(after - before)[0].max(axis=-1) > 1e-9)]


def run(
    model: Model,
    *,
    text: Text = "die katze trinkt milch",
    target: Annotated[str, Param("the sentence that the decoder has written so far")] = "the cat is drinking some milk",
    seed: Seed = 0,
) -> Result:
    """Two sentences through an encoder–decoder of one layer: who asks, who answers, and what each map looks like.

    Untrained weights, d_model 32, two heads, of which the first is shown. The sentences may differ in length.
    """
    asked, written = sentence_tokens(text), sentence_tokens(target, flag="--target")
    Tk, Tq = len(asked), len(written)
    ids = ids_of(asked + written, first=PAD + 1)
    source, prefix = np.array([ids[:Tk]]), np.array([ids[Tk:]])
    spare = max(ids) + 1  # the id of a word in neither sentence
    network = weights.encoder_decoder(np.random.default_rng(seed), spare + 1, D_MODEL, D_FF, layers=1)

    ran, refused = attempt(lambda: towers(model, network, source, prefix))
    if ran is None:
        asked_for = f"Asked to read {Tk} source and {Tq} target words, {refused}."
        return Result((Statement("row-per-query", ROW_PER_QUERY, asked_for, holds=False, source="D3"),))
    logits, (encoder, decoder, cross) = ran
    calls = encoder, decoder, cross
    seen = [call.result[1] for call in calls]
    shapes = [list(one.shape[-2:]) for one in seen]
    maps = [" × ".join(map(str, shape)) for shape in shapes]
    later = np.triu(seen[1], k=1).sum(axis=-1).mean()
    off = max(np.abs(one.sum(axis=-1) - 1).max() for one in seen)

    other_source, other_prefix = source.copy(), prefix.copy()
    other_source[0, -1] = spare
    changed = Tq // 2
    other_prefix[0, changed] = spare
    encoded = [model.encode(one, network, h=H, pad=PAD) for one in (source, other_source)]
    in_memory = moved_positions(*encoded)
    by_source = moved_positions(logits, towers(model, network, other_source, prefix)[0])
    by_target = moved_positions(logits, towers(model, network, source, other_prefix)[0])

    uses = (
        ("encoder self-attention", "source", "source"),
        ("decoder masked self-attention", "target", "target"),
        ("cross-attention", "target", "source"),
    )
    return Result(
        (
            table(
                "uses",
                f"One function, three uses: Tk = {Tk} source words, Tq = {Tq} target words",
                ("use", "queries", "keys, values", "map", "cells of weight 0"),
                (
                    (*use, one_map, (weights_of[0, 0] == 0).sum())
                    for use, one_map, weights_of in zip(uses, maps, seen, strict=True)
                ),
            ),
            *attention_map("encoder", "Encoder: every word sees every word", encoder, asked, asked),
            *attention_map(
                "decoder", "Decoder: a word sees itself and what was written before", decoder, written, written
            ),
            *attention_map("cross", "Cross-attention: every target word asks the whole source", cross, written, asked),
            Statement(
                "row-per-query",
                ROW_PER_QUERY,
                f"The maps are {listed(maps)}; row sums are off by {off:.0e} at most.",
                holds=bool(shapes == [[Tk, Tk], [Tq, Tq], [Tq, Tk]] and off < 1e-9),
                source="D3",
            ),
            Statement(
                "encoder-sees-all",
                "In the encoder every word hears every other, also the ones after it.",
                f"The smallest weight is {seen[0].min():.4f}; another last word moves {len(in_memory)} of {Tk} rows.",
                holds=bool(seen[0].min() > 0 and len(in_memory) == Tk),
                source="D2, D3",
            ),
            Statement(
                "decoder-no-future",
                "In the decoder a word is not heard by those before it.",
                f"On average a row gives later words {later:.4f} of its weight. Another target word {changed + 1} "
                f"moves the logits at {listed(by_target) or 'none'} of {Tq}.",
                holds=bool(later == 0 and by_target == list(range(changed + 1, Tq + 1))),
                source="D2, D3",
            ),
            Statement(
                "cross-reaches-all",
                "Through cross-attention a source word reaches every target position.",
                f"The smallest weight is {seen[2].min():.4f}; another last source word moves the logits at "
                f"{len(by_source)} of {Tq} positions.",
                holds=bool(seen[2].min() > 0 and len(by_source) == Tq),
                source="D2, D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
