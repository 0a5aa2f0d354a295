"""Padding: sentences of different length share a batch, and a mask keeps what fills them up out of the softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from attention_lab import weights
from attention_lab.demo import Param, Seed
from attention_lab.errors import BadInput
from attention_lab.result import Column, Matrix, Note, Result, Statement, matrix, table
from attention_lab.text import ids_of, sentence_tokens
from attention_lab.variants import Model, attempt, record_calls

Array = NDArray[np.floating]
Mask = NDArray[np.bool_]
Ids = NDArray[np.integer]

PAD, FILLER, D_MODEL, D_FF, H = 0, "<pad>", 16, 64, 2
NO_ID = -1  # a loss that ignores this id ignores nothing
WRONG_AXIS, OPPOSITE = "wrong axis, queries that are words", "True taken for blocked"
ZEROED, AGAIN = "zeroed after softmax", "zeroed, then shared out again"


def padded_batch(texts: tuple[str, ...]) -> tuple[list[tuple[str, ...]], Ids]:  # -> B sentences of T tokens, ids (B, T)
    """Sentences filled up to the longest. Raises BadInput when there is nothing to fill up."""
    sentences = [sentence_tokens(text) for text in texts]
    T = max(len(sentence) for sentence in sentences)
    if all(len(sentence) == T for sentence in sentences):
        raise BadInput(
            f"{'The only' if len(texts) == 1 else 'Every'} --text has {T} words, so nothing is padded.",
            'Give sentences of different length: --text "the cat sat" --text "it sat".',
        )
    filled = [sentence + (FILLER,) * (T - len(sentence)) for sentence in sentences]
    every = (FILLER, *(token for sentence in filled for token in sentence))  # the filler first: its id is PAD
    return filled, np.array(ids_of(every, first=PAD)[1:]).reshape(-1, T)


def attention_weights(  # (B, Tq, d_model), (B, Tk, d_model) -> (B, h, Tq, Tk)
    model: Model, x: Array, source: Array, heads: weights.Weights, mask: Mask | None = None
) -> Array:
    """The weights of multi-head attention. Raises ValueError unless each sentence and head has a Tq × Tk map."""
    _, calls = record_calls(model, ("attention",), lambda twin: twin.multi_head(x, source, **heads, h=H, mask=mask))
    seen: Array = calls[0].result[1]
    expected = len(x), H, x.shape[1], source.shape[1]
    if seen.shape != expected:
        raise ValueError(f"weights of shape {list(seen.shape)} in place of {list(expected)}")
    return seen


def measured_statement(name: str, claim: str, measure: Callable[[], tuple[str, bool]], source: str = "D3") -> Statement:
    """A statement from a measurement; if the model refuses it, the statement fails with the model's reason."""
    found, refused = attempt(measure)
    measured, holds = found or (f"Asked to show it, {refused}.", False)
    return Statement(name, claim, measured, holds, source=source)


def weights_by_way(
    model: Model, x: Array, heads: weights.Weights, plain: Array, is_word: Mask, mask: Mask
) -> dict[str, Array]:
    """The weights (1, h, Tq, T) of one padded sentence (1, T, d_model), plain, under the model's mask, under misuses.

    NaN where the model refuses.
    """

    def or_nan(query: Array, mask: Mask) -> Array:
        seen, _ = attempt(lambda: attention_weights(model, query, x, heads, mask))
        return np.full((1, H, query.shape[1], x.shape[1]), np.nan) if seen is None else seen

    zeroed = plain * is_word
    along_queries = is_word[is_word][:, np.newaxis]
    return {
        "no mask": plain,
        "key padding": or_nan(x, mask),
        WRONG_AXIS: or_nan(x[:, is_word], along_queries),
        ZEROED: zeroed,
        AGAIN: zeroed / zeroed.sum(axis=-1, keepdims=True),
        OPPOSITE: or_nan(x, ~is_word[np.newaxis]),
    }


