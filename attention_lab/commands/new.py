"""`attn-lab new FILE`: a file to work on by hand. `check` judges it; demos and breaks run on it with `--with FILE`."""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from collections.abc import Sequence

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.commands.output import add_views, check_views, check_writable, show
from attention_lab.commands.variant import find_break
from attention_lab.draws import ranked
from attention_lab.errors import BadInput, BadPatch
from attention_lab.kept_files import write_file
from attention_lab.options import Parser, named, parser_for
from attention_lab.result import Note, Result
from attention_lab.source_text import skeleton
from attention_lab.text import count
from attention_lab.variants import Source, model_source, source

DESCRIPTION = """Write a file to work on by hand. Without an option it is a skeleton: signatures and shapes, for you to
write the bodies; what you have not written yet comes from the model."""


def parser() -> Parser:
    """The command line of `attn-lab new`."""
    it = parser_for("attn-lab new", DESCRIPTION)
    it.add_argument("file", metavar="FILE", type=named, help="the file to write")
    kinds = it.add_argument_group("what it holds").add_mutually_exclusive_group()
    kinds.add_argument("--solved", action="store_true", help="the whole model, to break")
    kinds.add_argument("--broken", metavar="NAME", type=named, help="the model with this fault, to repair")
    kinds.add_argument("--mystery", metavar="SEED", type=int, help="the model with a fault chosen by the seed, to find")
    it.add_argument("--faults", metavar="N", type=int, default=1, help="how many faults a mystery has (default 1)")
    it.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    add_views(it)
    return it


def without_clues(text: str) -> str:
    """The text without what could tell a changed line from its neighbours: comments in bodies, and lines of pass."""
    lines = (line.partition("  # ")[0] if line.startswith(" ") else line for line in text.splitlines())
    return "\n".join(line for line in lines if line.strip() != "pass") + "\n"


def applied(text: Source, name: str) -> Source:
    """The source with one more break of the catalogue."""
    for patch in find_break(name).patches:
        text = text.patched(patch)
    return text


def mystery_faults(breaks: Sequence[Break], seed: int) -> list[Break]:
    """The faults among these breaks in the order in which a mystery with this seed takes them."""
    return ranked((entry for entry in breaks if not entry.harmless), "mystery", seed)


def mystery(seed: int, faults: int) -> str:
    """The model with so many faults, drawn by the seed. The same seed gives the same file."""
    text, taken = source(), 0
    for fault in mystery_faults(BREAKS, seed):
        if taken == faults:
            break
        try:
            text = applied(text, fault.name)
        except BadPatch:  # its line has gone with a fault taken before
            continue
        taken += 1
    return without_clues(text.model)


def step_after(arguments: Namespace) -> str:
    """What to do with the file."""
    file = arguments.file if not arguments.file.startswith("-") else f"./{arguments.file}"
    check, signs = shlex.join(("attn-lab", "check", file)), shlex.join(("attn-lab", "break", "--with", file))
    if arguments.mystery is not None or arguments.broken is not None:
        return f"{check} --watch; its vital signs: {signs}"
    if arguments.solved:
        return f"change a line, then {signs}; does anybody see which it was? {check}"
    return f"write softmax, then {check} --watch; its vital signs: {signs}"


def new(words: list[str]) -> None:
    """Write a file to work on by hand."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    check_writable(arguments.file)
    if arguments.mystery is not None and arguments.mystery < 0:
        raise BadInput(f"--mystery is {arguments.mystery}.", "It must be at least 0.")
    if not 1 <= arguments.faults <= 3:
        raise BadInput(f"--faults is {arguments.faults}.", "It must be at least 1 and at most 3.")
    if arguments.faults > 1 and arguments.mystery is None:
        raise BadInput("--faults is for a mystery.", "Add --mystery SEED.")
    if os.path.exists(arguments.file) and not arguments.force:
        raise BadInput(f"{arguments.file} exists already.", "Name another file, or overwrite it with --force.")
    if arguments.mystery is not None:
        text, holds = mystery(arguments.mystery, arguments.faults), f"a model with {count(arguments.faults, 'fault')}"
    elif arguments.broken is not None:
        text, holds = applied(source(), arguments.broken).model, f"the model with {arguments.broken}"
    elif arguments.solved:
        text, holds = model_source(), "the whole model"
    else:
        text, holds = skeleton(model_source()), "the model's signatures, for you to write the bodies"
    write_file(arguments.file, text)
    done = Note("wrote", f"Wrote {arguments.file}: {holds}.")
    following = Note("next", f"Next: {step_after(arguments)}")
    show(Result((done, following), command=shlex.join(["attn-lab", "new", *words])), arguments)
