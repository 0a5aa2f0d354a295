"""Breaks of dropout: when it is active, its rate, and the scaling of the kept numbers."""

from attention_lab.breaks.record import Break, becomes

ENLARGED = "return x * kept.astype(x.dtype) / (1 - rate)"

DROPOUT = (
    Break(
        name="dropout-in-evaluation",
        part="dropout",
        patches=becomes("if not training:", "if rate == 0:"),
        why="The rate is passed on, and whether one trains is not asked.",
        watch="Two calls outside training, on the same input.",
        consequence="Answers differ from call to call and are worse than the model is; every evaluation is noisy.",
        source="D3, block; karpathy/nanoGPT#240",
        hints=(
            "Ask twice, outside training.",
            "Numbers are missing, other ones each time.",
            "What should switch it off?",
        ),
        demo="dropout",
        up=("dropout-evaluation",),
        still=("dropout-mean", "dropout-share"),
    ),
    Break(
        name="dropout-not-enlarged",
        part="dropout",
        patches=becomes(ENLARGED, "return x * kept.astype(x.dtype)"),
        why="Dropping is what it is called; that the rest has to make up for it is not in the name.",
        watch="The mean before and after, in training.",
        consequence="Layers see larger sums when evaluated than in training: by 1 / (1 − rate) at each dropout.",
        source="D3, block; AkiRusProd/numpy-transformer@b968a6e",
        hints=(
            "Compare the mean before and after.",
            "It falls by the share that was dropped.",
            "What is kept must stand in for what is not.",
        ),
        demo="dropout",
        down=("dropout-mean",),
        still=("dropout-share", "dropout-evaluation"),
    ),
    Break(
        name="dropout-keeps-rate",
        part="dropout",
        patches=becomes("kept = rng.random(x.shape) >= rate", "kept = rng.random(x.shape) < rate"),
        why="Older libraries ask for the share to keep, and drawing numbers below the rate reads like dropping.",
        watch="The share of zeros.",
        consequence="A rate of 0.1 drops nine tenths; at 0.5 nothing shows.",
        source="D3, block",
        hints=(
            "Count the zeros at a rate that is not one half.",
            "What should be dropped is kept.",
            "Which side of the rate?",
        ),
        demo="dropout",
        up=("dropout-share",),
        down=("dropout-mean",),
        still=("dropout-evaluation",),
    ),
    Break(
        name="dropout-divided-by-rate",
        part="dropout",
        patches=becomes(ENLARGED, "return x * kept.astype(x.dtype) / rate"),
        why="A correction by the rate is remembered, and that it is the rate of keeping is not.",
        watch="The mean before and after, in training.",
        consequence="A rate of 0.1 makes what is kept ten times as large; at 0.5 nothing shows.",
        source="D3, block",
        hints=(
            "Compare the mean before and after, at a rate that is not one half.",
            "It grows.",
            "Divided by the share that went, or by the share that stayed?",
        ),
        demo="dropout",
        up=("dropout-mean",),
        still=("dropout-share", "dropout-evaluation"),
    ),
)
