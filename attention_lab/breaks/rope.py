"""Breaks of the rotary positions: bases, signs, pairs, and positions that count from the wrong token."""

from attention_lab.breaks.record import Break, becomes
from attention_lab.variants import Patch

ANGLE = "angle = positions[:, np.newaxis] / base ** (np.arange(0, d_k, 2) / d_k)"
PAIRS = "even, odd = x[..., 0::2], x[..., 1::2]"
TURNED = "return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)"

ROPE = (
    Break(
        name="rope-other-base",
        part="rope",
        patches=becomes(ANGLE, ANGLE.replace("base **", "500000.0 **")),
        why="The line was copied from a model with another base, and the parameter has no say.",
        watch="How far the slowest pair turns from one position to the next.",
        consequence="Every property holds, but distances mean something else than to the weights that were trained.",
        source="D4, RoPE; rasbt/LLMs-from-scratch#407",
        hints=(
            "Ask for another base and see what changes.",
            "The late pairs turn too slowly, whatever base is asked for.",
            "A parameter has no effect.",
        ),
        demo="rope",
        up=("rope-base",),
        still=("rope-shift", "rope-distance", "rope-norm", "rope-start"),
    ),
    Break(
        name="rope-exponent-halved",
        part="rope",
        patches=becomes(ANGLE, ANGLE.replace("np.arange(0, d_k, 2)", "np.arange(d_k // 2)")),
        why="There are d_k / 2 pairs, so one counts to d_k / 2, and the 2 of the formula's 2i is lost.",
        watch="How far the slowest pair turns from one position to the next.",
        consequence="The slowest pair turns as with base 100: far keys look near again; trained weights do not fit.",
        source="D4, RoPE",
        hints=(
            "Look at the last pair.",
            "It turns too fast; the first one is right.",
            "The exponents end at one half, not at one.",
        ),
        demo="rope",
        down=("rope-base",),
        still=("rope-shift", "rope-distance", "rope-norm", "rope-start"),
    ),
    Break(
        name="rope-sign-lost",
        part="rope",
        patches=becomes(TURNED, TURNED.replace("cos - odd", "cos + odd")),
        why="Two lines of a rotation look alike but for one minus.",
        watch="The length of a vector before and after.",
        consequence="It is no rotation any more: lengths change, and scores depend on where, not just how far apart.",
        source="D4, RoPE; RobertCsordas/moeut#6",
        hints=(
            "Measure a vector's length before and after.",
            "Lengths change.",
            "The determinant of a rotation is 1: write the 2 × 2 matrix down.",
        ),
        demo="rope",
        up=("rope-shift", "rope-norm", "rope-base"),
        still=("rope-start", "rope-distance"),
    ),
    Break(
        name="rope-halves-as-pairs",
        part="rope",
        patches=becomes(PAIRS, "even, odd = x[..., : d_k // 2], x[..., d_k // 2 :]"),
        why="Pairs are neighbours in one code base and half a vector apart in another, and half of each was taken.",
        watch="What becomes of a vector at position 0.",
        consequence="Read in halves and written in pairs: scores still know distance only, but the columns are "
        "shuffled and trained weights do not fit.",
        source="D4, RoPE; NeuraLegion/shainet#111, rasbt/LLMs-from-scratch#747",
        hints=(
            "Rotate by an angle of 0.",
            "The columns come out in another order.",
            "Reading and writing follow two conventions.",
        ),
        demo="rope",
        up=("rope-start",),
        still=("rope-shift", "rope-norm", "rope-base", "rope-distance"),
    ),
    Break(
        name="rope-pairing-mixed",
        part="rope",
        patches=(
            Patch(
                ANGLE, "angle = np.repeat(positions[:, np.newaxis] / base ** (np.arange(0, d_k, 2) / d_k), 2, axis=-1)"
            ),
            Patch(PAIRS, "first, second = x[..., : d_k // 2], x[..., d_k // 2 :]"),
            Patch(TURNED, "return x * cos + np.concatenate([-second, first], axis=-1) * sin"),
        ),
        why="The rotation pairs column i with i + d_k / 2, and the angles are laid out for 2i and 2i + 1.",
        watch="The length of a vector before and after.",
        consequence="The two columns of a pair turn by different angles: lengths change, and so do scores of equal "
        "distance.",
        source="D4, RoPE; rasbt/LLMs-from-scratch#747",
        hints=(
            "Measure a vector's length before and after.",
            "The two columns that are turned together have two angles.",
            "repeat gives a a b b, tile gives a b a b.",
        ),
        demo="rope",
        up=("rope-shift", "rope-norm", "rope-base"),
        still=("rope-start", "rope-distance"),
    ),
    Break(
        name="rope-restarts",
        part="rope",
        patches=becomes(ANGLE, ANGLE.replace("positions[", "np.arange(x.shape[-2])[")),
        why="Positions are counted from the array at hand, which is right until one token comes alone.",
        watch="A key at position 3 and one at position 5, each rotated by itself.",
        consequence="Decoding token by token, every token stands at position 0: distance is not known any more.",
        source="D4, RoPE; Blaizzy/mlx-vlm#1983",
        hints=(
            "Rotate one token by itself, at a position that is not 0.",
            "It is not turned at all.",
            "A parameter has no effect.",
        ),
        demo="rope",
        up=("rope-base",),
        down=("rope-distance",),
        still=("rope-shift", "rope-norm", "rope-start"),
    ),
    Break(
        name="rope-half-precision",
        part="rope",
        patches=becomes(ANGLE, ANGLE.replace("= ", "= (", 1) + ").astype(np.float16)"),
        why="The model runs in half precision, and its tables were cast along with its weights.",
        watch="A score at a distance of 4, at positions 7 and 1007.",
        consequence="Angles near 1000 are rounded to halves of a radian: scores of equal distance drift apart with "
        "length.",
        source="D4, RoPE; EleutherAI/gpt-neox#1003",
        hints=(
            "Compare scores of equal distance at small and at large positions.",
            "Small positions are nearly right.",
            "How many digits does an angle of 1000 radians need?",
        ),
        demo="rope",
        up=("rope-shift", "rope-norm"),
        still=("rope-base", "rope-start", "rope-distance"),
    ),
)
