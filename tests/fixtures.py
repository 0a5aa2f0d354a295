"""What the fixtures of conftest.py are, for annotations: of several conftests only one can be imported by name."""

from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]  # attn_lab(*words, typed="") -> exit code, standard output, standard error
