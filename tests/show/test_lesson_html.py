from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from reader import Reader
from show_samples import ATTACK, FULL, HOLDS

from attention_lab.commands.results import result_of
from attention_lab.lesson.library import find_lesson
from attention_lab.lesson.perform import Performance
from attention_lab.lesson.read import parse_lesson
from attention_lab.result import Result, Statement
from attention_lab.show.lesson_html import lesson_page
from attention_lab.show.prose_html import prose_html

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LOADING = {"script", "link", "iframe", "frame", "img", "object", "embed", "base", "form", "video", "audio", "image"}

HOSTILE = """\
# <script>alert(1)</script>

<script>alert(1)</script> and <b onclick="alert(1)">this</b>.

<iframe src="https://example.org"></iframe>

## <img src=https://example.org/a.png>

# # Not the first

A [link](javascript:alert(1)), [one](https://example.org),
![a picture](https://example.org/a.png), <https://example.org> and [another].

[another]: https://example.org

###### A low heading

```html
<script>alert(1)</script>
```

```predict
<script>alert(1)</script>?

- <script>alert(1)</script>
  when: holds > 2
  idea: <script>alert(1)</script>
- "><script>alert(1)</script>
  when: holds <= 2
```

```run
attn-lab demo scaling --text "<script>alert(1)</script>"
```
"""
WIDE = """\
# A lesson with everything that is wide, and {long}

A word that has no end: {long}. And `{long}`.

## Two {long}

```
{long}
```

- a list
- of `{long}`

```predict
How {long}?

- {long}
  when: holds > 2
  idea: {long}
- Yes.
  when: holds <= 2
```

```run
attn-lab demo scaling --text "{long}"
```
""".format(long="l" + "o" * 150 + "ng")


def loaded(page: str) -> list[str]:
    """What a page would load, run, or lead to outside itself."""
    read = Reader(page)
    found = [tag for tag, _ in read.tags if tag in LOADING]
    for _, attributes in read.tags:
        for name, value in attributes.items():
            if name.startswith("on") or name in ("src", "srcset", "data", "action", "poster", "background"):
                found.append(name)
            if name in ("href", "xlink:href") and not (value or "").startswith("#"):
                found.append(f"{name}={value}")
            if name == "style" and "url(" in (value or ""):
                found.append("url(")
    return found + [
        rule for style in re.findall(r"<style>(.*?)</style>", page, re.S) for rule in rules_that_load(style)
    ]


def rules_that_load(style: str) -> list[str]:
    return re.findall(r"@import|url\(|https?:", style)


def page_of(text: str, result: Result) -> str:
    return lesson_page(Performance(parse_lesson(text, "mine.md"), lambda _: result))


@pytest.fixture(scope="module")
def quick() -> str:
    return lesson_page(Performance(find_lesson("quick"), result_of))


@pytest.fixture(scope="module")
def wide() -> str:
    return page_of(WIDE, FULL)


# ---- what is on the page ----


def test_the_page_loads_nothing_and_runs_nothing(quick: str, wide: str):
    assert loaded(quick) == loaded(wide) == []
    assert "default-src 'none'" in quick


@pytest.mark.parametrize(
    "bad",
    [
        "<script></script>",
        '<p onclick="a()"></p>',
        '<a href="https://example.org"></a>',
        '<p style="background:url(a)"></p>',
        "<style>@import 'a';</style>",
    ],
)
def test_that_check_can_fail(quick: str, bad: str):
    assert loaded(quick.replace("</main>", bad + "</main>"))


def test_what_a_lesson_of_somebody_else_says_is_shown_and_never_obeyed():
    page = page_of(HOSTILE, Result((HOLDS, *ATTACK.parts)))
    assert loaded(page) == []
    text = Reader(page).text
    assert text.count("<script>alert(1)</script>") > 20
    assert "A [link](javascript:alert(1)), one,\na picture, https://example.org and another." in text


