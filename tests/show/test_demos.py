"""Every view of every demo as it ships: what was made by hand for the other tests is not all that demos return."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace

import jsonschema
import pytest
from rich.cells import cell_len
from show_samples import printed

from attention_lab.demo import perform
from attention_lab.demos import DEMOS
from attention_lab.result import Result, Table, table
from attention_lab.show.glyphs import UNICODE, encodable_result
from attention_lab.show.html import result_page
from attention_lab.show.jsonview import SCHEMA, to_json
from attention_lab.show.plain import plain_text
from attention_lab.show.svg import result_svg
from attention_lab.show.tables import table_lines
from attention_lab.variants import healthy

SMALLER = {  # where the default is long work
    "cost": {"n": (64, 128, 256)},
    "flash": {"n": (256, 512)},
    "pronoun": {"steps": 5},
    "depth": {"steps": 5},
    "consequences": {"steps": 5},
}


def shown(name: str) -> Result:
    demo = next(demo for demo in DEMOS if demo.name == name)
    return perform(demo, importlib.import_module(f"attention_lab.demos.{name}").run, healthy(), SMALLER.get(name, {}))


def gaps(part: Table) -> list[str]:
    """What stands between two columns on each line of the head, and on the rule below it."""
    lines = [line.plain.ljust(80) for line in table_lines(replace(part, title=""), 80, UNICODE)]
    rule = next(number for number, line in enumerate(lines) if not line.strip("─ "))
    spans = [found.span() for found in re.finditer(" +", lines[rule].rstrip())]
    return [line[start:end] for line in lines[: rule + 1] for start, end in spans]


def apart(part: Table) -> bool:
    """Whether its heads, of several words each, can be told from each other."""
    return all(len(gap) > 2 and not gap.strip() for gap in gaps(part))


def test_heads_that_run_together_are_seen() -> None:
    names = ("peak, untiled", "peak, tiled")
    assert apart(table("t", "title", names, ((0.8, 0.7),)))
    assert not apart(table("t", "title", names, ((0.8, "long " * 60),)))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [demo.name for demo in DEMOS])
def test_a_demo_can_be_seen_in_every_view(name: str) -> None:
    result = shown(name)
    jsonschema.Draft202012Validator(SCHEMA).validate(to_json(result))
    for width, encoding in ((80, "utf-8"), (80, "cp1252"), (40, "utf-8"), (40, "ascii")):
        assert max(cell_len(line) for line in printed(result, width, encoding).splitlines()) <= width
    for part in result.parts:
        assert not isinstance(part, Table) or apart(part), part.name
    text = plain_text(encodable_result(result, "ascii"))
    assert text.isascii()
    assert "\\" not in text, "a character that glyphs.SPELLED does not spell"
    assert result_page(result)
    assert result_svg(result)
