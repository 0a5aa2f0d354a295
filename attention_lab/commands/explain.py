"""`attn-lab explain NAME`: a break, a vital sign or a demo, told from its record."""

from __future__ import annotations

from attention_lab.break_page.examine import source_diff
from attention_lab.breaks import BREAKS
from attention_lab.breaks.record import Break
from attention_lab.commands.output import add_views, check_views, show
from attention_lab.demo import Demo
from attention_lab.demo.registry import OURS
from attention_lab.errors import unknown
from attention_lab.options import Parser, parser_for
from attention_lab.result import Part, Result, table
from attention_lab.text import listed
from attention_lab.variants import source
from attention_lab.vitals import VITALS
from attention_lab.vitals.record import Vital

Rows = list[tuple[str, str]]


def parser() -> Parser:
    """The command line of `attn-lab explain`."""
    it = parser_for("attn-lab explain", "Tell what a break, a vital sign or a demo is.")
    it.add_argument("name", metavar="NAME", help="a name from 'attn-lab break' or 'attn-lab demo'")
    add_views(it)
    return it


def facts(name: str, rows: Rows) -> Part:
    """A table of what there is to say; what is empty is left out."""
    return table("facts", name, ("", "what the record says"), [row for row in rows if row[1]])


def about_break(one: Break) -> Result:
    """The changed line, and the record."""
    rows = [
        ("why people write it", one.why),
        ("what to watch", one.watch),
        ("what it costs", one.consequence),
        ("rises", listed(one.up)),
        ("falls", listed(one.down)),
        ("cannot be taken", listed(one.lost)),
        ("stays, all the same", listed(one.still)),
        ("computes the same as", listed(one.same_as)),
        ("source", one.source),
        ("see it", f"attn-lab break {one.name}; attn-lab demo {one.demo} --break {one.name}"),
    ]
    kind = "a harmless change that is taken for a fault" if one.harmless else "a fault"
    return Result((source_diff(source(), source(*one.patches)), facts(f"{one.part}: {kind}", rows)))


def about_vital(vital: Vital) -> Result:
    """What it measures, where a healthy model lies, and which breaks move it."""
    moved_by = [one.name for one in BREAKS if vital.name in (*one.up, *one.down, *one.lost)]
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
        ("breaks to try", listed(one.name for one in BREAKS if one.demo == demo.name)),
        ("see it", f"attn-lab demo {demo.name}; its options: attn-lab demo {demo.name} --help"),
    ]
    return Result((facts("a demo", rows),))


def told(name: str) -> Result:
    """The record of this name. Raises UnknownName with the nearest ones."""
    breaks, vitals = {one.name: one for one in BREAKS}, {vital.name: vital for vital in VITALS}
    if name in breaks:
        return about_break(breaks[name])
    if name in vitals:
        return about_vital(vitals[name])
    if name in OURS:
        return about_demo(OURS[name])
    raise unknown("break, vital sign or demo", name, [*breaks, *vitals, *OURS], "attn-lab break")


def explain(words: list[str]) -> None:
    """Tell what a name means."""
    arguments = parser().parse_args(words)
    check_views(arguments)
    result = told(arguments.name)
    show(Result(result.parts, demo=arguments.name, command=f"attn-lab explain {arguments.name}"), arguments)
