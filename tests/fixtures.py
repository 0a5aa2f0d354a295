"""What the fixtures of conftest.py are, for annotations; a conftest itself cannot be imported by name from everywhere."""

from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]  # attn_lab(*words) -> exit code, standard output, standard error
