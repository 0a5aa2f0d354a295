"""Breaks of the scale: by what the scores are divided before softmax."""

from attention_lab.breaks.record import Break, becomes

SCALED = "scores = scores / query.shape[-1] ** 0.5  # scale"

SCALE = (
    Break(
        name="no-scale",
        part="scale",
        patches=becomes(SCALED, "pass  # no scale"),
        why="The formula works without it on the small example it was tried on.",
        watch="The largest weight, as d_k grows.",
        consequence="At d_k = 512 one key takes everything and no gradient gets through; at 8 training does not care.",
        source="D0, break 1; mlc-ai/mlc-llm#3426, ethen8181/machine-learning#13",
        hints=(
            "Compare the weights at d_k = 4 with those at d_k = 512.",
            "The entropy falls as d_k grows: the scores grow with it.",
            "Dot products spread by √d_k, and nothing takes that back.",
        ),
        demo="scaling",
        up=("temperature", "head-temperature", "largest-4", "largest-64", "largest-512", "tiling"),
        down=("entropy-4", "entropy-64", "entropy-512", "gradient"),
        still=("row-sums", "permutation"),
    ),
)
