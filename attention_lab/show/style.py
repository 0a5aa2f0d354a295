"""Style sheets of HTML. The rules of `FRAGMENT` apply inside `.attn-lab` only, so that a notebook keeps its own."""

FRAGMENT = """
.attn-lab { line-height: 1.5; overflow-wrap: break-word; }
.attn-lab h1, .attn-lab h2 { line-height: 1.25; margin: 0 0 .5rem; }
.attn-lab h2 code { background: none; padding: 0; }
.attn-lab p { margin: .5rem 0; }
.attn-lab .question { font-style: italic; }
.attn-lab figure { margin: 1.25rem 0; }
.attn-lab .box { overflow-x: auto; position: relative; }
.attn-lab table { border-collapse: separate; border-spacing: 1px; border: 0; margin: 0; table-layout: auto;
  font-size: .9375rem; font-variant-numeric: tabular-nums; }
.attn-lab figcaption { font-weight: bold; padding: 0 0 .375rem; }
.attn-lab figcaption small { display: block; font-weight: normal; opacity: .8; }
section.attn-lab table tbody tr:nth-child(n), section.attn-lab table tbody tr:nth-child(n):hover { background: none; }
.attn-lab th, .attn-lab td { border: 0; padding: .3em .55em; text-align: right; white-space: nowrap; }
.attn-lab th { font-weight: 600; }
.attn-lab .heat th[scope="col"] { text-align: center; }
.attn-lab .heat th[scope="row"] { text-align: left; }
.attn-lab .heat td { text-align: center; min-width: 2.4em; }
.attn-lab .hidden { font-weight: bold; opacity: .75; }
.attn-lab .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.attn-lab .list thead th { border-bottom: 2px solid rgba(128, 128, 128, .6); vertical-align: bottom;
  white-space: normal; }
.attn-lab .list td, .attn-lab .list tbody th { border-bottom: 1px solid rgba(128, 128, 128, .3); }
.attn-lab .list .text { text-align: left; white-space: normal; min-width: 6em; }
.attn-lab .statement { border-left: .3rem solid #6b6b6b; margin: .875rem 0; padding: .125rem 0 .125rem .75rem; }
.attn-lab .statement p { margin: .125rem 0; }
.attn-lab .verdict { background: #6b6b6b; border-radius: .2em; color: #fff; padding: .1em .45em; white-space: nowrap; }
.attn-lab .holds { border-color: #00754f; } .attn-lab .holds .verdict { background: #00754f; }
.attn-lab .fails { border-color: #b8400a; } .attn-lab .fails .verdict { background: #b8400a; }
.attn-lab .partly { border-color: #7a5c00; } .attn-lab .partly .verdict { background: #7a5c00; }
.attn-lab cite { font-style: normal; opacity: .8; }
.attn-lab .pair { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.attn-lab .pair figure { margin: .25rem 0; min-width: 0; }
.attn-lab .diff { margin: .25rem 0; }
.attn-lab .diff del { color: #b8400a; text-decoration: none; }
.attn-lab .diff ins { color: #0a7a3c; text-decoration: none; }
.attn-lab .chart { display: block; max-width: 30rem; width: 100%; height: auto;
  font: 13px sans-serif; fill: currentColor; }
section.attn-lab ul.keys { list-style: none; margin: .25rem 0; padding: 0; }
.attn-lab .keys li { display: inline-block; margin: 0 1.25rem .125rem 0; }
.attn-lab .keys svg { vertical-align: middle; }
.attn-lab summary { cursor: pointer; }
.attn-lab footer { margin-top: 1.25rem; opacity: .9; }
.attn-lab pre { margin: .5rem 0; white-space: pre-wrap; background: none; color: inherit; padding: 0; }
@media print {
  .attn-lab .box { overflow: visible; }
  .attn-lab td, .attn-lab .verdict { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .attn-lab tr, .attn-lab figure, .attn-lab .statement { break-inside: avoid; }
  .attn-lab .heat th[scope="col"] { white-space: normal; }
  .attn-lab table { font-size: min(.8rem, calc(20vw / var(--columns, 1))); }
}
"""

PAGE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1a1a1a; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #16181d; --ink: #ececec; } }
body { background: var(--paper); color: var(--ink); margin: 0;
  font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { margin: 0 auto; max-width: 62rem; padding: 1rem; }
h1 { font-size: 1.5rem; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.attn-lab tbody th { background: var(--paper); left: 0; position: sticky; }
@media screen and (prefers-color-scheme: dark) {
  main .attn-lab .diff del { color: #ff9a66; }
  main .attn-lab .diff ins { color: #5ccf8a; }
}
"""
