"""Breaks of the embedding: the positions added to a token, and the scale of the token beside them."""

from attention_lab.breaks.record import Break, becomes
from attention_lab.variants import Patch

TOKENS = "tokens = table[ids] * d_model**0.5"
ADDED = "return tokens + sinusoidal_positions(ids.shape[-1], d_model).astype(table.dtype)"
LEARNED = 'x = weights["embedding"][ids] + weights["positions"][:T]'

EMBEDDING = (
    Break(
        name="no-position",
        part="embedding",
        patches=becomes(ADDED, "return tokens"),
        why="The words stand in order in the array, so their order seems to be known.",
        watch="'cat ate food' and 'food ate cat', word by word.",
        consequence="The encoder sees a bag of words: who ate whom is gone.",
        source="D0, break 2",
        hints=(
            "Turn the sentence round.",
            "Each word's output is the same, wherever the word stands.",
            "One addition is the only notion of order, and it is not there.",
        ),
        demo="order",
        up=("content-share",),
        down=("word-order", "order-seen"),
        still=("permutation", "places", "unit-circle", "future-influence"),
    ),
    Break(
        name="no-learned-position",
        part="embedding",
        patches=becomes(LEARNED, 'x = weights["embedding"][ids]'),
        why="The table of positions is made, saved and loaded; that it is added is easily taken for granted.",
        watch="The logits of one word repeated.",
        consequence="A repeated word is the same everywhere; the causal mask is all that still tells the order.",
        source="D2, the whole network",
        hints=(
            "Feed the network one word, many times.",
            "Its logits are the same at every place.",
            "A table among the weights has no effect.",
        ),
        demo="generation",
        up=("cache", "cache-pieces"),
        down=("places",),
        still=("order-seen", "word-order", "future-influence", "past-influence"),
    ),
    Break(
        name="positions-over-batch",
        part="embedding",
        patches=becomes(
            ADDED, "return tokens + sinusoidal_positions(ids.shape[0], d_model)[:, np.newaxis].astype(table.dtype)"
        ),
        why="The code was written for (T, B), where the first axis is time.",
        watch="One sentence twice in a batch: both must be embedded alike.",
        consequence="Each sentence has one code for all its words: no order, and its place in the batch is noise.",
        source="D0, positional encoding; cmu-l3/anlp-fall2025-code#1",
        hints=(
            "Put one sentence twice into a batch.",
            "Its two copies are embedded differently, and the words within each are not.",
            "The codes vary along the wrong axis.",
        ),
        demo="order",
        up=("content-share", "sample-position"),
        down=("word-order", "order-seen"),
        still=("unit-circle", "similarity", "sample-influence", "token-size"),
    ),
    Break(
        name="positions-of-ids",
        part="embedding",
        patches=becomes(ADDED, "return tokens + sinusoidal_positions(len(table), d_model)[ids].astype(table.dtype)"),
        why="Two tables are looked up, and the words' ids are at hand for both.",
        watch="One word at two places.",
        consequence="Each word carries a fixed code along: something is added, and the order is as unknown as before.",
        source="D0, positional encoding",
        hints=(
            "Embed one word at two places.",
            "A code is added, and it does not depend on the place.",
            "The codes are numbered by something else than the place.",
        ),
        demo="order",
        up=("content-share",),
        down=("word-order", "order-seen"),
        still=("unit-circle", "closest-positions", "sample-position", "token-size"),
    ),
    Break(
        name="no-embedding-scale",
        part="embedding",
        patches=becomes(TOKENS, "tokens = table[ids]"),
        why="The formula of the positions is remembered, and the small print before it is not.",
        watch="How large a word is, and how large its position.",
        consequence="Before training the position drowns the word: the same place looks more alike than the same word.",
        source="D3, embedding; OpenNMT/OpenNMT-py#1722",
        hints=(
            "Measure the length of a word's vector, and of its position's.",
            "The position is the larger one.",
            "A row of the table has a length of about 1, a code √(d_model / 2).",
        ),
        demo="trace",
        down=("content-share", "token-size"),
        still=("word-order", "order-seen", "unit-circle"),
    ),
    Break(
        name="scale-after-sum",
        part="embedding",
        patches=(
            Patch(TOKENS, "tokens = table[ids]"),
            Patch(
                ADDED,
                "return (tokens + sinusoidal_positions(ids.shape[-1], d_model).astype(table.dtype)) * d_model**0.5",
            ),
        ),
        why="The sum is what the layers get, so the sum is what is multiplied.",
        watch="How large a word is beside its position.",
        consequence="Both grow, so the position still drowns the word, and what the layers add hardly counts at first.",
        source="D3, embedding",
        hints=(
            "Measure the length of a word's vector, and of its position's.",
            "The position is the larger one, and both are large.",
            "A factor meant for one of two was given to both.",
        ),
        demo="trace",
        up=("token-size",),
        down=("content-share",),
        still=("word-order", "order-seen", "unit-circle"),
    ),
)
