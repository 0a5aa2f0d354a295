from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from show_samples import ATTACK, EMPTY, FULL, SOME, STRANGE, results

from attention_lab.result import Result
from attention_lab.show.colours import as_hex, colour_of
from attention_lab.show.svg import result_svg

NAMESPACE = "{http://www.w3.org/2000/svg}"
HREF = re.compile(r"href|@import|@font-face|src|https?:(?!//www\.w3\.org/2000/svg\")|url\((?!#)")


def texts(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)  # noqa: S314 - made by this test
    return ["".join(text.itertext()).replace("\xa0", " ") for text in root.iter(f"{NAMESPACE}text")]


@pytest.mark.parametrize("result", [FULL, STRANGE, EMPTY])
def test_a_picture_loads_nothing(result: Result) -> None:
    assert not HREF.search(result_svg(result))


def test_a_picture_shows_the_numbers_and_has_a_name() -> None:
    picture = result_svg(FULL)
    assert any("0.19" in text for text in texts(picture))
    assert "<title>attn-lab demo sample --text " in picture
    assert as_hex(colour_of(FULL["sentence"].values[0][0], 0.0, 1.0)) in picture  # type: ignore[union-attr]


def test_what_a_text_says_is_shown_and_never_obeyed() -> None:
    picture = result_svg(ATTACK, 200)
    assert "<script" not in picture
    assert any("<script>alert(1)</script>" in text for text in texts(picture))


def test_the_environment_does_not_change_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    before = result_svg(FULL)
    for name, value in {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "20"}.items():
        monkeypatch.setenv(name, value)
    assert result_svg(FULL) == before


def test_wide_characters_have_room() -> None:
    lengths = re.findall(r'textLength="([^"]+)"[^>]*>猫([^<]*)<', result_svg(STRANGE))
    assert lengths == [("72.6", "&#160;" * 4)]  # six cells of 12.1 for five characters


@SOME
@given(results)
def test_any_result_is_well_formed_xml(result: Result) -> None:
    ElementTree.fromstring(result_svg(result))  # noqa: S314 - made by this test
