"""Trace: one token followed through the encoder–decoder, and which other tokens it has heard from at each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed, Text, raised_in
from attention_lab.errors import BadInput
from attention_lab.result import Note, Result, Statement, table
from attention_lab.text import ids_of, listed, sentence_tokens
from attention_lab.variants import Model, module_copy, record_calls

Array = NDArray[np.floating]
Ids = NDArray[np.integer]

PAD, BOS, FIRST = 0, 1, 3  # ids as D3 gives them; words begin at 3
START, SPECIAL, OTHER = "<bos>", ("<pad>", "<bos>", "<eos>"), "a word not in the sentence"
D_MODEL, D_FF, H = 32, 64, 4
INSIDE = ("embed", "attention", "multi_head", "layer_norm", "feed_forward")
NAMES = {"layer_norm": "add, norm", "feed_forward": "feed-forward"}


@dataclass(frozen=True)
class Step:
    """What one step gave, (1, T, width), and of an attention also its weights (h, Tq, Tk) over the tokens of a side."""

    tower: str
    name: str
    output: Array
    weights: Array | None = None
    over: str = ""


def token_position(token: str, tokens: tuple[str, ...]) -> int:
    """The position of the token to follow: a word, a number counted from 1, or by default the middle one."""
    if not token:
        return len(tokens) // 2
    if token.lower() in tokens:
        return tokens.index(token.lower())
    if token.isdecimal() and 1 <= int(token) <= len(tokens):
        return int(token) - 1
    raise BadInput(
        f"--token {token!r} is not in the sentence.",
        f"Give one of its words, or a number from 1 to {len(tokens)}: {' '.join(tokens)}.",
    )


def token_embeddings(model: Model, ids: Ids, embedding: Array) -> Array:  # (1, T), (V, d_model) -> (1, T, d_model)
    """Embeddings of ids as the model's embed makes them before it adds positions."""
    twin = module_copy(model)
    vars(twin)["sinusoidal_positions"] = lambda *args: 0 * model.sinusoidal_positions(*args)
    embedded: Array = twin.embed(ids, embedding)
    return embedded


def network_steps(model: Model, network: weights.Weights, source: Ids, prefix: Ids) -> Iterator[Step]:
    """What the network computes from ids (1, Tk) and (1, Tq), from embedding to logits (1, Tq, V), in order."""
    logits, calls = record_calls(
        model, INSIDE, lambda twin: twin.encoder_decoder(source, prefix, network, h=H, pad=PAD)
    )
    tower, layer, seen = "", 0, None
    for call in calls:
        first, second = tuple(call.arguments.values())[:2]
        if call.function == "embed":
            tower, layer = ("decoder" if tower else "encoder"), 0
            yield Step(tower, "embedding", second[first])
            yield Step(tower, "× √d_model", token_embeddings(model, first, second))
            yield Step(tower, "+ positions", call.result)
        elif call.function == "attention":
            seen = call.result[1][0]
        elif call.function == "multi_head" and first is second:
            layer += 1
            side = "source" if tower == "encoder" else "target"
            yield Step(tower, f"{layer} self-attention", call.result, seen, side)
        elif call.function == "multi_head":
            yield Step(tower, f"{layer} cross-attention", call.result, seen, "source")
        else:
            yield Step(tower, f"{layer} {NAMES[call.function]}", call.result)
    yield Step(tower, "logits", logits)


def with_other_word(ids: Ids, position: int, word: int) -> Ids:  # (1, T) -> (1, T)
    """The ids with another word at one position."""
    changed = ids.copy()
    changed[0, position] = word
    return changed


def tokens_heard(
    model: Model, network: weights.Weights, source: Ids, prefix: Ids, at: int
) -> list[set[tuple[str, int]]]:
    """After each step, the tokens (side, position) that move the followed token's row when they are another word.

    The followed token stands at source position `at` and at target position `at + 1`; its own input is left alone.
    """
    spare = len(network["embedding"]) - 1
    inputs = {("source", t): (with_other_word(source, t, spare), prefix) for t in range(source.shape[-1])}
    inputs |= {("target", t): (source, with_other_word(prefix, t, spare)) for t in range(prefix.shape[-1])}
    steps = list(network_steps(model, network, source, prefix))
    found: list[set[tuple[str, int]]] = [set() for _ in steps]
    for other, ids in inputs.items():
        for known, step, changed in zip(found, steps, network_steps(model, network, *ids), strict=True):
            side, row = ("source", at) if step.tower == "encoder" else ("target", at + 1)
            if other != (side, row) and np.abs(changed.output - step.output)[0, row].max() > 1e-9:
                known.add(other)
    return found


def step_row(step: Step, at: int, labels: tuple[str, ...], others: int) -> tuple[object, ...]:
    """A row of the table: the step, seen from the token at one position; `labels` name what it attends to."""
    cells = (f"{step.tower} {step.name}", str(list(step.output.shape)), np.linalg.norm(step.output[0, at]))
    if step.weights is None:
        return (*cells, None, None, others)
    average = step.weights[:, at].mean(axis=0)
    return (*cells, labels[average.argmax()], average.max(), others)


