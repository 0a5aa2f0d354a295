"""Every view of every demo as it ships: what was made by hand for the other tests is not all that demos return."""

from __future__ import annotations

import importlib

import jsonschema
import pytest
from rich.cells import cell_len
from show_samples import printed

from attention_lab.demo import perform
from attention_lab.demos import DEMOS
from attention_lab.result import Result
from attention_lab.show.glyphs import readable
from attention_lab.show.html import page
from attention_lab.show.jsonview import SCHEMA, to_json
from attention_lab.show.plain import plain
from attention_lab.show.svg import svg
from attention_lab.variants import healthy

SMALLER = {  # where the default is long work
    "cost": {"n": (64, 128, 256)},
    "flash": {"n": (256, 512)},
    "pronoun": {"steps": 5},
    "depth": {"steps": 5},
}


def shown(name: str) -> Result:
    demo = next(demo for demo in DEMOS if demo.name == name)
    return perform(demo, importlib.import_module(f"attention_lab.demos.{name}").run, healthy(), SMALLER.get(name, {}))


@pytest.mark.parametrize("name", [demo.name for demo in DEMOS])
def test_a_demo_can_be_seen_in_every_view(name: str) -> None:
    result = shown(name)
    jsonschema.Draft202012Validator(SCHEMA).validate(to_json(result))
    for width, encoding in ((80, "utf-8"), (80, "cp1252"), (40, "utf-8"), (40, "ascii")):
        assert max(cell_len(line) for line in printed(result, width, encoding).splitlines()) <= width
    text = plain(readable(result, "ascii"))
    assert text.isascii()
    assert "\\" not in text, "a character that glyphs.SPELLED does not spell"
    assert page(result)
    assert svg(result)
