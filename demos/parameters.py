"""Parameters: where the paper's 65 million are, counted one array at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention_lab import weights as init
from attention_lab.demo import Param, Seed
from attention_lab.machine.memory import require_memory
from attention_lab.result import Cell, Column, Result, Statement, table
from attention_lab.text import listed
from attention_lab.variants import Model

Array = NDArray[Any]
Leaf = tuple[str, Array]  # the path of an array, such as encoder.0.attention.w_query, and the array

BASE = (512, 6, 2048)  # d_model, layers and d_ff of the paper's base model
PRINTED = 65  # million parameters, which the paper's table gives it
QUOTED = Statement(
    "paper",
    "The paper's base model has 6 + 6 layers, d_model 512, 8 heads, d_k = d_v = 64, d_ff 2048, 65 million parameters.",
    "Also printed there: BLEU 28.4 English–German and 41.8 English–French, after 3.5 days on 8 P100 GPUs. Those are "
    "of its larger model, and none of this can be measured here.",
    holds=None,
    source="paper, D4",
)
PROJECTIONS = ("w_query", "w_key", "w_value")
NUDGE = 0.1  # added to every number of an array, or taken from it


@dataclass(frozen=True)
class ZeroMatrix:
    """A matrix of zeros without memory of its own, since only shapes are counted."""

    shape: tuple[int, ...]

    def __truediv__(self, _: float) -> ZeroMatrix:
        """The same zeros: dividing changes nothing."""
        return self

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """One zero, seen from every place of the shape."""
        return np.broadcast_to(np.zeros((), dtype), self.shape)


class ZeroGenerator:
    """A random generator that returns zeros, for counting weights."""

    def standard_normal(self, shape: tuple[int, ...]) -> ZeroMatrix:
        """Zeros of this shape."""
        return ZeroMatrix(shape)


def named_arrays(weights: Any, path: str = "") -> Iterator[Leaf]:
    """Every array in nested dicts and lists."""
    if isinstance(weights, np.ndarray):
        yield path, weights
        return
    for name, part in weights.items() if isinstance(weights, dict) else enumerate(weights):
        yield from named_arrays(part, f"{path}.{name}".lstrip("."))


def total(found: list[Leaf]) -> int:
    """Number of numbers in these arrays."""
    return sum(array.size for _, array in found)


def part_row(name: str, found: list[Leaf], of: int) -> tuple[Cell, ...]:
    """One line of the table: how many sublayers hold these arrays, the size of each if they are alike, the sum."""
    holders: dict[str, int] = defaultdict(int)
    for path, array in found:
        holders[path.rpartition(".")[0]] += array.size
    sizes = set(holders.values())
    return (
        name,
        len(holders),
        sizes.pop() if len(sizes) == 1 else None,
        total(found),
        100 * total(found) / of,
    )


def nudge_effects(model: Model, rng: np.random.Generator, heads: int) -> dict[str, float]:
    """How far the logits of a small network move when one of its arrays is nudged, for each of them."""
    small = init.encoder_decoder(rng, vocabulary=8, d_model=4 * heads, d_ff=8 * heads, layers=1)
    source, target = np.array([[1, 2, 3]]), np.array([[4, 5, 6, 7]])
    before = model.encoder_decoder(source, target, small, heads)
    moved = {}
    for path, array in named_arrays(small):
        original = array.copy()
        array += NUDGE * rng.choice((-1.0, 1.0), array.shape)
        moved[path] = float(np.abs(model.encoder_decoder(source, target, small, heads) - before).max())
        array[...] = original
    return moved


def against_the_paper(count: int, d_model: int) -> Statement:
    """A statement on whether the base model's count rounds to the paper's number of millions."""
    short = PRINTED * 1_000_000 - count
    return Statement(
        "reaches-the-paper",
        f"The count comes to the {PRINTED} million that the paper prints.",
        f"{count:,} parameters are {count / 1e6:.2f} million: {abs(short) / 1e6:.2f} million "
        f"{'less' if short > 0 else 'more'}, as much as {abs(short) / d_model:,.0f} words of the embedding.",
        holds=round(count / 1e6) == PRINTED,
        value=count / 1e6,
        source="D4",
    )


def run(
    model: Model,
    *,
    d_model: Annotated[int, Param("width of a token", at_least=1, at_most=1_000_000)] = 512,
    layers: Annotated[int, Param("encoder layers, and as many decoder layers", at_least=1, at_most=1000)] = 6,
    d_ff: Annotated[int, Param("width of the hidden layer in the feed-forward", at_least=1, at_most=1_000_000)] = 2048,
    vocabulary: Annotated[int, Param("how many words the shared embedding knows", at_least=1, at_most=10**9)] = 37_000,
    heads: Annotated[int, Param("heads that share the width", at_least=1, at_most=64)] = 8,
    seed: Seed = 0,
) -> Result:
    """The encoder–decoder at the paper's size, its arrays counted; and a small one, to see which arrays have a say.

    The embedding is shared by both towers and the output, as in the paper. Projections have no biases.
    """
    needed = 8.0 * layers * (12 * d_model + 2 * d_ff)  # biases and norms; matrices are blanks
    require_memory(needed, f"--layers {layers} --d-model {d_model} --d-ff {d_ff}", "Give smaller ones.")
    d_k = model.split_heads(np.broadcast_to(0.0, (1, d_model)), heads).shape[-1]
    blanks = cast(np.random.Generator, ZeroGenerator())
    everything = list(named_arrays(init.encoder_decoder(blanks, vocabulary, d_model, d_ff, layers)))

    vectors = [leaf for leaf in everything if leaf[1].ndim == 1]
    biases, norms = ([leaf for leaf in vectors if ("norm_" in leaf[0]) == of_norm] for of_norm in (False, True))
    embedding = [leaf for leaf in everything if leaf[0] == "embedding"]
    attention = [leaf for leaf in everything if "attention" in leaf[0]]
    encoder, decoder = ([leaf for leaf in attention if leaf[0].startswith(tower)] for tower in ("encoder", "decoder"))
    feed_forward = [leaf for leaf in everything if "feed_forward" in leaf[0] and leaf[1].ndim == 2]
    projections = [leaf for leaf in everything if leaf[0].endswith(PROJECTIONS)]
    count = total(everything)

    moved = nudge_effects(model, np.random.default_rng(seed), heads)
    others = [far for path, far in moved.items() if not path.endswith(PROJECTIONS)]
    silent = [path for path, far in moved.items() if not far > 0]
    learned_too = sum(far > 0 for far in others)

    return Result(
        (
            table(
                "count",
                f"{layers} + {layers} layers, d_model {d_model}, {heads} heads of {d_k}, d_ff {d_ff}, "
                f"{vocabulary:,} words",
                ("part", "sublayers", "each", "parameters", Column("share", 2, "%")),
                (
                    part_row("attention, encoder", encoder, count),
                    part_row("attention, decoder", decoder, count),
                    part_row("feed-forward, matrices", feed_forward, count),
                    part_row("feed-forward, biases", biases, count),
                    part_row("norms", norms, count),
                    ("embedding", None, None, total(embedding), 100 * total(embedding) / count),
                    ("together", None, None, count, 100.0),
                ),
            ),
            *([against_the_paper(count, d_model)] if (d_model, layers, d_ff) == BASE else []),
            Statement(
                "more-in-feed-forward",
                "Attention gives the paper its name, but the feed-forward has more of the parameters.",
                f"Attention has {total(attention):,} ({100 * total(attention) / count:.1f} % of all), the matrices of "
                f"the feed-forward {total(feed_forward):,} ({100 * total(feed_forward) / count:.1f} %); together "
                f"{total(attention + feed_forward):,}.",
                holds=total(feed_forward) > total(attention),
                value=total(attention) / count,
                source="D4",
            ),
            Statement(
                "only-projections",
                "W_Q, W_K and W_V are the only thing that training learns.",
                f"They are {total(projections):,} of {count:,} parameters, {100 * total(projections) / count:.1f} %. "
                f"In a small network {learned_too} of the {len(others)} other arrays change the logits when nudged, "
                "so the loss has a slope in them as well.",
                holds=learned_too == 0,
                value=total(projections) / count,
                source="D2",
            ),
            Statement(
                "all-have-a-say",
                "Every array that is counted has a say in the output.",
                f"In a small network of the same kind, 1 + 1 layers, {len(moved) - len(silent)} of {len(moved)} arrays "
                f"change the logits when nudged{', but not ' + listed(silent) if silent else ''}.",
                holds=not silent,
            ),
            QUOTED,
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
