"""Styles of text on a terminal, by meaning. Only this file knows the colours.

They are the sixteen of the terminal's own scheme, readable on its background. Colour never carries a meaning alone.
"""

TITLE = "bold"
DEMO = "bold cyan"
QUESTION = "italic"
CAPTION = "bold"  # above a matrix, a table, a curve
HEAD = "cyan"  # the name of a column
LABEL = "cyan"  # the name of a row
ASIDE = "dim"
HOLDS = "bold green"
FAILS = "bold red"
QUOTED = "bold yellow"
REMOVED = "red"  # a line of source that a patch removes
ADDED = "green"  # a line of source that a patch adds
CLAIM = "bold"
COMMAND = "bold cyan"
CURVES = ("bold blue", "bold yellow", "bold magenta", "bold green", "bold red", "bold cyan")
STRONG = "bold"  # of prose
EMPHASIS = "italic"
CODE = "bold cyan"
CHOICE = "bold"  # the letter of an answer
