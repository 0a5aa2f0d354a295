"""Style sheet of a lesson's page; its results have their own."""

LESSON = """
body { overflow-wrap: break-word; }
main > section, .intro { margin: 0 0 2.5rem; }
header, nav, main, body > footer { margin: 0 auto; max-width: 62rem; padding: 0 1rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
h3, h4, h5, h6 { font-size: 1.125rem; margin: 1.5rem 0 .5rem; }
main > section > h2 { border-top: 1px solid rgba(128, 128, 128, .5); padding-top: 1.5rem; }
header p, .prose, .question, .reveal > summary, .measured > summary { max-width: 42rem; }
.prose pre { white-space: pre-wrap; overflow-wrap: anywhere; }
nav { margin-bottom: 2.5rem; }
nav h2 { font-size: 1.125rem; margin: 1rem 0 .25rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { padding: .125rem 0; }
a { color: inherit; text-underline-offset: .2em; }
:focus-visible { outline: 3px solid #0072b2; outline-offset: 2px; }
section.attn-lab { margin: 1.25rem 0; }
.attn-lab .command { border-left: .3rem solid rgba(128, 128, 128, .6); padding: .25rem .75rem;
  overflow-wrap: anywhere; }
.question { border: 1px solid rgba(128, 128, 128, .6); border-radius: .375rem; box-sizing: border-box;
  margin: 1.5rem 0; padding: .75rem 1rem; }
.question > p { margin: 0 0 .5rem; }
.question summary, .reveal > summary, .measured > summary { cursor: pointer; padding: .3rem 0 .3rem 1.1rem;
  text-indent: -1.1rem; }
.reveal > summary, .measured > summary { font-weight: 600; }
.question details p { margin: .125rem 0 .75rem 1.1rem; }
.question .verdict { border-radius: .2em; color: #fff; padding: .1em .45em; }
.question .holds .verdict { background: #00754f; }
.question .fails .verdict { background: #b8400a; }
.answers { display: none; }
body > footer { font-size: .875rem; padding-bottom: 2rem; }
@media print {
  :root { font-size: 82%; }
  details:not([open]) > summary { list-style: none; }
  .measured::details-content { content-visibility: visible; }
  .reveal:not([open]) { display: none; }
  .answers { display: block; break-before: page; }
  .question, .command, .prose pre, li { break-inside: avoid; }
  h1, h2, h3, h4, h5, h6, .command { break-after: avoid; }
  .prose + section.attn-lab { break-before: avoid; }
  p { orphans: 3; widows: 3; }
  .verdict { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