def refusal_statement(reason: ValueError) -> Statement:
    """A failed statement with the reason of a model that refuses its own masks or shapes."""
    return Statement(
        "arrives", "The model carries a token through both towers.", f"It stops on the way: {reason}.", holds=False
    )


def loudness_statement(steps: list[Step]) -> Statement:
    """A statement on whether scaling makes words loud enough beside their positions in the encoder's input."""
    rows, scaled, summed = (step.output for step in steps[:3])
    word, louder, position = (float(np.linalg.norm(x, axis=-1).mean()) for x in (rows, scaled, summed - scaled))
    return Statement(
        "why-root",
        "Multiplied by √d_model a word stands up to its position; as it is in the embedding, it would be drowned.",
        f"A row of the embedding has norm {word:.2f}, what the model makes of it {louder:.2f}, and the position added "
        f"to that {position:.2f}.",
        holds=word < position / 2 < louder,
        value=louder / word,
    )


def run(
    model: Model,
    *,
    text: Text = "the tired animal sat down",
    token: Annotated[str, Param("the word to follow, or its number counted from 1; by default the middle one")] = "",
    layers: Annotated[int, Param("how many layers each tower has", at_least=1, at_most=6)] = 1,
    seed: Seed = 0,
) -> Result:
    """One token's row of every array between the ids and the logits: shape, length, what it attends to, whom it heard.

    The sentence is the encoder's source and, behind a start token, the decoder's target, so the same word is followed
    up both towers. Untrained weights, d_model 32, 4 heads.
    """
    tokens = sentence_tokens(text)
    n, at = len(tokens), token_position(token, tokens)
    source = np.array([ids_of(tokens, FIRST)])
    prefix = np.concatenate([[[BOS]], source], axis=-1)
    V = int(source.max()) + 2  # the last id is of a word that is not in the sentence
    network = weights.encoder_decoder(np.random.default_rng(seed), V, D_MODEL, D_FF, layers)
    labels = {"source": tokens, "target": (START, *tokens), "": ()}
    row = {"encoder": at, "decoder": at + 1}
    vocabulary = (*SPECIAL, *(f'"{word}"' for word in dict.fromkeys(tokens)), OTHER)

    try:
        steps = list(network_steps(model, network, source, prefix))
    except ValueError as reason:
        if not raised_in(model, reason):
            raise
        return Result((refusal_statement(reason),))
    others = tokens_heard(model, network, source, prefix, at)
    before = [
        set().union(*(others[j] for j in range(i) if steps[j].tower == steps[i].tower)) for i in range(len(steps))
    ]
    new = [i for i in range(len(steps)) if not others[i] <= before[i]]
    rises = [f"{steps[i].tower} {steps[i].name}" for i in new]
    last_of_encoder = max(i for i, step in enumerate(steps) if step.tower == "encoder")
    from_source = sum(side == "source" for side, _ in others[-1])
    from_target = [t for side, t in others[-1] if side == "target"]
    chances = model.softmax(steps[-1].output)[0, at + 1]
    expected = dict(enumerate(vocabulary)).get(int(chances.argmax()), "no word that it knows")
    widths = {step.output.shape[-1] for step in steps[:-1]}

    return Result(
        (
            Note(
                "token",
                f'Token {at + 1} of {n}, "{tokens[at]}", is followed up the encoder and then up the decoder: the '
                f"target is the source behind {START}. Shapes are batch, position, feature. What it attends to most is "
                "an average over heads; a token is heard if another word in its place changes the row.",
            ),
            table(
                "steps",
                f'The row of "{tokens[at]}" after each step',
                ("step", "shape", "norm", "attends to", "weight", "others heard"),
                (
                    step_row(step, row[step.tower], labels[step.over], len(known))
                    for step, known in zip(steps, others, strict=True)
                ),
            ),
            Note(
                "next-word",
                f'After "{tokens[at]}" the network expects {expected} most, with a probability of {chances.max():.2f}. '
                "It is untrained, so that says nothing about the sentence.",
            ),
            loudness_statement(steps),
            Statement(
                "only-attention",
                "Only attention carries anything from one token to another.",
                f"Of {len(steps)} steps {len(new)} let the token hear from someone new: {listed(rises)}.",
                holds=bool(new) and all(steps[i].weights is not None for i in new),
                value=float(len(new)),
                source="D3",
            ),
            Statement(
                "encoder-hears-all",
                "At the top of the encoder the token has heard every other token of its sentence.",
                f"It has heard {len(others[last_of_encoder])} of {n - 1}.",
                holds=len(others[last_of_encoder]) == n - 1,
                source="D3",
            ),
            Statement(
                "decoder-past-and-source",
                "At the logits the token has heard the whole source and the target before it, and no more.",
                f"It has heard {from_source} of {n} source tokens, {sum(t <= at for t in from_target)} of "
                f"{at + 1} before it and {sum(t > at for t in from_target)} of {n - at - 1} after it.",
                holds=from_source == n and sorted(from_target) == list(range(at + 1)),
                source="D3",
            ),
            Statement(
                "same-width",
                "From its embedding to the last norm the token keeps its width; only the logits are as wide as V.",
                f"Width {listed(sorted(widths))} for {len(steps) - 1} steps, then {steps[-1].output.shape[-1]}.",
                holds=len(widths) == 1 and steps[-1].output.shape[-1] == V,
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