def test_headings_are_in_order_and_named_sections_are_listed_first(quick: str):
    for page in (quick, page_of(HOSTILE, Result((HOLDS, *ATTACK.parts)))):
        levels = [int(tag[1]) for tag, _ in Reader(page).tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
    links = re.findall(r'<li><a href="#([^"]+)">', quick)
    assert len(links) == 5
    assert all(quick.count(f'id="{link}"') == 1 for link in links)
    assert quick.index("</nav>") < quick.index("<main>")


def test_no_id_stands_twice(quick: str):
    ids = re.findall(r'\bid="([^"]+)"', quick)
    assert len(ids) == len(set(ids))


def test_each_answer_opens_on_its_verdict_and_idea(quick: str):
    lesson = find_lesson("quick")
    folded = re.findall(r"<details><summary>([a-f]\)[^<]*)</summary><p class=.(\w+).>(.*?)</p></details>", quick)
    assert len(folded) == sum(len(question.choices) for question in lesson.questions)
    assert sum(kind == "holds" for _, kind, _ in folded) == len(lesson.questions)
    for question in lesson.questions:
        for choice in question.choices:
            assert html.escape(choice.idea) in quick


def test_a_fault_is_not_named_before_its_answer_is_opened(quick: str):
    section = quick[quick.index(">Which is it?</h2>") :]
    before, _, after = section.partition('<details class="reveal">')
    assert "attn-lab break" not in before
    assert 'class="diff"' not in before
    assert "attn-lab break mask-zero --size 5" in after
    assert 'class="diff"' in after


def test_what_was_measured_is_folded_below_its_question(quick: str):
    lesson = find_lesson("quick")
    folds = quick.split('<details class="measured">')
    assert len(folds) == len(lesson.questions) + 1  # the last one is what is said about the fault
    for before, after in pairwise(folds):
        assert before.rstrip().endswith(("</div>", "</details>"))
        assert after.startswith("<summary>What ")
    assert "no-scale" not in folds[0]
    assert "attn-lab break no-scale" in folds[1]
    assert folds[4].count("</details>") == folds[4].count("<details") + 1  # closed before the fault and its question


def test_a_question_below_an_answer_is_not_folded_away_with_it():
    run = "```run\nattn-lab demo scaling\n```\n"
    predict = "```predict\nQ{}?\n\n- Yes.\n  when: holds < 2\n- No.\n  when: holds >= 2\n```\n\n"
    page = page_of(f"# T\n\nIt.\n\n{predict.format(1)}{run}\nMore.\n\n{predict.format(2)}{run}", Result((HOLDS,)))
    evidence, _, rest = page.partition('<details class="measured">')[2].partition("</details>")
    assert "More." in evidence
    assert "Q2?" not in evidence
    assert "Q2?" in rest


def test_what_follows_a_fault_is_folded_only_in_its_own_section(quick: str):
    text = find_lesson("quick").path
    more = Path(text).read_text(encoding="utf-8") + "\n## Another matter\n\nNot about the fault.\n"
    page = lesson_page(
        Performance(parse_lesson(more.replace("\nAll hidden", "\n## Next\n\nAll hidden"), text), result_of)
    )
    assert quick.count('<details class="measured">') == 5
    assert page.count('<details class="measured">') == 4
    assert "Not about the fault." in page


def test_code_and_emphasis_in_a_question_are_set_and_its_html_is_not():
    page = page_of(
        "# T\n\nIt.\n\n```predict\nIs `a < b` *so*, <i>or</i> d_k?\n\n- `x & y`\n  when: holds < 2\n"
        "- No `√`.\n  when: holds >= 2\n  idea: Not `z`.\n```\n\n```run\nattn-lab demo scaling\n```\n",
        Result((HOLDS,)),
    )
    assert "Is <code>a &lt; b</code> <em>so</em>, &lt;i&gt;or&lt;/i&gt; d_k?" in page
    assert "<summary>b) No <code>√</code>.</summary>" in page
    assert "Not <code>z</code>." in page
    assert page.count("<code>x &amp; y</code>") == 2  # the second time on the page of answers, for paper


def test_numbers_in_the_prose_are_those_of_the_run():
    page = page_of(
        "# T\n\nIt.\n\n```run\nattn-lab demo scaling\n```\n\nIt is [0.00](result:large) so.\n",
        Result((Statement("large", "It is large.", "0.61249", True, 0.61249),)),
    )
    assert "It is 0.61 so." in page


def test_the_style_is_written_once_and_has_dark_and_paper(quick: str):
    assert quick.count("<style>") == 1
    assert "prefers-color-scheme: dark" in quick
    assert "break-inside: avoid" in quick
    answers = quick[quick.index('<section class="answers">') :]
    assert re.findall(r"<li>([a-f])\)", answers) == ["c", "a", "b", "a", "c"]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a *b* `<c>`", "<p>a <em>b</em> <code>&lt;c&gt;</code></p>"),
        ("<i>a</i>", "<p>&lt;i&gt;a&lt;/i&gt;</p>"),
        ("###### a", "<h3>a</h3>"),
        ("a\x1b[1m", "<p>a\\x1b[1m</p>"),
        ("```a b\nc\n```", "<pre><code>c\n</code></pre>"),
    ],
)
def test_prose(markdown: str, expected: str):
    assert prose_html(markdown).strip() == expected


