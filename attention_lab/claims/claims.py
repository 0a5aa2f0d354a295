"""The testable claims of the documents, in their order, and the demo statements that decide each one.

Records hold no verdicts: a record names statements of demos, and `ledger.py` runs these and computes the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Experiment:
    """A demo and its options, by parameter name. Claims with equal experiments share one run."""

    demo: str
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Evidence:
    """A statement of an experiment. `when` is its condition, such as "d_k is 4", if a claim has several."""

    experiment: Experiment
    statement: str
    when: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence that `documents` state, with a name and its evidence.

    An empty `sentence` stands for the claim of the first evidence's statement.
    """

    name: str
    documents: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    sentence: str = ""


def see(demo: str, statement: str, when: str = "", **options: Any) -> Evidence:
    """The evidence of a demo's statement, of its run with these options."""
    return Evidence(Experiment(demo, tuple(options.items())), statement, when)


def claim(documents: str, name: str, *evidence: Evidence, says: str = "") -> Claim:
    """A claim of these documents, "D0 D2"."""
    return Claim(name, tuple(documents.split()), evidence, says)


LENGTHS = (128, 256, 512, 1024, 2048)  # without D4's 4096, which takes as long as all others together
TWO_LENGTHS = (1024, 2048)

EXPLAINED_AS_A_PROGRAM = (
    claim("D0", "always-answers", see("lookup", "always-answers")),
    claim("D0", "blend", see("lookup", "blend")),
    claim("D0", "dict-in-the-limit", see("lookup", "dict-in-the-limit")),
    claim(
        "D0",
        "soft-dict",
        see("lookup", "one-length", "all keys are of one length"),
        see("lookup", "any-keys", "keys are of any length"),
        says="A dict is what attention becomes when the query is sharp enough: each key finds its own entry.",
    ),
    claim(
        "D0",
        "rnn-forgets",
        see("recurrence", "lossy", "the recurrent weights shrink what they hand on", radius=(0.9,)),
        see("recurrence", "lossy", "some of them stretch it"),
        says="An RNN loses the first token, update by update.",
    ),
    claim("D0 D2", "one-step", see("recurrence", "one-step")),
    claim(
        "D0 D4",
        "takes-everything",
        see("saturation", "one-has-the-say", "d_k is 4", d_k=4, keys=10),
        see("saturation", "one-has-the-say", "d_k is 512", d_k=512, keys=10, queries=500),
        says="Without ÷ √d_k one weight takes everything; with it, many keys have a say.",
    ),
    claim("D0", "one-winner", see("scaling", "one-winner")),
    claim(
        "D0 D2 D4",
        "scale-decides",
        see("consequences", "scale-wide", "d_k is 128"),
        see("consequences", "scale-narrow", "d_k is 8"),
        says="÷ √d_k decides whether the model trains: without it, it does not learn in the same steps.",
    ),
    claim(
        "D0 D3 D4",
        "std-of-1",
        see("scaling", "on-average", "it is averaged over many draws"),
        see("scaling", "one-draw", "a single draw of ten scores is looked at"),
        says="Dividing by √d_k brings the scores of every d_k to a standard deviation of about 1.",
    ),
    claim(
        "D0",
        "gradient-dead",
        see("saturation", "all-dead", "d_k is 64"),
        see("saturation", "all-dead", "d_k is 16384", d_k=16384, keys=10, queries=100),
        says="Without ÷ √d_k the gradient is dead.",
    ),
    claim("D0 D2 D3", "no-wider", see("heads", "no-wider")),
    claim("D0", "same-work", see("heads", "same-work")),
    claim("D0 D2", "bag-of-words", see("order", "bag-of-words")),
    claim("D0", "positions-tell", see("order", "positions-tell")),
    claim(
        "D0",
        "positions-alone-tell",
        see("order", "bag-of-words", "no key is masked"),
        see("order", "mask-tells", "there is a causal mask"),
        says="Positions are the only notion of order: without them, the two orders cannot be told apart.",
    ),
    claim("D0", "order-is-not-learned", see("consequences", "no-order")),
    claim("D0 paper", "codes-computed", see("positions", "computed")),
    claim("D0", "unit-clocks", see("positions", "unit-clocks")),
    claim("D0", "fingerprint", see("positions", "fingerprint")),
    claim("D0", "first-row", see("causal", "first-row")),
    claim("D0 D4", "causal-rows-sum", see("causal", "rows-sum")),
    claim("D0 D4", "future-zero", see("causal", "future-zero")),
    claim("D0 D3", "mask-hides", see("masking", "model")),
    claim("D0", "zero-leaks", see("masking", "zero-leaks")),
    claim("D0", "flipped-mask-looks-learned", see("consequences", "future-read")),
    claim("D0", "zero-looks-learned", see("consequences", "zero-for-mask")),
    claim("D0", "residual", see("block", "residual")),
    claim("D0 D3", "norm-per-token", see("block", "norm-per-token")),
    claim("D0", "one-by-one", see("block", "one-by-one")),
    claim("D0", "layers-stack", see("block", "same-shape")),
    claim("D0 D2", "deep-stack-learns", see("depth", "whole-learns")),
    claim("D0", "residuals-needed", see("depth", "residual")),
    claim("D0", "norms-needed", see("depth", "norm")),
)

