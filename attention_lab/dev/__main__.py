"""`python -m attention_lab.dev break OLD NEW --name NAME`: measure a new break and print its record, ready to paste."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from attention_lab.errors import LabError
from attention_lab.text import listed

TEXTS = (  # fields that only an author can write, and what is asked for
    ("why", "why people write this line"),
    ("watch", "the matrix or number to look at first"),
    ("consequence", "what the fault does to a network"),
    ("source", "the document and chapter, or the issues in which it was made"),
    ("hints", "three, from where to look to nearly the answer"),
)


def parser() -> argparse.ArgumentParser:
    """The command line of `python -m attention_lab.dev`."""
    whole = argparse.ArgumentParser(prog="python -m attention_lab.dev", description="Extend the package.")
    commands = whole.add_subparsers(dest="command", required=True)
    new = commands.add_parser("break", help="measure a new break and print its record, ready to paste")
    new.add_argument("old", metavar="OLD", help="a piece of attention_lab/transformer.py that stands in one place")
    new.add_argument("new", metavar="NEW", help="what the piece becomes")
    new.add_argument("--also", nargs=2, metavar=("OLD", "NEW"), action="append", default=[], help="a further change")
    new.add_argument("--name", required=True, help="its name in the catalogue: lower-case words joined by hyphens")
    new.add_argument("--part", help="its part of the catalogue (default: that of the break nearest in the model)")
    new.add_argument("--harmless", action="store_true", help="the change computes the same; no vital sign may move")
    return whole


def print_break(arguments: argparse.Namespace) -> None:
    """Print the record of a break on standard output, and what is left to the author on standard error."""
    from attention_lab.dev.measured_break import measured_break
    from attention_lab.dev.record_text import catalogue_file, record_text
    from attention_lab.variants import Patch

    edits = [(arguments.old, arguments.new), *arguments.also]
    record = measured_break([Patch(*edit) for edit in edits], arguments.name, arguments.part, arguments.harmless)
    file, catalogue = catalogue_file(record.part)
    sys.stdout.write(record_text(record))
    notes = [f"Paste this into {catalogue} in {file}. Then write the texts that are empty:"]
    notes += [f"  {field}: {content}" for field, content in TEXTS]
    notes += [] if record.demo else ["  demo: none that breaks of this part name shows the fault; find another"]
    if record.same_as:
        notes.append(f"It computes the same as {listed(record.same_as)}: add its name to same_as there, too.")
    notes.append("still names vital signs that one would expect to move; keep those that teach something.")
    notes.append("'attn-lab break --verify' refuses the record as long as a text is empty.")
    sys.stderr.write("\n" + "".join(f"{note}\n" for note in notes))


def run_dev(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = parser().parse_args(words)
    try:
        print_break(arguments)
    except LabError as error:
        sys.stderr.write(f"error: {error.what}\n" + "".join(f"       {line}\n" for line in error.advice.splitlines()))
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(run_dev())