# ---- in a browser ----


MEASURE = """
function measured(frame) {
  const page = frame.contentDocument, root = page.documentElement, unopened = [];
  const overflow = () => root.scrollWidth - root.clientWidth;
  const found = {width: root.clientWidth, closed: overflow(), details: 0};
  for (const one of page.querySelectorAll("details")) {
    const answer = one.querySelector("summary").nextElementSibling;
    const before = answer.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true});
    one.querySelector("summary").click();
    const after = answer.checkVisibility() && answer.getBoundingClientRect().height > 0;
    found.details += 1;
    if (before || !after) unopened.push(one.textContent.slice(0, 60));
  }
  return {...found, open: overflow(), unopened: unopened,
          dark: page.defaultView.getComputedStyle(page.body).backgroundColor};
}
addEventListener("load", () => {
  document.body.textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(measured));
});
"""


def browse(page: str, folder: Path, dark: bool = False) -> tuple[list[dict[str, Any]], list[str]]:
    """What a browser measures of a page at a desk and on a phone, and what it complains about on its console."""
    frames = "".join(
        f'<iframe style="border:0;width:{width}px;height:900px" srcdoc="{html.escape(page)}"></iframe>'
        for width in (1280, 390)
    )
    file = folder / "frames.html"
    file.write_text(f"<!doctype html><meta charset='utf-8'><script>{MEASURE}</script>{frames}", encoding="utf-8")
    done = subprocess.run(
        [
            str(BROWSER),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--enable-logging=stderr",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--user-data-dir={folder / 'profile'}",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)},
    )
    body = re.search(r"<body>(.*)</body>", done.stdout, re.S)
    assert body, done.stderr
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(body[1])), complaints


needs_browser = pytest.mark.skipif(BROWSER is None, reason="neither chromium nor google-chrome is on the PATH")


@needs_browser
@pytest.mark.parametrize("name", ["quick", "wide"])
def test_in_a_browser_nothing_overflows_and_every_answer_opens(name: str, request, tmp_path: Path):
    page = request.getfixturevalue(name)
    screens, complaints = browse(page, tmp_path)
    assert complaints == []
    assert [screen["width"] for screen in screens] == [1280, 390]
    for screen in screens:
        assert screen["details"] == page.count("<details")
        assert (screen["closed"], screen["open"], screen["unopened"]) == (0, 0, [])
        assert screen["dark"] == "rgb(255, 255, 255)"


@needs_browser
def test_the_page_is_dark_for_those_who_like_it_dark(wide: str, tmp_path: Path):
    screens, _ = browse(wide, tmp_path, dark=True)
    assert {screen["dark"] for screen in screens} == {"rgb(22, 24, 29)"}


@needs_browser
def test_that_the_browser_would_notice(wide: str, tmp_path: Path):
    bad = "<div style='width:900px'>a</div><details open><summary>b</summary><p>c</p></details><script>d()</script>"
    (desk, phone), complaints = browse(wide.replace("</main>", bad + "</main>"), tmp_path)
    assert (desk["closed"], desk["open"]) == (0, 0)
    assert phone["closed"] > 400
    assert phone["unopened"] == desk["unopened"] == ["bc"]
    assert len(complaints) == 2  # one of each frame: the policy of the page lets no script run
