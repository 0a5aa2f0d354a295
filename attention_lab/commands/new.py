"""`attn-lab new FILE`: a file to work on by hand. `check` judges it; demos and breaks run on it with `--with FILE`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from typing import Annotated

from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.commands.names import break_names
from attention_lab.commands.outcome import Outcome
from attention_lab.commands.variant import find_break
from attention_lab.commands.views import check_writable
from attention_lab.draws import ranked
from attention_lab.errors import BadInput, BadPatch
from attention_lab.kept_files import write_file
from attention_lab.options import Param
from attention_lab.result import Note, Result
from attention_lab.source_text import skeleton
from attention_lab.text import count
from attention_lab.variants import Source, model_source, source

GROUP = "what it holds"
BROKEN = Param("the model with this fault, to repair", metavar="NAME", names=break_names, group=GROUP)
MYSTERY = Param(
    "the model with a fault chosen by the seed, to find",
    metavar="SEED",
    at_least=0,
    group=GROUP,
    apart=("--solved", "--broken"),
)


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


def mystery_text(seed: int, faults: int) -> str:
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


def next_step(file: str, is_solved: bool, is_broken: bool) -> str:
    """The command to type next."""
    path = file if not file.startswith("-") else f"./{file}"
    check, signs = shlex.join(("attn-lab", "check", path)), shlex.join(("attn-lab", "break", "--with", path))
    if is_broken:
        return f"{check} --watch; its vital signs: {signs}"
    if is_solved:
        return f"change a line, then {signs}; does anybody see which it was? {check}"
    return f"write softmax, then {check} --watch; its vital signs: {signs}"


def new(
    file: Annotated[str, Param("the file to write", metavar="FILE", files=())],
    *,
    solved: Annotated[bool, Param("the whole model, to break", group=GROUP, apart=("--broken",))] = False,
    broken: Annotated[str | None, BROKEN] = None,
    mystery: Annotated[int | None, MYSTERY] = None,
    faults: Annotated[int, Param("how many faults a mystery has", at_least=1, at_most=3)] = 1,
    force: Annotated[bool, Param("overwrite FILE if it exists")] = False,
) -> Outcome:
    """Write a file to work on by hand.

    Without an option it is a skeleton: signatures and shapes, for you to write the bodies; what you have not written
    yet comes from the model.
    """
    check_writable(file)
    if faults > 1 and mystery is None:
        raise BadInput("--faults is for a mystery.", "Add --mystery SEED.")
    if os.path.exists(file) and not force:
        raise BadInput(f"{file} exists already.", "Name another file, or overwrite it with --force.")
    if mystery is not None:
        text, holds = mystery_text(mystery, faults), f"a model with {count(faults, 'fault')}"
    elif broken is not None:
        text, holds = applied(source(), broken).model, f"the model with {broken}"
    elif solved:
        text, holds = model_source(), "the whole model"
    else:
        text, holds = skeleton(model_source()), "the model's signatures, for you to write the bodies"
    write_file(file, text)
    done = Note("wrote", f"Wrote {file}: {holds}.")
    following = Note("next", f"Next: {next_step(file, solved, mystery is not None or broken is not None)}")
    return Outcome(Result((done, following)))
