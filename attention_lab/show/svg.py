"""A Result as an SVG picture of the terminal, for slides and a README; it loads nothing, not even a font."""

from __future__ import annotations

import re
from html import escape, unescape
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.terminal_theme import TerminalTheme

from attention_lab.result import Result
from attention_lab.show.glyphs import encodable_result
from attention_lab.show.terminal import print_result

SCREEN = TerminalTheme(
    (22, 24, 29),
    (236, 236, 236),
    [(22, 24, 29), (255, 110, 100), (95, 215, 135), (240, 200, 80), (120, 170, 255), (225, 140, 235),
     (95, 210, 225), (236, 236, 236)],
)  # fmt: skip
SHAPE = 0.605  # width of a letter divided by its height: 0.602 in DejaVu Sans Mono and Menlo, less in Consolas

# {{ }} and { } as `Console.export_svg` wants them; TITLE is replaced here
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" xml:space="preserve" role="img">
<title>TITLE</title>
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, SFMono-Regular, Menlo, Consolas, \
"DejaVu Sans Mono", "Liberation Mono", monospace; }}
.{unique_id}-title {{ font: bold 18px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


LENGTH = re.compile(r'textLength="([^"]+)"([^>]*>)([^<]+)<')


def correct_length(match: re.Match[str]) -> str:
    """The length of a piece of text by its cells; rich counts characters, which would squeeze Chinese ones by half."""
    text = unescape(match[3])
    return f'textLength="{float(match[1]) / len(text) * cell_len(text):g}"{match[2]}{match[3]}<'


def recording_console(width: int) -> Console:
    """A console that records what is printed, independent of this process's terminal and environment."""
    return Console(
        file=StringIO(),
        width=width,
        height=25,
        record=True,
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
        legacy_windows=False,
        _environ={},
    )


def result_svg(result: Result, width: int = 80) -> str:
    """A picture of the result as printed on a terminal of `width` columns."""
    clean = encodable_result(result, "utf-8")
    console = recording_console(width)
    print_result(clean, console)
    title = clean.command or "attn-lab"
    named = FORMAT.replace("TITLE", escape(title).replace("{", "{{").replace("}", "}}"))
    picture = console.export_svg(title=title, theme=SCREEN, code_format=named, font_aspect_ratio=SHAPE)
    return LENGTH.sub(correct_length, picture)