THE_SPIDERS_WEB = (
    claim("D2", "own-columns", see("heads", "own-columns")),
    claim(
        "D2",
        "own-slice",
        see("heads", "own-columns", "what is sliced are queries, keys and values"),
        see("heads", "own-features", "what is sliced is the token"),
        says="Each head reads its own slice.",
    ),
    claim("D2", "distance-free", see("recurrence", "distance-free")),
    claim("D2", "minus-1e9", see("masking", "minus-1e9")),
    claim("D2 D3", "encoder-sees-all", see("patterns", "encoder-sees-all")),
    claim("D2 D3", "decoder-no-future", see("patterns", "decoder-no-future")),
    claim("D2 D3", "cross-reaches-all", see("patterns", "cross-reaches-all")),
    claim("D2 D3", "post-against-pre", see("block", "post-against-pre")),
    claim("D2", "shape-stays", see("network", "same-shape")),
    claim("D2", "no-peeking", see("network", "no-peeking")),
    claim(
        "D2",
        "only-projections",
        see("network", "only-projections", "the network is decoder-only, as in D2"),
        see("parameters", "only-projections", "it is an encoder–decoder, as in the paper"),
        says="W_Q, W_K and W_V are the only thing that training learns.",
    ),
)

EXPLAINED_FROM_THE_GROUND_UP = (
    claim("D3", "by-pencil", see("worked", "by-pencil")),
    claim("D3", "no-score-no-exclusion", see("worked", "no-score-no-exclusion")),
    claim("D3", "rows-not-columns", see("worked", "rows-not-columns")),
    claim("D3", "equal-scores", see("worked", "equal-scores")),
    claim("D3", "raise-one", see("worked", "raise-one")),
    claim("D3", "block-one", see("worked", "block-one")),
    claim("D3", "word-is-louder", see("positions", "word-is-louder")),
    claim("D3", "equivariance", see("order", "equivariance")),
    claim("D3", "row-per-query", see("patterns", "row-per-query")),
    claim("D3", "softmax-stable", see("saturation", "stable")),
    claim("D3", "scale-assumes", see("scaling", "assumptions")),
    claim("D3", "w-o-mixes", see("heads", "w-o-mixes")),
    claim("D3", "causal-and-padding", see("padding", "both")),
    claim("D3", "wrong-axis", see("padding", "wrong-axis")),
    claim(
        "D3",
        "zeroed-afterwards",
        see("masking", "zeroed-afterwards", "what is hidden is the future"),
        see("padding", "zeroed", "what is hidden is padding"),
        says="Weights zeroed after softmax no longer sum to 1.",
    ),
    claim("D3", "no-key", see("masking", "no-key")),
    claim("D3", "only-padding", see("padding", "only-padding")),
    claim("D3", "padded-queries", see("padding", "padded-queries")),
    claim("D3", "opposite-masks", see("padding", "opposite")),
    claim("D3", "dropout-share", see("dropout", "share")),
    claim("D3", "dropout-off", see("dropout", "off")),
    claim("D3", "next-token", see("loss", "next-token")),
    claim("D3", "padding-uncounted", see("loss", "padding")),
    claim("D3", "loss-stable", see("loss", "huge")),
    claim("D3", "only-attention-carries", see("trace", "only-attention")),
    claim("D3", "encoder-hears-all", see("trace", "encoder-hears-all")),
    claim("D3", "past-and-source", see("trace", "decoder-past-and-source")),
    claim("D3", "same-width", see("trace", "same-width")),
    claim("D3", "shifted-right", see("training", "shifted")),
    claim("D3", "logits-shape", see("training", "shape")),
    claim("D3", "next-token-unseen", see("training", "unseen")),
    claim("D3", "padding-owes-nothing", see("training", "padding")),
    claim("D3", "one-step-of-adam", see("training", "one-step")),
    claim("D3", "batch-by-heart", see("training", "by-heart")),
)

