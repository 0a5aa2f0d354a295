"""Breaks of decoding with a cache: its content, its order, its mask, and its owner."""

from attention_lab.breaks.record import Break, becomes
from attention_lab.variants import Patch

KEY = "key = np.concatenate([past[0], split_heads(x @ w_key, h)], axis=-2)"
VALUE = "value = np.concatenate([past[1], split_heads(x @ w_value, h)], axis=-2)"
MASK = "causal_mask(query.shape[-2], key.shape[-2])"
ATTEND = f"heads, _ = attention(query, key, value, {MASK})"
EMPTY = '[(nothing, nothing) for _ in weights["blocks"]]'
PLACES = 'weights["positions"][start : start + ids.shape[-1]]'
IN_PLACE = Patch(
    """longer = []
    for layer, past in zip(weights["blocks"], cache, strict=True):
        x, past = cached_block(x, layer, h, past)
        longer.append(past)
    return x @ weights["embedding"].T, longer""",
    """for i, layer in enumerate(weights["blocks"]):
    x, cache[i] = cached_block(x, layer, h, cache[i])
return x @ weights["embedding"].T, cache""",
)

CACHE = (
    Break(
        name="cache-without-mask",
        part="cache",
        patches=becomes(ATTEND, "heads, _ = attention(query, key, value)"),
        why="A single new token may see everything there is, so no mask seems to be needed.",
        watch="A prompt of several tokens, against the same without a cache.",
        consequence="Token by token it is right; within a prompt every token sees those after it.",
        source="D4, masked decoding; TransformerLensOrg/TransformerLens#386",
        hints=(
            "Read a prompt at once, and token by token.",
            "One token at a time is right.",
            "Who may see whom among several new tokens?",
        ),
        demo="generation",
        up=("cache-pieces",),
        still=("cache", "future-influence", "cache-growth"),
    ),
    Break(
        name="cache-mask-from-0",
        part="cache",
        patches=becomes(ATTEND, ATTEND.replace(MASK, "causal_mask(key.shape[-2])[: query.shape[-2]]")),
        why="The mask is made once for all lengths, and its first rows are taken.",
        watch="What a single new token sees.",
        consequence="A token decoded alone sees the very first token and nothing else.",
        source="D4, masked decoding; rasbt/LLMs-from-scratch#697",
        hints=(
            "Decode token by token and compare with the whole at once.",
            "The first token is right, and no other.",
            "Which rows of the mask belong to the newest tokens?",
        ),
        demo="generation",
        up=("cache", "cache-pieces"),
        still=("future-influence", "decoding-view", "cache-growth"),
    ),
    Break(
        name="cache-mask-of-new",
        part="cache",
        patches=becomes(ATTEND, ATTEND.replace(MASK, "causal_mask(query.shape[-2])")),
        why="The mask is made for what is read now, as it was before there was a cache.",
        watch="Several tokens after a prompt.",
        consequence="The prompt fits and single tokens fit; two or more tokens after a prompt stop with a shape error.",
        source="D4, masked decoding; TransformerLensOrg/TransformerLens#386",
        hints=(
            "Read a prompt, then two tokens at once.",
            "The mask does not fit the keys.",
            "How many keys are there, new and old?",
        ),
        demo="generation",
        lost=("cache-pieces",),
        still=("cache", "cache-growth", "future-influence"),
    ),
    Break(
        name="cache-overwritten",
        part="cache",
        patches=(Patch(KEY, "key = split_heads(x @ w_key, h)"), Patch(VALUE, "value = split_heads(x @ w_value, h)")),
        why="The new keys and values are kept in place of being added to the old ones.",
        watch="How many keys are kept after each token.",
        consequence="Each token sees only what was read with it, and its position is counted from there.",
        source="D4, masked decoding",
        hints=(
            "Count the keys that are kept.",
            "There are as many as were read last.",
            "What becomes of the past?",
        ),
        demo="generation",
        up=("cache", "cache-pieces"),
        down=("cache-growth",),
        still=("cache-left-over", "cache-branches", "future-influence"),
    ),
    Break(
        name="cache-key-for-value",
        part="cache",
        patches=becomes(VALUE, VALUE.replace("past[1]", "past[0]")),
        why="The line was copied, and one index of two stayed.",
        watch="The second token, decoded alone.",
        consequence="The prompt is right; from the next token on, old keys are blended where old values should be.",
        source="D4, masked decoding",
        hints=(
            "Decode token by token and compare with the whole at once.",
            "The first call is right, and no other; as many keys are kept as should be.",
            "What is kept as a value?",
        ),
        demo="generation",
        up=("cache", "cache-pieces"),
        still=("cache-growth", "cache-branches", "past-influence"),
    ),
    Break(
        name="cache-new-first",
        part="cache",
        patches=(
            Patch(KEY, "key = np.concatenate([split_heads(x @ w_key, h), past[0]], axis=-2)"),
            Patch(VALUE, "value = np.concatenate([split_heads(x @ w_value, h), past[1]], axis=-2)"),
        ),
        why="The order of two arrays in a concatenation is quickly the other one.",
        watch="Several tokens after a prompt.",
        consequence="One token at a time it is right, as it sees all keys in any order; with several the mask hides "
        "the wrong ones.",
        source="D4, masked decoding",
        hints=(
            "Read a prompt, then two tokens at once.",
            "One token at a time is right.",
            "A mask counts on the order of the keys.",
        ),
        demo="generation",
        up=("cache-pieces",),
        still=("cache", "cache-growth", "cache-branches"),
    ),
    Break(
        name="cache-positions-restart",
        part="cache",
        patches=becomes(PLACES, 'weights["positions"][: ids.shape[-1]]'),
        why="Positions are counted from the tokens at hand, which is right for the prompt.",
        watch="The second token, decoded alone.",
        consequence="Every token decoded alone stands at position 0, whatever was said before.",
        source="D4, masked decoding; rasbt/LLMs-from-scratch#697",
        hints=(
            "Decode token by token and compare with the whole at once.",
            "The first call is right, and no other; keys and mask are.",
            "Where does the new token stand?",
        ),
        demo="generation",
        up=("cache", "cache-pieces"),
        still=("places", "cache-growth", "cache-left-over"),
    ),
    Break(
        name="cache-changed-in-place",
        part="cache",
        patches=(IN_PLACE,),
        why="A new list each time looks like waste, as the old one is not needed any more.",
        watch="Two continuations of one prompt.",
        consequence="Trying one continuation spoils the prompt for the next: beam search and shared prompts go wrong.",
        source="D4, masked decoding; ml-explore/mlx-lm#1699",
        hints=(
            "Continue one prompt twice.",
            "The second continuation has heard the first.",
            "Whose list is written to?",
        ),
        demo="generation",
        up=("cache-branches",),
        still=("cache", "cache-pieces", "cache-left-over"),
    ),
    Break(
        name="cache-not-reset",
        part="cache",
        patches=(Patch(f"return {EMPTY}", f'return weights.setdefault("cache", {EMPTY})'), IN_PLACE),
        why="The cache is kept with the model, where nobody thinks of emptying it.",
        watch="One sentence, read twice.",
        consequence="The second sentence hears the first; the first one of all, and every test with one, is right.",
        source="D4, masked decoding",
        hints=(
            "Read one sentence twice, each time from an empty cache.",
            "The second time it is another one.",
            "How empty is the empty cache?",
        ),
        demo="generation",
        up=("cache-left-over", "cache-branches"),
        still=("cache", "cache-pieces", "cache-growth"),
    ),
)
