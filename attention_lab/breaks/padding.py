"""Breaks of the padding mask: the meaning of True, the id, the axis, the sentence."""

from attention_lab.breaks.mask_value import MASKED
from attention_lab.breaks.record import Break, becomes

PADDING = "return (ids != pad)[:, np.newaxis, np.newaxis, :]"
BOTH = "return causal_mask(ids.shape[-1]) & padding_mask(ids, pad)"

PADDING_MASK = (
    Break(
        name="padding-inverted",
        part="padding",
        patches=becomes(PADDING, "return (ids == pad)[:, np.newaxis, np.newaxis, :]"),
        why="A padding mask says where the padding is, so True is padding.",
        watch="The weight of the padded keys: all of it.",
        consequence="Every word is hidden and only padding is heard; a sentence without padding is refused.",
        source="D3, conventions; nyu-mll/jiant#465",
        hints=(
            "Look at which keys have weight in a padded sentence.",
            "Words have none, padding has all of it.",
            "True = may attend. Who may be attended to?",
        ),
        demo="padding",
        up=("padding-mass", "hidden-words", "encoder-padding"),
        lost=(
            "decoder-mass",
            "target-future",
            "padding-influence",
            "source-influence",
            "encoder-reach",
            "memory-reach",
            "order-seen",
        ),
        still=("future-mass", "furthest-ahead", "future-influence"),
    ),
    Break(
        name="padding-wrong-id",
        part="padding",
        patches=becomes(PADDING, "return (ids != 1)[:, np.newaxis, np.newaxis, :]"),
        why="Vocabularies disagree on which id is padding: 0 here, 1 elsewhere.",
        watch="The word that has this id: it is never heard.",
        consequence="Padding is heard, and one real word is not.",
        source="D3, training step",
        hints=(
            "Look at the weight of padded keys.",
            "Padding is heard, and one word of the vocabulary is not.",
            "Which id is hidden?",
        ),
        demo="padding",
        up=("padding-mass", "hidden-words", "decoder-mass", "padding-influence", "encoder-padding"),
        still=("masked-row-sums", "future-mass", "nan"),
    ),
    Break(
        name="padding-along-queries",
        part="padding",
        patches=becomes(PADDING, "return (ids != pad)[:, np.newaxis, :, np.newaxis]"),
        why="Both axes are T long, so the new axis fits on either side.",
        watch="The shape: (B, 1, T, 1) where it should be (B, 1, 1, T).",
        consequence="Padded queries may see nothing and are refused; padded keys would be heard by all others.",
        source="D3, masks; hyunwoongko/transformer#40",
        hints=(
            "Print the shape of the padding mask.",
            "Rows are hidden where columns should be.",
            "Padding is to be hidden as what: as a query, or as a key?",
        ),
        demo="padding",
        lost=(
            "padding-mass",
            "hidden-words",
            "decoder-mass",
            "target-future",
            "padding-influence",
            "source-influence",
            "encoder-padding",
        ),
        still=("future-mass", "furthest-ahead", "future-influence"),
    ),
    Break(
        name="padding-missing-axis",
        part="padding",
        patches=becomes(PADDING, "return (ids != pad)[:, np.newaxis, :]"),
        why="(B, 1, Tk) is right until heads put an axis in between.",
        watch="A batch of as many sentences as there are heads: head i takes the mask of sentence i.",
        consequence="An error, or with B = h none: then heads take each other's sentences for their own.",
        source="D3, masks; lucidrains/vit-pytorch#71, lucidrains/graph-transformer-pytorch#2",
        hints=(
            "Print the shape of the padding mask beside that of the scores.",
            "It fails, except where the batch has as many sentences as the layer has heads, or only one.",
            "NumPy lines up axes from the end.",
        ),
        demo="padding",
        lost=(
            "padding-mass",
            "decoder-mass",
            "target-future",
            "padding-influence",
            "source-influence",
            "encoder-padding",
            "encoder-reach",
            "memory-reach",
            "order-seen",
        ),
        still=("future-mass", "furthest-ahead", "future-influence"),
    ),
    Break(
        name="mask-tiled",
        part="padding",
        patches=becomes(
            MASKED,
            "if mask.ndim == 4:\n"
            "    B, h = scores.shape[:2]\n"
            "    mask = np.tile(mask[:, 0], (h, 1, 1)).reshape(B, h, *mask.shape[2:])\n"
            f"{MASKED}",
        ),
        why="Batch and heads are flattened to one axis, and masks repeated as a block: b₀ b₁ b₀ b₁, not b₀ b₀ b₁ b₁.",
        watch="Sentences of different length in one batch; with B = 1 nothing is wrong.",
        consequence="Some heads of a sentence get another sentence's mask: padding is heard, words are hidden.",
        source="D3, heads; ArrowLuo/CLIP4Clip#22",
        hints=(
            "One sentence by itself is right. Try two of different length.",
            "In some heads the wrong keys are hidden: those of another sentence.",
            "In which order do (B, h) lie behind each other?",
        ),
        demo="padding",
        up=("padding-mass", "decoder-mass", "padding-influence", "encoder-padding"),
        still=("future-mass", "batch-influence", "masked-row-sums"),
    ),
    Break(
        name="decoder-mask-or",
        part="padding",
        patches=becomes(BOTH, "return causal_mask(ids.shape[-1]) | padding_mask(ids, pad)"),
        why="Where True means blocked, masks are joined by or; where it means allowed, by and.",
        watch="Future words, and the padding of the past.",
        consequence="A key is hidden only if it is padding and in the future: the decoder reads ahead.",
        source="D3, masks; jadore801120/attention-is-all-you-need-pytorch#217",
        hints=(
            "Print the decoder's mask of a sentence without padding.",
            "Causal and padding masks are each right; what is made of both is not.",
            "May attend: if one of them allows it, or if both do?",
        ),
        demo="padding",
        up=("decoder-mass", "target-future"),
        still=("future-mass", "padding-mass", "future-influence"),
    ),
)
