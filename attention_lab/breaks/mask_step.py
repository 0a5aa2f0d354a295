"""Breaks of the step at which a mask is applied, of fully masked rows, and of an unused mask."""

from attention_lab.breaks.mask_value import MASKED
from attention_lab.breaks.record import Break, becomes
from attention_lab.breaks.scale import NORMALISED, SCALED

IF_MASKED = f"if mask is not None:\n        {MASKED}"  # with the line above it, as they stand in the model

MASK_STEP = (
    Break(
        name="mask-scaled",
        part="mask step",
        patches=becomes(
            f"{SCALED}\n    {IF_MASKED}",
            "if mask is not None:\n"
            "    scores = scores + np.where(checked(mask), 0, -20)  # mask\n"
            "scores = scores / query.shape[-1] ** 0.5  # scale",
        ),
        why="A finite penalty is added to the scores, and everything that was added is scaled.",
        watch="The weight of a hidden key, as d_k grows.",
        consequence="−20 becomes −20 / √d_k: −10 at d_k = 4, only −2.5 at 64, and a hidden key is heard.",
        source="D2, mask fill; NVIDIA/TransformerEngine#103",
        hints=(
            "Print the weights that should be 0, at d_k = 4 and at 64.",
            "The wider the keys, the more weight what is hidden gets.",
            "Look at the order of the steps, and at what is added before which.",
        ),
        demo="causal",
        up=(
            "future-mass",
            "future-mass-huge",
            "hidden-scores",
            "padding-mass",
            "decoder-mass",
            "future-influence",
            "target-future",
            "padding-influence",
            "encoder-padding",
            "cache",
            "cache-pieces",
        ),
        still=("sharpness", "masked-row-sums", "nan"),
    ),
    Break(
        name="mask-after-softmax",
        part="mask step",
        patches=becomes(
            f"{IF_MASKED}\n    {NORMALISED}",
            "weights = softmax(scores)  # normalise\n"
            "if mask is not None:\n"
            "    weights = weights * checked(mask)  # mask",
        ),
        why="What must be 0 is set to 0, at the place where one sees it.",
        watch="The sum of a masked row.",
        consequence="No weight leaks, but rows sum to less than 1, and hidden keys still decide by how much.",
        source="D3, masks; lucidrains/memory-compressed-attention#2",
        hints=(
            "Add up a row under a mask.",
            "Hidden weights are 0, yet visible ones are as small as if nothing were hidden.",
            "Who shared out the 1, and when?",
        ),
        demo="causal",
        up=(
            "hidden-scores",
            "masked-row-sums",
            "future-influence",
            "target-future",
            "padding-influence",
            "encoder-padding",
            "cache",
            "cache-pieces",
        ),
        still=("future-mass", "future-mass-huge", "row-sums"),
    ),
    Break(
        name="mask-renormalised",
        part="mask step",
        patches=becomes(
            f"{IF_MASKED}\n    {NORMALISED}",
            "weights = softmax(scores)  # normalise\n"
            "if mask is not None:\n"
            "    weights = weights * checked(mask)  # mask\n"
            "    weights = weights / weights.sum(axis=-1, keepdims=True)  # share out again",
        ),
        why="Hidden weights are removed, and what is left is shared out again: the first denominator cancels.",
        watch="A row whose hidden scores lie 750 above the visible ones.",
        consequence="With ordinary scores no fault at all; where a hidden score is huge, 0 is shared out: 0 / 0.",
        source="D3, masks; abisee/pointer-generator#88",
        hints=(
            "With ordinary numbers nothing is wrong. Make a hidden score extreme.",
            "Rows sum to 1, and a hidden key has no say, until it is so far ahead that nothing is left for others.",
            "What was the largest score, when the first softmax was taken?",
        ),
        demo="masking",
        lost=("future-mass-huge",),
        still=("future-mass", "masked-row-sums", "hidden-scores"),
    ),
    Break(
        name="mask-renormalised-eps",
        part="mask step",
        patches=becomes(
            f"{IF_MASKED}\n    {NORMALISED}",
            "weights = softmax(scores)  # normalise\n"
            "if mask is not None:\n"
            "    weights = weights * checked(mask)  # mask\n"
            "    weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-13)  # share out again",
        ),
        why="Hidden weights are removed, and what is left is shared out again, with a guard against 0 / 0.",
        watch="The sum of a masked row whose hidden scores lead by 30.",
        consequence="Ordinary hidden scores give the weights of −∞. Where a hidden score leads by 30, a row with two "
        "visible keys sums to 0.65; where it leads by 35, to 0.01.",
        source="D3, masks; abisee/pointer-generator#88",
        hints=(
            "Ordinary numbers show nothing. Make a hidden score lead by 30.",
            "Rows under a mask sum to less than 1.",
            "What stands beside the sum in the last denominator?",
        ),
        demo="masking",
        up=("masked-row-sums",),
        still=("hidden-scores", "future-mass"),
    ),
    Break(
        name="mask-inf-in-weights",
        part="mask step",
        patches=becomes(
            f"{IF_MASKED}\n    {NORMALISED}",
            "weights = softmax(scores)  # normalise\n"
            "if mask is not None:\n"
            "    weights = np.where(checked(mask), weights, -np.inf)  # mask",
        ),
        why="The right fill at the wrong step: −∞ is a score and never a weight.",
        watch="How many outputs are finite.",
        consequence="Every row with something to hide is ∞ or NaN; only rows that see everything are numbers.",
        source="D3, masks; huggingface/pytorch-image-models#2236",
        hints=(
            "Count the outputs that are finite.",
            "Weights are −∞. What are weights supposed to be?",
            "Softmax would have turned the fill into 0.",
        ),
        demo="causal",
        up=("future-mass", "future-mass-huge", "masked-row-sums", "padding-mass", "decoder-mass", "nan"),
        lost=(
            "hidden-scores",
            "future-influence",
            "past-influence",
            "target-future",
            "padding-influence",
            "source-influence",
            "encoder-padding",
            "memory-reach",
            "places",
            "cache",
            "cache-pieces",
            "cache-left-over",
            "cache-branches",
        ),
        still=("row-sums", "sharpness", "blind-row"),
    ),
    Break(
        name="blind-rows-nan",
        part="mask step",
        patches=becomes(MASKED, "scores = np.where(mask, scores, -np.inf)  # mask"),
        why="Nobody thinks of a row that may see nothing, until a sentence is empty.",
        watch="A sentence of nothing but padding.",
        consequence="−∞ − (−∞) is NaN: one empty row, and the loss of the whole batch is gone.",
        source="D3, masks; pytorch/pytorch#41508",
        hints=(
            "Every mask with something to see is right.",
            "Give it a sentence of padding alone.",
            "A softmax over no key does not exist. Who says so?",
        ),
        demo="padding",
        lost=("blind-row",),
        still=("future-mass", "padding-mass", "nan"),
    ),
    Break(
        name="blind-rows-mean",
        part="mask step",
        patches=becomes(MASKED, "scores = np.where(mask, scores, -1e9)  # mask"),
        why="A finite fill has no NaN, which looks like a repair.",
        watch="A sentence of nothing but padding: all its scores are equal.",
        consequence="A row that may see nothing gets the plain average of all it must not see, and no error tells.",
        source="D2, mask fill; D3, masks; microsoft/onnxruntime#28958",
        hints=(
            "Every mask with something to see is right.",
            "Give it a row that may see nothing: it answers.",
            "What is the softmax of equal scores, however low?",
        ),
        demo="masking",
        down=("blind-row",),
        still=("future-mass", "future-mass-huge", "nan"),
    ),
    Break(
        name="mask-ignored",
        part="mask step",
        patches=becomes(MASKED, "np.where(checked(mask), scores, -np.inf)  # mask"),
        why="np.where, like masked_fill, returns a new array; here nobody takes it.",
        watch="The output with a mask and without one: the same.",
        consequence="The mask is accepted, checked and forgotten: every token sees every other.",
        source="D3, masks; facebookresearch/ParlAI#3068, huggingface/transformers#35162",
        hints=(
            "Compare the output with a mask to that without one.",
            "A mask changes nothing at all.",
            "A result is computed. Who uses it?",
        ),
        demo="causal",
        up=(
            "future-mass",
            "future-mass-huge",
            "hidden-scores",
            "padding-mass",
            "decoder-mass",
            "future-influence",
            "target-future",
            "padding-influence",
            "encoder-padding",
            "cache",
            "cache-pieces",
        ),
        down=("mask-effect",),
        still=("masked-row-sums", "furthest-ahead", "blind-row"),
    ),
)
