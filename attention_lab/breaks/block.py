"""Breaks of the block: residuals, where the norms stand, and the feed-forward layer."""

from attention_lab.breaks.record import Break, becomes
from attention_lab.variants import Patch

ATTENTION = 'multi_head(x, x, **layer["attention"], h=h, mask=mask)'
FORWARD = 'feed_forward(x, **layer["feed_forward"])'
FINAL = f'return layer_norm(x + {FORWARD}, **layer["norm_2"])'
ENCODER = f'x = layer_norm(x + {ATTENTION}, **layer["norm_1"])\n    {FINAL}'

NORM_1, NORM_2 = ('normed = layer_norm(x, **layer["norm_1"])', 'normed = layer_norm(x, **layer["norm_2"])')
PRE_ATTENTION = 'x = x + multi_head(normed, normed, **layer["attention"], h=h, mask=mask)'
PRE_FORWARD = 'return x + feed_forward(normed, **layer["feed_forward"])'

HIDDEN = "hidden = np.maximum(x @ w_in + b_in, 0)"
PROPOSED = "return hidden @ w_out + b_out"

BLOCK = (
    Break(
        name="no-residual",
        part="block",
        patches=becomes(
            ENCODER, f'x = layer_norm({ATTENTION}, **layer["norm_1"])\nreturn layer_norm({FORWARD}, **layer["norm_2"])'
        ),
        why="Layers feed into each other; that each one only proposes a change is easily forgotten.",
        watch="What a layer does to a token when its sublayers propose nothing.",
        consequence="Each layer replaces the tokens: after a few they are all alike, and no gradient tells them apart.",
        source="D0, the block",
        hints=(
            "Set the sublayers' last weights to zero and send a token through.",
            "Nothing of the token is left.",
            "x + f(x), or f(x)?",
        ),
        demo="block",
        up=("residual-post",),
        still=("stream", "residual", "order-seen", "encoder-padding"),
    ),
    Break(
        name="no-residual-pre-norm",
        part="block",
        patches=(
            Patch(PRE_ATTENTION, PRE_ATTENTION.replace("= x +", "=")),
            Patch(PRE_FORWARD, PRE_FORWARD.replace("return x +", "return")),
        ),
        why="Layers feed into each other; that each one only proposes a change is easily forgotten.",
        watch="What a block does to a token when its sublayers propose nothing.",
        consequence="Each block replaces the tokens instead of adding to them. Token and position can still be read "
        "off after one block; they fade over the next few.",
        source="D2, pre-norm block",
        hints=(
            "Set the sublayers' last weights to zero and send a token through.",
            "Nothing of the token is left.",
            "x + f(x), or f(x)?",
        ),
        demo="block",
        up=("residual", "branch-input", "cache", "cache-pieces"),
        still=("residual-post", "future-influence", "past-influence", "places"),
    ),
    Break(
        name="residual-of-normed",
        part="block",
        patches=(
            Patch(PRE_ATTENTION, PRE_ATTENTION.replace("= x +", "= normed +")),
            Patch(PRE_FORWARD, PRE_FORWARD.replace("return x +", "return normed +")),
        ),
        why="x is overwritten by its norm before the sublayer, and the sum then takes what is there.",
        watch="What a block does to a token when its sublayers propose nothing.",
        consequence="The path that runs past all blocks is cut: every block norms the tokens, and gradients go through "
        "all norms.",
        source="D2, pre-norm block",
        hints=(
            "Set the sublayers' last weights to zero and send a token through.",
            "It comes out normed.",
            "To what is the change added?",
        ),
        demo="block",
        up=("residual", "branch-input", "cache", "cache-pieces"),
        still=("residual-post", "future-influence", "norm-neighbour", "places"),
    ),
    Break(
        name="no-norm",
        part="block",
        patches=becomes(ENCODER, f"x = x + {ATTENTION}\nreturn x + {FORWARD}"),
        why="On one layer it makes little difference, and the shapes do not need it.",
        watch="The size of the tokens after each of six layers.",
        consequence="Tokens grow from layer to layer, and the loss of a deep stack with them.",
        source="D0, the block",
        hints=(
            "Measure the tokens' size after each layer.",
            "It grows.",
            "What brings a token back to size 1?",
        ),
        demo="block",
        up=("stream",),
        still=("residual-post", "norm-deviation", "branch-input", "order-seen"),
    ),
    Break(
        name="no-norm-pre-norm",
        part="block",
        patches=(Patch(NORM_1, "normed = x"), Patch(NORM_2, "normed = x")),
        why="On one block it makes little difference, and the shapes do not need it.",
        watch="How a block's change grows when its input does.",
        consequence="What a block proposes grows with what it reads, so sums grow faster with every block.",
        source="D2, pre-norm block",
        hints=(
            "Send in ten times the token and compare the changes.",
            "The change grows with the token.",
            "What should stand between the sum and the sublayer?",
        ),
        demo="block",
        up=("branch-input", "cache", "cache-pieces"),
        still=("residual", "stream", "norm-deviation", "future-influence"),
    ),
    Break(
        name="norm-of-change",
        part="block",
        patches=becomes(
            ENCODER,
            f'x = x + layer_norm({ATTENTION}, **layer["norm_1"])\nreturn x + layer_norm({FORWARD}, **layer["norm_2"])',
        ),
        why="x + norm(f(x)) and norm(x + f(x)) are the same words in another order.",
        watch="The size of the tokens after a layer.",
        consequence="Another design, the res-post-norm of Swin V2 and OLMo 2: every change has size 1, and the "
        "residual stream is never normed. The paper norms the sum, which is asked for here.",
        source="D0, the block",
        hints=(
            "Measure the tokens' size after each layer.",
            "It grows, by the same amount for small proposals and large ones.",
            "Where does the bracket close?",
        ),
        demo="block",
        up=("stream",),
        still=("residual-post", "norm-deviation", "branch-input", "order-seen"),
    ),
    Break(
        name="no-relu",
        part="block",
        patches=becomes(HIDDEN, "hidden = x @ w_in + b_in"),
        why="Two products and two biases give the right shape without it.",
        watch="f(x) + f(−x) against 2 f(0).",
        consequence="Two linear steps are one: the widest layer of the model does no more than a single matrix.",
        source="D0, the block",
        hints=(
            "Compare what the feed-forward layer makes of x and of −x.",
            "It is a straight line.",
            "What stands between the two products?",
        ),
        demo="block",
        down=("bend",),
        still=("dead-feed-forward", "feed-forward-neighbour", "residual", "stream"),
    ),
    Break(
        name="relu-on-output",
        part="block",
        patches=(
            Patch(HIDDEN, "hidden = x @ w_in + b_in"),
            Patch(PROPOSED, f"return np.maximum({PROPOSED.removeprefix('return ')}, 0)"),
        ),
        why="An activation follows a layer, so it was put after the last one.",
        watch="The signs of what the feed-forward layer proposes.",
        consequence="It can only add to a feature, never take away, and half of what it computes is thrown away.",
        source="D0, the block",
        hints=(
            "Look at the signs of what the feed-forward layer proposes.",
            "None is negative.",
            "Between the two products, or after both?",
        ),
        demo="block",
        down=("signs",),
        still=("bend", "dead-feed-forward", "feed-forward-neighbour", "residual"),
    ),
    Break(
        name="no-feed-forward-bias",
        part="block",
        patches=becomes(HIDDEN, "hidden = np.maximum(x @ w_in, 0)"),
        why="Untrained biases are 0, so nothing changes when one is left out.",
        watch="What happens when b_in is another one: nothing.",
        consequence="Every untrained number is right; all hidden features bend at 0, and a loaded b_in does nothing.",
        source="D4, parameters",
        hints=(
            "Look at parameters that nobody has trained yet.",
            "One of four has no effect.",
            "A summand of 0 is not missed.",
        ),
        demo="parameters",
        up=("dead-feed-forward",),
        still=("bend", "signs", "stream", "cache"),
    ),
    Break(
        name="feed-forward-reshaped",
        part="block",
        patches=becomes(
            HIDDEN,
            "*batch, T, d_model = x.shape\n"
            "x = np.swapaxes(x.reshape(*batch, d_model, T), -1, -2)  # channels first, and back\n"
            f"{HIDDEN}",
        ),
        why="A convolution wants (d_model, T) and was given it by a reshape.",
        watch="A token's feed-forward output when another token changes.",
        consequence="Features of several tokens are mixed, later ones too: the future leaks past every mask.",
        source="D0, the block",
        hints=(
            "Change one token and look at the others after the feed-forward layer.",
            "They move.",
            "A reshape is no transpose.",
        ),
        demo="network",
        up=(
            "future-influence",
            "target-future",
            "padding-influence",
            "encoder-padding",
            "feed-forward-neighbour",
            "cache",
            "cache-pieces",
        ),
        still=("future-mass", "dead-feed-forward", "norm-neighbour", "residual"),
    ),
)