def mask_picture(seen: Array | None, mask: Mask, tokens: tuple[str, ...]) -> tuple[Matrix, ...]:
    """Head 1 of (1, h, T, T) under a decoder mask (1, 1, T, T); where there are no weights, the mask; else nothing."""
    T = len(tokens)
    if mask.shape != (1, 1, T, T):
        return ()
    if seen is None:
        return (matrix("decoder-mask", "The shortest sentence: 1 = may attend", mask[0, 0], tokens, tokens, digits=0),)
    allowed = mask[0, 0] | (seen[0, 0] != 0)  # a cell that got weight is shown, allowed or not
    title = "The shortest sentence under the decoder's mask, head 1"
    return (matrix("decoder-weights", title, seen[0, 0], tokens, tokens, mask=allowed),)


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
    sentences, ids = padded_batch(text)
    B, T = ids.shape
    is_word = ids != PAD
    embedding, layer = weights.embedding(rng, int(ids.max()) + 1, D_MODEL), weights.encoder_layer(rng, D_MODEL, D_FF)
    heads = layer["attention"]
    x = model.embed(ids, embedding)
    other_x = np.where(is_word[..., np.newaxis], x, rng.standard_normal(x.shape))  # something else in the padding
    network = weights.encoder_decoder(rng, int(ids.max()) + 1, D_MODEL, D_FF, 1)

    padding, causal = model.padding_mask(ids, PAD), model.causal_mask(T)[np.newaxis, np.newaxis]
    decoder = model.decoder_mask(ids, PAD)

    shortest = int(is_word.sum(axis=-1).argmin())
    one, words_only = slice(shortest, shortest + 1), is_word[shortest]
    plain, refused = attempt(lambda: attention_weights(model, x[one], x[one], heads))
    if plain is None:
        claim = "Every head of every sentence has a map of T queries by T keys."
        return Result((Statement("maps", claim, f"Asked for one, {refused}.", holds=False, source="D3"),))
    in_decoder, decoder_refused = attempt(lambda: attention_weights(model, x[one], x[one], heads, decoder[one]))
    ways = weights_by_way(model, x[one], heads, plain, words_only, padding[one])
    leaked = {way: float(seen[..., ~words_only].sum(axis=-1).mean()) for way, seen in ways.items()}
    total = {way: float(seen.sum(axis=-1).mean()) for way, seen in ways.items()}

    def both() -> tuple[str, bool]:
        if in_decoder is None:
            return f"Under it {decoder_refused}.", False
        differ = int((decoder != (causal & padding)).sum())
        on_padding = in_decoder[..., ~words_only].sum(axis=-1).mean()
        seen = f"Shape {list(decoder.shape)}; {differ} cells differ from the two taken together, and a row gives "
        seen += f"padding {on_padding:.4f} of its weight on average."
        return seen, bool(decoder.shape == (B, 1, T, T) and differ == 0 and on_padding == 0)

    def wrong_axis() -> tuple[str, bool]:
        along_queries = words_only[np.newaxis, np.newaxis, :, np.newaxis]
        _, refused = attempt(lambda: attention_weights(model, x[one], x[one], heads, along_queries))
        if np.isnan(leaked[WRONG_AXIS]):
            return "Words alone, asking the whole sentence under it, get no weights.", False
        seen = f"Words give padding {leaked[WRONG_AXIS]:.4f} of their weight; the padded queries, which may attend to "
        seen += f"nothing, are {'refused' if refused else 'let through'}."
        return seen, bool(leaked[WRONG_AXIS] > 0 and refused)

    def only_padding() -> tuple[str, bool]:
        mask = model.padding_mask(np.full((1, T), PAD), PAD)
        _, refused = attempt(lambda: attention_weights(model, x[one], x[one], heads, mask))
        return f"Given one, {refused or 'the model raises no error'}.", bool(refused)

    def alone() -> tuple[str, bool]:
        in_batch = model.encoder_decoder(ids, ids, network, H, PAD)[shortest, words_only]
        short = ids[one, words_only]
        apart = np.abs(in_batch - model.encoder_decoder(short, short, network, H, PAD)[0]).max()
        seen = f"Through encoder and decoder, the largest difference in those of the shortest sentence is {apart:.1g}."
        return seen, bool(apart < 1e-9)

    def padded_queries() -> tuple[str, bool]:
        logits = [model.encoder_layer(vectors, layer, H, padding) @ embedding.T for vectors in (x, other_x)]
        over_words, over_all = (
            abs(np.diff([model.cross_entropy(some, ids, ignored) for some in logits]))[0] for ignored in (PAD, NO_ID)
        )
        seen = f"With other vectors in the padding the mean loss over words moves by {over_words:.4f} nats, over all "
        return seen + f"positions by {over_all:.4f}.", bool(over_words < 1e-9 < over_all)

    inverted = leaked[OPPOSITE]
    return Result(
        (
            Note(
                "batch",
                f"{B} sentences make a rectangle of ids, {B} × {T}. The shortest has {words_only.sum()} words; the "
                f"other {T - words_only.sum()} places hold {FILLER}, at which no query may look.",
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
            *mask_picture(in_decoder, decoder[one], sentences[shortest]),
            measured_statement(
                "both", "The decoder's mask is causal and padding mask in one: a T × T square for each sentence.", both
            ),
            table(
                "ways",
                "The shortest sentence: what a row gives padding, and what it sums to",
                ("mask", Column("weight on padding", 4), Column("row sum", 4)),
                ((way, leaked[way], total[way]) for way in ways),
            ),
            measured_statement(
                "wrong-axis",
                "A padding mask along the queries' axis hides nothing from the words, and blinds the padded queries.",
                wrong_axis,
            ),
            Statement(
                "zeroed",
                "Weights zeroed after the softmax no longer sum to 1.",
                f"Rows sum to {total[ZEROED]:.4f} on average; shared out again, to {total[AGAIN]:.4f}.",
                holds=bool(abs(total[ZEROED] - 1) > 1e-4),
                value=total[ZEROED],
                source="D3",
            ),
            measured_statement(
                "only-padding",
                "A sentence of nothing but padding is refused: a softmax over no key does not exist.",
                only_padding,
            ),
            table(
                "conventions",
                "What True means in a boolean mask",
                ("function", "True means"),
                (
                    ("attention, this model", "may attend" if inverted > 0.5 else "blocked"),
                    ("torch scaled_dot_product_attention", "may attend"),
                    ("torch nn.MultiheadAttention", "blocked"),
                    ("jax.nn.dot_product_attention", "may attend"),
                    ("keras.ops.dot_product_attention", "may attend"),
                ),
            ),
            measured_statement(
                "opposite",
                "A mask handed to a function that means the opposite by True puts all weight on padding, unnoticed.",
                lambda: (
                    f"Inverted, the same mask gives padding {inverted:.4f}, and rows sum to {total[OPPOSITE]:.4f}.",
                    inverted > 0.9999,
                ),
            ),
            measured_statement(
                "alone", "A sentence gets the same logits alone as in a batch with longer ones.", alone, source=""
            ),
            measured_statement(
                "padded-queries",
                "What comes out at a padded position does not matter, as long as the loss leaves it out.",
                padded_queries,
            ),
        )
    )


if __name__ == "__main__":
    from attention_lab.cli import run_as_script

    run_as_script(__file__)
