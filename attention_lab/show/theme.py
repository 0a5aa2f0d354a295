"""What each thing on a terminal looks like. The names say what it is; only this file knows colours of text.

Only the sixteen colours of the terminal's own scheme, which its owner can read on its background. Nothing is said by
colour alone.
"""

TITLE = "bold"
DEMO = "bold cyan"
QUESTION = "italic"
CAPTION = "bold"  # above a matrix, a table, a curve
HEAD = "cyan"  # names of columns
LABEL = "cyan"  # names of rows
ASIDE = "dim"
HOLDS = "bold green"
FAILS = "bold red"
QUOTED = "bold yellow"
REMOVED = "red"  # a line of source that goes
ADDED = "green"  # and one that comes
CLAIM = "bold"
COMMAND = "bold cyan"
CURVES = ("bold blue", "bold yellow", "bold magenta", "bold green", "bold red", "bold cyan")
STRONG = "bold"  # of prose
EMPHASIS = "italic"
CODE = "bold cyan"
CHOICE = "bold"  # the letter of an answer
