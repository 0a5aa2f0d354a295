"""`attn-lab kill TESTS.py`: which faults a person's own tests would notice, and which they would miss."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from attention_lab.commands.outcome import Outcome
from attention_lab.commands.shared import Level
from attention_lab.errors import PartlyFailed
from attention_lab.options import Param
from attention_lab.show.progress import progress_line
from attention_lab.text import count, first_of


def kill(
    file: Annotated[str, Param("a Python file with tests, or a notebook", metavar="FILE", files=())],
    *,
    all_faults: Annotated[
        bool, Param("count the faults of all functions, not of those called only", flag="--all")
    ] = False,
    level: Level = None,
) -> Outcome:
    """Run your own pytest file on the model and on every fault of the catalogue: which faults it would miss.

    The tests import the model as attention_lab.transformer, as transformer or as model ('from model import attention'),
    or take the fixture 'model' ('model.attention(…)'). A module that is not installed, and of which they import only
    functions of the model ('from my_attention import softmax, attention'), is the model, too.

    The file is run by itself, without a conftest.py or anything else beside it, and again for each fault, in a process
    that can reach no other file. Only tests that pass on the healthy model count, and only faults of functions that
    they call.

    Exit code 0 if every test passes on the healthy model, 1 if one fails there, 2 if there is nothing to run, 3 if this
    machine does not protect what --require-sandbox asks for.
    """
    from attention_lab.kill.kill import measure_kills
    from attention_lab.kill.kill_page import kill_page

    with progress_line(True) as progress:
        report = measure_kills(Path(file), all_faults, progress, level or "")
    failure = None
    if report.wrong:
        names = first_of([fate.name for fate in report.wrong], 5)
        what = f"{count(len(report.wrong), 'test')} failed on the healthy model: {names}."
        failure = PartlyFailed(what, "The page says why. Correct them: they do not count.")
    return Outcome(kill_page(report, ""), failure)
