"""Padding: sentences of different length share a batch, and a mask keeps what fills them up out of the softmax."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed
from attention_lab.errors import BadInput
from attention_lab.result import Column, Note, Result, Statement, matrix, table
from attention_lab.text import ids_of, words
from attention_lab.variants import Model, watched

Array = NDArray[np.floating]
Mask = NDArray[np.bool_]
Ids = NDArray[np.integer]

PAD, FILLER, D_MODEL, D_FF, H = 0, "<pad>", 16, 64, 2
NO_ID = -1  # a loss that ignores this id ignores nothing


def batch_of(texts: tuple[str, ...]) -> tuple[list[tuple[str, ...]], Ids]:  # -> B sentences of T tokens, ids (B, T)
    """Sentences filled up to the longest. Raises BadInput when there is nothing to fill up."""
    sentences = [words(text) for text in texts]
    T = max(len(sentence) for sentence in sentences)
    if all(len(sentence) == T for sentence in sentences):
        raise BadInput(
            f"{'The only' if len(texts) == 1 else 'Every'} --text has {T} words, so nothing is padded.",
            'Give sentences of different length: --text "the cat sat" --text "it sat".',
        )
    filled = [sentence + (FILLER,) * (T - len(sentence)) for sentence in sentences]
    every = (FILLER, *(token for sentence in filled for token in sentence))  # the filler first: its id is PAD
    return filled, np.array(ids_of(every, first=PAD)[1:]).reshape(-1, T)


def attended(  # (B, Tq, d_model), (B, Tk, d_model) -> (B, h, Tq, Tk)
    model: Model, x: Array, source: Array, heads: weights.Weights, mask: Mask | None = None
) -> Array:
    """The weights of multi-head attention."""
    _, calls = watched(model, ("attention",), lambda twin: twin.multi_head(x, source, **heads, h=H, mask=mask))
    seen: Array = calls[0].result[1]
    return seen


def answer(model: Model, x: Array, heads: weights.Weights, mask: Mask) -> tuple[bool, str]:
    """Whether the model refuses to attend under this mask, and what it says."""
    try:
        with np.errstate(invalid="ignore"):  # a model that does not look first computes −∞ − −∞
            attended(model, x, x, heads, mask)
    except ValueError as reason:
        return True, f'the model says "{reason}"'
    return False, "the model raises no error"


def ways_to_hide(model: Model, x: Array, heads: weights.Weights, is_word: Mask, mask: Mask) -> dict[str, Array]:
    """The weights (1, h, Tq, T) of one padded sentence (1, T, d_model), under its mask (1, 1, 1, T) and its misuses."""
    n = int(is_word.sum())
    unmasked = attended(model, x, x, heads)
    zeroed = unmasked * is_word
    return {
        "no mask": unmasked,
        "key padding": attended(model, x, x, heads, mask),
        "wrong axis, queries that are words": attended(model, x[:, :n], x, heads, np.swapaxes(mask, -1, -2)[:, :, :n]),
        "zeroed after softmax": zeroed,
        "zeroed, then shared out again": zeroed / zeroed.sum(axis=-1, keepdims=True),
        "True taken for blocked": attended(model, x, x, heads, ~mask),
    }


def run(
    model: Model,
    *,
    text: Annotated[tuple[str, ...], Param("a sentence of the batch; give two or more, of different length")] = (
        "the animal was too tired",
        "it sat down",
    ),
    seed: Seed = 0,
) -> Result:
    """Sentences of different length in one batch: three masks, their shapes, and what goes wrong with them.

    B sentences, T tokens in each once they are filled up; S is T seen from the keys' side. Two heads, d_model 16,
    untrained weights. What other libraries mean by True is quoted from their reference pages.
    """
    rng = np.random.default_rng(seed)
    sentences, ids = batch_of(text)
    B, T = ids.shape
    is_word = ids != PAD
    embedding, layer = weights.embedding(rng, int(ids.max()) + 1, D_MODEL), weights.encoder_layer(rng, D_MODEL, D_FF)
    heads = layer["attention"]
    x = model.embed(ids, embedding)

    padding, causal = model.padding_mask(ids, PAD), model.causal_mask(T)[np.newaxis, np.newaxis]
    decoder = model.decoder_mask(ids, PAD)

    shortest = int(is_word.sum(axis=-1).argmin())
    one, tokens, on_padding = slice(shortest, shortest + 1), sentences[shortest], ~is_word[shortest]
    in_decoder = attended(model, x[one], x[one], heads, decoder[one])[0, 0]
    ways = ways_to_hide(model, x[one], heads, is_word[shortest], padding[one])
    leaked = {way: float(seen[..., on_padding].sum(axis=-1).mean()) for way, seen in ways.items()}
    total = {way: float(seen.sum(axis=-1).mean()) for way, seen in ways.items()}
    repaired = np.abs(ways["zeroed, then shared out again"] - ways["key padding"]).max()

    sideways_refused, sideways_answer = answer(model, x, heads, np.swapaxes(padding, -1, -2))
    empty_refused, empty_answer = answer(model, x[one], heads, model.padding_mask(np.full((1, T), PAD), PAD))

    other_x = np.where(is_word[..., np.newaxis], x, rng.standard_normal(x.shape))  # something else in the padding
    logits = [model.encoder_layer(vectors, layer, H, padding) @ embedding.T for vectors in (x, other_x)]
    over_words, over_all = (
        abs(np.diff([model.cross_entropy(one, ids, ignored) for one in logits]))[0] for ignored in (PAD, NO_ID)
    )

    words_only = slice(int(is_word[shortest].sum()))
    network = weights.encoder_decoder(rng, int(ids.max()) + 1, D_MODEL, D_FF, 1)
    in_batch = model.encoder_decoder(ids, ids, network, H, PAD)[shortest, words_only]
    by_itself = model.encoder_decoder(ids[one, words_only], ids[one, words_only], network, H, PAD)[0]
    apart = np.abs(in_batch - by_itself).max()

    return Result(
        (
            Note(
                "batch",
                f"{B} sentences make a rectangle of ids, {B} × {T}. The shortest has {T - on_padding.sum()} words; the "
                f"other {on_padding.sum()} places hold {FILLER}, at which no query may look.",
            ),
            table(
                "masks",
                "Three masks, True = may attend; an axis of 1 is repeated as often as needed",
                ("mask", "axes", "shape", "True cells"),
                (
                    ("key padding", "[B, 1, 1, S]", str(list(padding.shape)), padding.sum()),
                    ("causal", "[1, 1, T, T]", str(list(causal.shape)), causal.sum()),
                    ("decoder", "[B, 1, T, T]", str(list(decoder.shape)), decoder.sum()),
                ),
            ),
            matrix(
                "decoder-weights",
                "The shortest sentence under the decoder's mask, head 1",
                in_decoder,
                tokens,
                tokens,
                mask=decoder[shortest, 0] | (in_decoder != 0),  # a cell that got weight is shown, allowed or not
            ),
            Statement(
                "both",
                "The decoder's mask is causal and padding mask in one: a T × T square for each sentence.",
                f"Shape {list(decoder.shape)}; {(decoder != (causal & padding)).sum()} cells differ from the two taken "
                f"together, and padding gets {in_decoder[:, on_padding].sum():.4f} of the weight.",
                holds=bool(
                    decoder.shape == (B, 1, T, T)
                    and np.array_equal(decoder, causal & padding)
                    and in_decoder[:, on_padding].sum() == 0
                ),
                source="D3",
            ),
            table(
                "ways",
                "The shortest sentence: what padding gets, and what a row sums to, on average",
                ("mask", Column("weight on padding", 4), Column("row sum", 4)),
                ((way, leaked[way], total[way]) for way in ways),
            ),
            Statement(
                "wrong-axis",
                "A padding mask along the queries' axis hides nothing from the words, and blinds the padded queries.",
                f"Words give padding {leaked['wrong axis, queries that are words']:.4f} of their weight; for a padded "
                f"query {sideways_answer}.",
                holds=leaked["wrong axis, queries that are words"] > 0 and sideways_refused,
                source="D3",
            ),
            Statement(
                "zeroed",
                "Weights zeroed after the softmax no longer sum to 1, unless they are shared out again.",
                f"Rows sum to {total['zeroed after softmax']:.4f} on average. Shared out again, they differ from "
                f"masked ones by {repaired:.0e} at most.",
                holds=bool(total["zeroed after softmax"] < 0.9999 and repaired < 1e-9),
                value=total["zeroed after softmax"],
                source="D3",
            ),
            Statement(
                "only-padding",
                "A sentence of nothing but padding is refused: a softmax over no key does not exist.",
                f"Given one, {empty_answer}.",
                holds=empty_refused,
                source="D3",
            ),
            table(
                "conventions",
                "What True means in a boolean mask",
                ("function", "True means"),
                (
                    ("attention, this model", "may attend" if leaked["key padding"] < 0.5 else "blocked"),
                    ("torch scaled_dot_product_attention", "may attend"),
                    ("torch nn.MultiheadAttention", "blocked"),
                    ("jax.nn.dot_product_attention", "may attend"),
                    ("keras.ops.dot_product_attention", "may attend"),
                ),
            ),
            Statement(
                "opposite",
                "A mask handed to a function that means the opposite by True puts all weight on padding.",
                f"Inverted, the same mask gives padding {leaked['True taken for blocked']:.4f}, and rows still sum to "
                f"{total['True taken for blocked']:.4f}: no error tells.",
                holds=leaked["True taken for blocked"] > 0.9999,
                value=leaked["True taken for blocked"],
                source="D3",
            ),
            Statement(
                "alone",
                "A sentence gets the same logits alone as in a batch with longer ones.",
                f"Through encoder and decoder, those of the shortest sentence differ by {apart:.0e} at most.",
                holds=bool(apart < 1e-9),
                value=float(apart),
            ),
            Statement(
                "padded-queries",
                "What comes out at a padded position does not matter, as long as the loss leaves it out.",
                f"With other vectors in the padding the mean loss over words moves by {over_words:.4f} nats, over all "
                f"positions by {over_all:.4f}.",
                holds=bool(over_words < 1e-9 < over_all),
                source="D3",
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
