"""`attn-lab inspect`: attention weights of a real model, or its Q and K, from a file: what each head does."""

from __future__ import annotations

import shlex
from argparse import Namespace
from dataclasses import replace

from attention_lab.commands.output import add_views, check_views, show
from attention_lab.options import Parser, named, parser_for
from attention_lab.show.progress import progress_line
from attention_lab.text import option_words

DESCRIPTION = """What each head of a real model does, from its attention weights, or from its Q and K.

FILE is a .npy of weights, whose last two axes are query and key, or a .npz: weights (also: attention, attentions,
attn), or query and key and perhaps value (also: q, k, v). With them may stand what closes keys: mask, True = may
attend, as the weights or broadcast to them; padding, True = padding, or attention_mask, 1 = a token, both (B, Tk);
lengths, one for each sample. Nothing in it is ever unpickled."""


def parser() -> Parser:
    """The command line of `attn-lab inspect`."""
    it = parser_for("attn-lab inspect", DESCRIPTION)
    it.add_argument("file", metavar="FILE", type=named, help="a .npy or .npz file")
    what = it.add_argument_group("what is in it")
    what.add_argument("--array", metavar="NAME", type=named, help="the array of a .npz that holds the weights")
    what.add_argument(
        "--axes",
        metavar="NAMES",
        type=named,
        help="the axes in order, as 'layer head query key' (default: layer, batch and head, as many as there are, "
        "before the last two); of Q and K, token and width are the last two",
    )
    what.add_argument("--lengths", metavar="N", type=int, nargs="+", default=[], help="tokens of each sample")
    it.add_argument("--all", action="store_true", help="a row for every head, not for the 20 worst")
    add_views(it)
    return it


def command_of(arguments: Namespace) -> str:
    """The command that gives this page again."""
    words = ["attn-lab", "inspect", arguments.file]
    for flag in ("array", "axes"):
        value = getattr(arguments, flag)
        words += option_words(f"--{flag}", value) if value is not None else []
    words += ["--lengths", *map(str, arguments.lengths)] if arguments.lengths else []
    return shlex.join([*words, *(["--all"] if arguments.all else [])])


def inspect(words: list[str]) -> None:
    """Tell what each head in a file does."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    from attention_lab.inspection.choice import choose_arrays
    from attention_lab.inspection.files import stored_arrays
    from attention_lab.inspection.heads import heads_in
    from attention_lab.inspection.inspection_page import inspect_heads as inspected

    chosen = choose_arrays(arguments.file, stored_arrays(arguments.file), arguments.array)
    heads = heads_in(arguments.file, chosen, arguments.axes, arguments.lengths)
    with progress_line(True) as progress:
        result = inspected(heads, chosen.passed_over, arguments.all, progress)
    show(replace(result, command=command_of(arguments)), arguments)
