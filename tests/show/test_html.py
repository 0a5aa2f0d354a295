from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from reader import Reader
from show_samples import ATTACK, COSTS, CURVES, EMPTY, FULL, HOLDS, SCORES, SOME, STRANGE, results

from attention_lab.result import Result, table
from attention_lab.show.chart import chart_svg
from attention_lab.show.html import result_fragment, result_page

LOADS = re.compile(
    r"""https?:|//|@import|url\(|\b(src|href|action|srcset|data|poster)\s*=|<(script|link|iframe|object|img)""", re.I
)


@pytest.mark.parametrize("result", [FULL, STRANGE, EMPTY])
def test_a_page_loads_nothing_and_runs_nothing(result: Result) -> None:
    assert not LOADS.search(result_page(result))


def test_what_a_text_says_is_shown_and_never_obeyed() -> None:
    html = result_page(ATTACK)
    read = Reader(html)
    assert "script" not in {tag for tag, _ in read.tags}
    assert read.text.count("<script>alert(1)</script>") >= 12
    assert not any(name.startswith("on") for _, attributes in read.tags for name in attributes)
    html.encode("utf-8")


@SOME
@given(results)
def test_any_result_is_well_formed_html(result: Result) -> None:
    html = result_page(result)
    Reader(html)
    html.encode("utf-8")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", html)


def test_a_page_is_complete_and_a_fragment_is_not() -> None:
    assert result_page(FULL).startswith('<!doctype html>\n<html lang="en">')
    assert 'name="viewport"' in result_page(FULL)
    assert "prefers-color-scheme: dark" in result_page(FULL)
    assert "@media print" in result_page(FULL)
    assert result_fragment(FULL).startswith('<section class="attn-lab">')
    assert "<h2>" in result_fragment(FULL)
    assert "<h1>" in result_page(FULL)


def test_the_style_of_a_fragment_touches_nothing_outside_it() -> None:
    style = re.search(r"<style>(.*?)</style>", result_fragment(FULL), re.S)
    assert style
    for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", style[1].replace("@media print {", "")):
        assert all(".attn-lab" in selector for selector in selectors.split(",")), selectors


def test_a_notebook_shows_a_result() -> None:
    assert FULL._repr_html_() == result_fragment(FULL)


def test_tables_have_heads_with_a_scope() -> None:
    tags = Reader(result_fragment(Result((COSTS,)))).tags
    assert sum(attributes.get("scope") == "col" for _, attributes in tags) == len(COSTS.columns)
    assert sum(attributes.get("scope") == "row" for _, attributes in tags) == len(COSTS.rows)
    assert "caption" in {tag for tag, _ in tags}


def test_hidden_and_infinite_cells_are_not_coloured_and_say_what_they_are() -> None:
    html = result_fragment(Result((SCORES,)))
    assert html.count('class="hidden"><span aria-hidden="true">·</span><span class="unseen">hidden</span>') == 1
    assert "<td>−∞</td><td>NaN</td>" in html
    assert len(re.findall(r'<td style="background:#[0-9a-f]{6};color:#[0-9a-f]{6}">', html)) == 5


def test_whether_a_statement_holds_is_a_word() -> None:
    assert "Holds" in Reader(result_fragment(Result((HOLDS,)))).text


def test_a_curve_is_a_picture_with_a_name_and_all_its_values() -> None:
    picture = chart_svg(CURVES)
    assert ElementTree.fromstring(picture).attrib["role"] == "img"  # noqa: S314 - made two lines above
    assert "Entropy of the weights" in picture
    assert picture.count("NaN") == 0
    cells = re.findall(r"<td>([^<]*)</td>", result_fragment(Result((CURVES,))))
    assert cells.count("NaN") == 1
    assert len(cells) == 10


def test_cells_without_text_stand_under_their_head() -> None:
    html = result_fragment(Result((table("t", "", ("name", "n"), (("a", 1),)),)))
    assert '<th scope="col" class="text">name</th><th scope="col">n</th>' in html
    html = result_fragment(Result((table("t", "", ("name", "is", "n"), (("a", "right", None), ("b", None, 2))),)))
    assert '<td class="text">–</td><td>2</td>' in html
    assert '<td class="text">right</td><td>–</td>' in html
