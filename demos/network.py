"""Network: D2's whole forward pass, from ids to a distribution over the next word."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed, Text
from attention_lab.errors import BadInput
from attention_lab.machine.memory import require_memory
from attention_lab.result import Column, Note, Result, Statement, table
from attention_lab.text import count, ids_of, listed, sentence_tokens
from attention_lab.variants import Model, record_calls

Array = NDArray[np.floating]
Ids = NDArray[np.integer]

H = 8
SMALL = 0.02  # the standard deviation that GPT-2 starts its embedding with


def entropy(probabilities: Array) -> float:  # (..., V) -> nats, on average over positions
    """How undecided a distribution is: 0 when one word takes all, ln V when all are alike."""
    logarithms = np.log(np.maximum(probabilities, np.finfo(probabilities.dtype).tiny))
    return float(-(probabilities * logarithms).sum(axis=-1).mean())


def network_parts(network: weights.Weights) -> dict[str, list[Array]]:
    """Every array of the network, by the part that it belongs to."""
    blocks = network["blocks"]
    return {
        "embedding, in and out": [network["embedding"]],
        "positions": [network["positions"]],
        "W_Q, W_K, W_V": [block["attention"][name] for block in blocks for name in ("w_query", "w_key", "w_value")],
        "W_O": [block["attention"]["w_out"] for block in blocks],
        "feed-forward": [array for block in blocks for array in block["feed_forward"].values()],
        "norms": [array for block in blocks for name in ("norm_1", "norm_2") for array in block[name].values()],
    }


def nudge_effect(
    model: Model, ids: Ids, network: weights.Weights, arrays: list[Array], rng: np.random.Generator
) -> float:
    """Largest change of the logits when these arrays get normal noise of standard deviation 0.01."""
    before = model.decoder_only(ids, network, H)
    originals = [array.copy() for array in arrays]
    for array in arrays:
        array += 0.01 * rng.standard_normal(array.shape)
    after = model.decoder_only(ids, network, H)
    for array, original in zip(arrays, originals, strict=True):
        array[...] = original
    return float(np.abs(after - before).max())


def word_influence(model: Model, ids: Ids, network: weights.Weights) -> tuple[float, float]:
    """Change of the logits when a token is replaced: the largest before it, the smallest from it on."""
    logits = model.decoder_only(ids, network, H)
    earlier, later = 0.0, np.inf
    for t in range(ids.shape[-1]):
        other = ids.copy()
        other[:, t] = (ids[:, t] + 1) % len(network["embedding"])
        moved = np.abs(model.decoder_only(other, network, H) - logits).max(axis=(0, -1))
        earlier, later = max(earlier, moved[:t].max(initial=0)), min(later, moved[t:].min(initial=np.inf))
    return float(earlier), float(later)


def run(
    model: Model,
    *,
    text: Text = "the animal did not cross the street because it was too tired",
    layers: Annotated[int, Param("how many blocks", at_least=1, at_most=24)] = 6,
    d_model: Annotated[int, Param("width of a token, a multiple of 8", at_least=8, at_most=1024)] = 64,
    vocabulary: Annotated[int, Param("how many words the network knows", at_least=2, at_most=100_000)] = 1000,
    seed: Seed = 0,
) -> Result:
    """A sentence through an untrained decoder-only network: the shape and size of what leaves each step.

    D2's network: embedding and learned positions, six pre-norm blocks of 8 heads under a causal mask, logits through
    the embedding again. d_ff is 4 d_model. What moves the logits moves the loss too, so training changes it.
    """
    tokens = sentence_tokens(text)
    ids = np.array([ids_of(tokens)])
    if vocabulary <= ids.max():
        raise BadInput(f"--vocabulary is {vocabulary}.", f"The sentence alone has {count(ids.max() + 1, 'word')}.")
    size = 8.0 * (12 * layers * d_model**2 + vocabulary * (d_model + 4 * len(tokens)))
    require_memory(2 * size, f"--layers {layers}, --d-model {d_model}, --vocabulary {vocabulary}", "Give smaller ones.")
    rng = np.random.default_rng(seed)
    network = weights.decoder_only(rng, vocabulary, d_model, 4 * d_model, layers, len(tokens))

    logits, blocks = record_calls(model, ("pre_norm_block",), lambda twin: twin.decoder_only(ids, network, H))
    steps = [
        ("embedding", network["embedding"][ids]),
        ("+ positions", next(iter(blocks[0].arguments.values()))),
        *((f"block {i + 1}", block.result) for i, block in enumerate(blocks)),
        ("logits", logits),
        ("next word", model.softmax(logits)),
    ]
    shapes = [step.shape for _, step in steps[:-2]]
    earlier, later = word_influence(model, ids, network)

    small = network | {"embedding": network["embedding"] * SMALL * d_model**0.5}
    small_logits = model.decoder_only(ids, small, H)
    undecided, undecided_small = entropy(model.softmax(logits)), entropy(model.softmax(small_logits))
    most = np.log(vocabulary)

    parts = network_parts(network)
    counts = {part: sum(array.size for array in arrays) for part, arrays in parts.items()}
    effects = {part: nudge_effect(model, ids, network, arrays, rng) for part, arrays in parts.items()}
    learned = [part for part in parts if effects[part] > 1e-9]
    total, projections = sum(counts.values()), counts["W_Q, W_K, W_V"]

    return Result(
        (
            Note(
                "axes",
                f"An id selects a row of the embedding. {list(steps[0][1].shape)} is batch, position, feature.",
            ),
            table(
                "steps",
                f"{len(tokens)} ids go in, {len(tokens)} distributions over {vocabulary:,} words come out",
                ("step", "shape", "norm of a token", "std of a token"),
                (
                    ("ids", str(list(ids.shape)), None, None),
                    *(
                        (name, str(list(now.shape)), np.linalg.norm(now, axis=-1).mean(), now.std(axis=-1).mean())
                        for name, now in steps
                    ),
                ),
            ),
            Statement(
                "same-shape",
                "From the embedding to the last block the shape does not change.",
                f"After {len(shapes)} steps: {listed(sorted({str(list(shape)) for shape in shapes}))}.",
                holds=len(set(shapes)) == 1 and logits.shape == (*ids.shape, vocabulary),
                source="D2",
            ),
            Statement(
                "no-peeking",
                "Another word moves no logit before it, and every position from it on.",
                f"Each of {count(len(tokens), 'word')} changed in turn: before it the logits move by {earlier:.2f} at "
                f"most, from it on by {later:.2f} at least.",
                holds=earlier < 1e-9 < later,
                source="D2",
            ),
            Statement(
                "undecided",
                "Before training every next word is about as likely as any other.",
                f"The entropy is {undecided:.2f} nats of ln V = {most:.2f}: as undecided as between "
                f"{np.exp(undecided):.0f} words, not {vocabulary:,}.",
                holds=bool(undecided > 0.95 * most),
                value=undecided,
            ),
            Statement(
                "small-start",
                f"With an embedding as small as GPT-2's at its start, std {SMALL}, every next word is about as likely "
                "as any other.",
                f"Logits then spread by {small_logits.std():.2f} in place of {logits.std():.2f}, and the entropy is "
                f"{undecided_small:.2f} of {most:.2f} nats.",
                holds=bool(undecided_small > 0.95 * most),
                value=undecided_small,
            ),
            table(
                "parameters",
                f"What training can change: {total:,} parameters",
                ("part", "parameters", Column("share", 1, "%"), Column("nudged, logits move by", 4)),
                ((part, counts[part], 100 * counts[part] / total, effects[part]) for part in parts),
            ),
            Statement(
                "only-projections",
                "W_Q, W_K and W_V are the only thing that training learns.",
                f"They are {projections:,} of {total:,} parameters, {100 * projections / total:.1f} %. What moves the "
                f"logits: {'; '.join(learned)}.",
                holds=learned == ["W_Q, W_K, W_V"],
                value=projections / total,
                source="D2",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