HOW_ATTENTION_ACTUALLY_WORKS = (
    claim("D4", "sentence-rows-sum", see("sentence", "rows-sum")),
    claim("D4", "untrained-noise", see("sentence", "noise")),
    claim("D4", "sentence-no-future", see("sentence", "no-future")),
    claim("D4", "shared-out", see("causal", "shared-out")),
    claim("D4", "last-alone", see("causal", "alone")),
    claim("D4", "too-large", see("saturation", "too-large")),
    claim("D4", "one-has-the-say", see("saturation", "one-has-the-say")),
    claim("D4", "certain-is-dead", see("saturation", "certain-is-dead")),
    claim("D4", "matrix-grows", see("cost", "matrix-grows", n=LENGTHS)),
    claim(
        "D4",
        "printed-sizes",
        see("cost", "matrix-grows", "its numbers are float32", n=LENGTHS),
        see("cost", "printed-sizes", "they are float64, as in the script that is printed", n=LENGTHS),
        says="The weight matrix takes 0.1, 0.3, 1.0, 4.2 and 16.8 MB for n from 128 to 2048.",
    ),
    claim("D4", "times-four", see("cost", "times-four", n=LENGTHS)),
    claim("D4", "one-more-token", see("cost", "one-more-token", n=LENGTHS)),
    claim("D4", "cached-same-tokens", see("generation", "same-tokens")),
    claim("D4", "each-token-once", see("generation", "each-token-once")),
    claim("D4", "cache-saves-time", see("generation", "time-saved")),
    claim("D4", "cache-price", see("generation", "price")),
    claim("D4", "more-in-feed-forward", see("parameters", "more-in-feed-forward")),
    claim("D4", "reaches-65-million", see("parameters", "reaches-the-paper")),
    claim("D4", "rope-distance-only", see("rope", "distance-only")),
    claim("D4", "rope-any-length", see("rope", "any-length")),
    claim(
        "D4",
        "rope-decays",
        see("rope", "decays-on-average", "query and key are alike and distances are averaged"),
        see("rope", "decays-steadily", "each distance is compared with the next"),
        see("rope", "decays-for-all", "query and key have nothing to do with each other"),
        says="With RoPE, influence decays with distance.",
    ),
    claim("D4", "flash-same-output", see("flash", "same-output", n=TWO_LENGTHS)),
    claim("D4", "flash-never-stored", see("flash", "never-stored", n=TWO_LENGTHS)),
    claim("D4", "meaning-is-learned", see("pronoun", "learned", seeds=2)),
    claim("D4", "one-word-decides", see("pronoun", "one-word", seeds=2)),
    claim("D4", "row-answers", see("pronoun", "row-answers", seeds=2)),
    claim("D4", "readable-map", see("pronoun", "readable", seeds=2)),
)

THE_PAPER = (
    claim("paper", "codes-distance-only", see("positions", "distance-only")),
    claim("paper D4", "base-model", see("parameters", "paper")),
    claim(
        "paper D4",
        "translates",
        see("parameters", "paper"),
        says="It reaches BLEU 28.4 from English to German and 41.8 to French, after 3.5 days on 8 P100 GPUs.",
    ),
)

CLAIMS = (
    *EXPLAINED_AS_A_PROGRAM,
    *THE_SPIDERS_WEB,
    *EXPLAINED_FROM_THE_GROUND_UP,
    *HOW_ATTENTION_ACTUALLY_WORKS,
    *THE_PAPER,
)
