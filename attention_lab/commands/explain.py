"""`attn-lab explain NAME`: a break, a vital sign or a demo, told from its record."""

from __future__ import annotations

from typing import Annotated

from attention_lab.break_page.examine import source_diff
from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.commands.names import record_names
from attention_lab.commands.outcome import Outcome
from attention_lab.demo import Demo
from attention_lab.demo.registry import OURS
from attention_lab.errors import unknown
from attention_lab.options import Param
from attention_lab.result import Part, Result, table
from attention_lab.text import listed
from attention_lab.variants import source
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Vital

Rows = list[tuple[str, str]]


def facts(name: str, rows: Rows) -> Part:
    """A table of what there is to say; what is empty is left out."""
    return table("facts", name, ("", "what the record says"), [row for row in rows if row[1]])


def about_break(entry: Break) -> Result:
    """The changed line, and the record."""
    rows = [
        ("why people write it", entry.why),
        ("what to watch", entry.watch),
        ("what it costs", entry.consequence),
        ("rises", listed(entry.up)),
        ("falls", listed(entry.down)),
        ("cannot be taken", listed(entry.lost)),
        ("stays, all the same", listed(entry.still)),
        ("computes the same as", listed(entry.same_as)),
        ("source", entry.source),
        ("see it", f"attn-lab break {entry.name}; attn-lab demo {entry.demo} --break {entry.name}"),
    ]
    kind = "a harmless change that is taken for a fault" if entry.harmless else "a fault"
    return Result((source_diff(source(), source(*entry.patches)), facts(f"{entry.part}: {kind}", rows)))


def about_vital(vital: Vital) -> Result:
    """What it measures, where a healthy model lies, and which breaks move it."""
    moved_by = [entry.name for entry in BREAKS if vital.name in (*entry.up, *entry.down, *entry.lost)]
    rows = [
        ("what it says", vital.sentence),
        ("how", (vital.measure.__doc__ or "").strip()),
        ("healthy", f"from {vital.low:g} to {vital.high:g} ({vital.unit})"),
        ("moved by", listed(moved_by)),
    ]
    return Result((facts(f"{vital.part}: a vital sign", rows),))


def about_demo(demo: Demo) -> Result:
    """What it shows, and which breaks it shows best."""
    rows = [
        ("what it shows", demo.summary),
        ("predict", demo.question),
        ("documents", listed(demo.documents)),
        ("breaks to try", listed(entry.name for entry in BREAKS if entry.demo == demo.name)),
        ("see it", f"attn-lab demo {demo.name}; its options: attn-lab demo {demo.name} --help"),
    ]
    return Result((facts("a demo", rows),))


def explanation(name: str) -> Result:
    """The record of this name. Raises UnknownName with the nearest ones."""
    breaks, vitals = {entry.name: entry for entry in BREAKS}, {vital.name: vital for vital in VITALS}
    if name in breaks:
        return about_break(breaks[name])
    if name in vitals:
        return about_vital(vitals[name])
    if name in OURS:
        return about_demo(OURS[name])
    raise unknown("break, vital sign or demo", name, [*breaks, *vitals, *OURS], "attn-lab break")


NAME = Param("a name from 'attn-lab break' or 'attn-lab demo'", metavar="NAME", names=record_names)


def explain(name: Annotated[str, NAME]) -> Outcome:
    """Tell what a break, a vital sign or a demo is."""
    return Outcome(Result(explanation(name).parts, demo=name))
