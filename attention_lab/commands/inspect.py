"""`attn-lab inspect`: attention weights of a real model, or its Q and K, from a file: what each head does."""

from __future__ import annotations

from typing import Annotated

from attention_lab.commands.outcome import Outcome
from attention_lab.options import Param
from attention_lab.show.progress import progress_line

GROUP = "what is in it"
ARRAY = Param("the array of a .npz that holds the weights", metavar="NAME", named=True, group=GROUP)
AXES = Param(
    "the axes in order, as 'layer head query key'; of Q and K, token and width are the last two",
    metavar="NAMES",
    named=True,
    group=GROUP,
    default="layer, batch and head, as many as there are, before the last two",
)
LENGTHS = Param("tokens of each sample", in_a_row=True, group=GROUP)


def inspect(
    file: Annotated[str, Param("a .npy or .npz file", metavar="FILE", files=())],
    *,
    array: Annotated[str | None, ARRAY] = None,
    axes: Annotated[str | None, AXES] = None,
    lengths: Annotated[tuple[int, ...], LENGTHS] = (),
    all_heads: Annotated[bool, Param("a row for every head, not for the 20 worst", flag="--all")] = False,
) -> Outcome:
    """Tell what each head of a real model does, from its attention weights, or from its Q and K.

    FILE is a .npy of weights, whose last two axes are query and key, or a .npz: weights (also: attention, attentions,
    attn), or query and key and perhaps value (also: q, k, v). With them may stand what closes keys: mask, True = may
    attend, as the weights or broadcast to them; padding, True = padding, or attention_mask, 1 = a token, both (B, Tk);
    lengths, one for each sample. Nothing in it is ever unpickled.
    """
    from attention_lab.inspection.choice import choose_arrays
    from attention_lab.inspection.files import stored_arrays
    from attention_lab.inspection.heads import heads_in
    from attention_lab.inspection.inspection_page import inspect_heads

    chosen = choose_arrays(file, stored_arrays(file), array)
    heads = heads_in(file, chosen, axes, list(lengths))
    with progress_line(True) as progress:
        return Outcome(inspect_heads(heads, chosen.passed_over, all_heads, progress))
